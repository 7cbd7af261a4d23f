#include "admission/resource_lists.h"

#include <algorithm>
#include <string>

#include "api/names.h"

namespace ksched {
namespace {

using api::Container;
using api::PodSpec;
using api::ResourceList;
using Member = ResourceList api::ResourceRequirements::*;

void RaiseTo(ResourceList& list, const ResourceList& other) {
  for (const auto& [name, quantity] : other) {
    const auto [entry, added] = list.try_emplace(name, quantity);
    if (!added && quantity > entry->second) entry->second = quantity;
  }
}

ResourceList OverContainers(const PodSpec& spec, Member member) {
  ResourceList running, sidecars, init_peak;
  for (const Container& container : spec.containers) AddTo(running, container.resources.*member);
  for (const Container& container : spec.init_containers) {
    const ResourceList& own = container.resources.*member;
    if (container.restart_policy == "Always") {
      AddTo(running, own);
      AddTo(sidecars, own);
      RaiseTo(init_peak, sidecars);
    } else {
      ResourceList together = own;
      AddTo(together, sidecars);
      RaiseTo(init_peak, together);
    }
  }
  RaiseTo(running, init_peak);
  return running;
}

bool HasPodLevel(const ResourceList& list) {
  return std::ranges::any_of(list, [](const auto& entry) { return api::IsPodLevelResource(entry.first); });
}

void Override(ResourceList& list, const ResourceList& pod_level) {
  for (const auto& [name, quantity] : pod_level) {
    if (api::IsPodLevelResource(name)) list.insert_or_assign(name, quantity);
  }
}

}  // namespace

api::Quantity Sum(api::Quantity a, api::Quantity b) {
  auto nano = a.nano();
  const api::QuantityFormat format = a.IsZero() ? b.format() : a.format();
  if (!__builtin_add_overflow(a.nano(), b.nano(), &nano)) return api::Quantity::FromNano(nano, format);
  return std::max(a, b);
}

void AddTo(ResourceList& list, const ResourceList& more) {
  for (const auto& [name, quantity] : more) {
    const auto [entry, added] = list.try_emplace(name, quantity);
    if (!added) entry->second = Sum(entry->second, quantity);
  }
}

api::Quantity AmountOf(const ResourceList& list, std::string_view name) {
  const auto found = list.find(std::string(name));
  return found == list.end() ? api::Quantity() : found->second;
}

ResourceList ContainerRequests(const PodSpec& spec) {
  return OverContainers(spec, &api::ResourceRequirements::requests);
}
ResourceList ContainerLimits(const PodSpec& spec) { return OverContainers(spec, &api::ResourceRequirements::limits); }

bool HasPodLevelResources(const PodSpec& spec) {
  return spec.resources && (HasPodLevel(spec.resources->requests) || HasPodLevel(spec.resources->limits));
}

ResourceList TotalRequests(const PodSpec& spec) {
  ResourceList total = ContainerRequests(spec);
  if (spec.resources) Override(total, spec.resources->requests);
  if (spec.overhead) AddTo(total, *spec.overhead);
  return total;
}

ResourceList TotalLimits(const PodSpec& spec) {
  ResourceList total = ContainerLimits(spec);
  if (spec.resources) Override(total, spec.resources->limits);
  if (spec.overhead) {
    for (const auto& [name, quantity] : *spec.overhead) {
      const auto limit = total.find(name);
      if (limit != total.end() && !limit->second.IsZero()) limit->second = Sum(limit->second, quantity);
    }
  }
  return total;
}

}  // namespace ksched
