#include "admission/pod_strategy.h"

#include <algorithm>
#include <string>
#include <vector>

#include "admission/resource_lists.h"
#include "api/names.h"

namespace ksched {
namespace {

using api::Container;
using api::PodSpec;
using api::ResourceList;

// Each key that the pod has a label for, with the value of that label.
void AddKeys(api::LabelSelector& selector, const std::vector<std::string>& keys, const char* op,
             const api::StringMap& labels) {
  for (const std::string& key : keys) {
    const auto label = labels.find(key);
    if (label != labels.end()) selector.match_expressions.push_back({key, op, {label->second}});
  }
}

// A term without a selector matches nothing, and stays so.
void MergeKeys(api::PodAffinityTerm& term, const api::StringMap& labels) {
  if (!term.label_selector) return;
  AddKeys(*term.label_selector, term.match_label_keys, "In", labels);
  AddKeys(*term.label_selector, term.mismatch_label_keys, "NotIn", labels);
}

void MergeLabelKeys(api::Pod& pod) {
  const api::StringMap& labels = pod.metadata.labels;
  if (pod.spec.affinity) {
    for (auto* affinity : {&pod.spec.affinity->pod_affinity, &pod.spec.affinity->pod_anti_affinity}) {
      if (!*affinity) continue;
      for (api::WeightedPodAffinityTerm& weighted : (*affinity)->preferred) MergeKeys(weighted.term, labels);
      for (api::PodAffinityTerm& term : (*affinity)->required) MergeKeys(term, labels);
    }
  }
  for (api::TopologySpreadConstraint& constraint : pod.spec.topology_spread_constraints) {
    if (constraint.label_selector) AddKeys(*constraint.label_selector, constraint.match_label_keys, "In", labels);
  }
}

bool AllContainersLimit(const PodSpec& spec, const std::string& resource) {
  const auto limits = [&](const Container& container) { return container.resources.limits.contains(resource); };
  return std::ranges::all_of(spec.containers, limits) && std::ranges::all_of(spec.init_containers, limits);
}

// Only of a pod that says something at its own level. Huge pages cannot be overcommitted: limit and request are one.
void CompletePodLevelResources(PodSpec& spec) {
  if (!spec.resources || (spec.resources->requests.empty() && spec.resources->limits.empty())) return;
  auto& [requests, limits, claims] = *spec.resources;
  const ResourceList container_limits = ContainerLimits(spec);
  for (const auto& [name, limit] : container_limits) {
    if (api::IsHugePageResource(name) && !requests.contains(name)) limits.emplace(name, limit);
  }
  for (const auto& [name, request] : ContainerRequests(spec)) {
    if (api::IsPodLevelResource(name) && api::IsOvercommitAllowed(name)) requests.emplace(name, request);
  }
  for (const auto& [name, limit] : limits) {
    if (api::IsPodLevelResource(name)) requests.emplace(name, limit);
  }
  for (const auto& [name, request] : requests) {
    if (!api::IsPodLevelResource(name) || limits.contains(name) || !AllContainersLimit(spec, name)) continue;
    const auto limit = container_limits.find(name);
    if (limit != container_limits.end()) limits.emplace(name, std::max(limit->second, request));
  }
}

}  // namespace

void PreparePodForCreate(api::Pod& pod) {
  pod.metadata.generation = 1;
  pod.status = {};
  pod.status.phase = "Pending";
  if (!pod.spec.scheduling_gates.empty()) {
    pod.status.conditions.push_back(
        {"PodScheduled", "False", "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates"});
  }
  MergeLabelKeys(pod);
  CompletePodLevelResources(pod.spec);
}

}  // namespace ksched
