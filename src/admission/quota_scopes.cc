// Which pods and claims a quota is about. Reference: as quota_usage.h says.
#include <algorithm>
#include <optional>

#include "admission/quota_usage.h"
#include "admission/resource_lists.h"
#include "api/label_selector.h"

namespace ksched {
namespace {

using Selector = api::ScopedResourceSelectorRequirement;

// A simple scope is one that only has to be there.
std::vector<Selector> SelectorsOf(const api::ResourceQuota& quota) {
  std::vector<Selector> all;
  all.reserve(quota.spec.scopes.size() + quota.spec.scope_selector.size());
  for (const std::string& scope : quota.spec.scopes) all.push_back({scope, "Exists", {}});
  all.insert(all.end(), quota.spec.scope_selector.begin(), quota.spec.scope_selector.end());
  return all;
}

// Whether the selector, taken as one of labels, matches an object whose only label is the scope, if it has a value.
Result<bool> MatchesValue(const Selector& selector, const std::string& value) {
  if (selector.op == "Exists") return !value.empty();
  if (selector.op != "In" && selector.op != "NotIn" && selector.op != "DoesNotExist") {
    return Error{"failed to parse and convert selector: \"" + selector.op +
                 "\" is not a valid scope selector operator"};
  }
  api::StringMap labels;
  if (!value.empty()) labels[selector.scope_name] = value;
  return api::Matches(api::LabelSelectorRequirement{selector.scope_name, selector.op, selector.values}, labels);
}

bool HasNone(const api::ResourceRequirements& resources) {
  for (const char* name : {"cpu", "memory"}) {
    if (!AmountOf(resources.requests, name).IsZero() || !AmountOf(resources.limits, name).IsZero()) return false;
  }
  return true;
}

bool IsBestEffort(const api::PodSpec& spec) {
  if (HasPodLevelResources(spec)) return HasNone(*spec.resources);
  const auto has_none = [](const api::Container& one) { return HasNone(one.resources); };
  return std::ranges::all_of(spec.containers, has_none) && std::ranges::all_of(spec.init_containers, has_none);
}

bool IsTerminating(const api::PodSpec& spec) { return spec.active_deadline_seconds.value_or(-1) >= 0; }

bool CrossesNamespaces(const std::optional<api::PodAffinity>& affinity) {
  if (!affinity) return false;
  const auto crosses = [](const api::PodAffinityTerm& term) {
    return !term.namespaces.empty() || term.namespace_selector.has_value();
  };
  return std::ranges::any_of(affinity->required, crosses) ||
         std::ranges::any_of(affinity->preferred, crosses, &api::WeightedPodAffinityTerm::term);
}

Result<bool> Matches(const Selector& selector, const api::PodSpec& spec) {
  const std::string& scope = selector.scope_name;
  if (scope == "Terminating") return IsTerminating(spec);
  if (scope == "NotTerminating") return !IsTerminating(spec);
  if (scope == "BestEffort") return IsBestEffort(spec);
  if (scope == "NotBestEffort") return !IsBestEffort(spec);
  if (scope == "PriorityClass") return MatchesValue(selector, spec.priority_class_name);
  if (scope != "CrossNamespacePodAffinity" || !spec.affinity) return false;
  return CrossesNamespaces(spec.affinity->pod_affinity) || CrossesNamespaces(spec.affinity->pod_anti_affinity);
}

Result<bool> Matches(const Selector& selector, const api::ClaimSpec& spec) {
  if (selector.scope_name != "VolumeAttributesClass") return false;
  return MatchesValue(selector, spec.volume_attributes_class_name.value_or(""));
}

// The first error counts, though an earlier scope may not match.
template <typename Spec>
Result<bool> MatchAll(const api::ResourceQuota& quota, const Spec& spec) {
  bool all = true;
  for (const Selector& selector : SelectorsOf(quota)) {
    const auto one = Matches(selector, spec);
    if (!one) return one.error();
    all = all && *one;
  }
  return all;
}

}  // namespace

Result<bool> MatchesQuotaScopes(const api::ResourceQuota& quota, const api::Pod& pod) {
  return MatchAll(quota, pod.spec);
}
Result<bool> MatchesQuotaScopes(const api::ResourceQuota& quota, const api::PersistentVolumeClaim& claim) {
  return MatchAll(quota, claim.spec);
}

}  // namespace ksched
