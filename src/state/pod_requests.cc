#include "state/pod_requests.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace ksched {
namespace {

using api::Container;
using api::ContainerStatus;
using api::PodSpec;
using api::PodStatus;
using api::Quantity;
using api::ResourceList;

// Go's sums have no bounds; ours end where a Quantity's do.
Quantity Sum(Quantity a, Quantity b) {
  auto nano = a.nano();
  if (!__builtin_add_overflow(a.nano(), b.nano(), &nano)) return Quantity::FromNano(nano);
  return a.IsNegative() ? a : b.IsNegative() ? b : std::max(a, b);
}

void Add(ResourceList& list, const ResourceList& more) {
  for (const auto& [name, quantity] : more) {
    const auto [entry, added] = list.try_emplace(name, quantity);
    if (!added) entry->second = Sum(entry->second, quantity);
  }
}

void Max(ResourceList& list, const ResourceList& other) {
  for (const auto& [name, quantity] : other) {
    const auto [entry, added] = list.try_emplace(name, quantity);
    if (!added && quantity > entry->second) entry->second = quantity;
  }
}

bool IsSidecar(const Container& container) { return container.restart_policy == "Always"; }

bool IsPodLevelResource(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

// Which of a container's lists counts. kAllocated and kActuated come from the pod's status.
enum class Source { kSpec, kAllocated, kActuated };

class Requests {
 public:
  Requests(const PodSpec& spec, const PodStatus* status, const PodRequestOptions& options)
      : spec_(spec),
        status_(options.use_status_resources ? status : nullptr),
        options_(options),
        infeasible_(status_ != nullptr && IsPodResizeInfeasible(*status_)) {}

  ResourceList Total() const {
    ResourceList total = OfContainers();
    if (!options_.skip_pod_level_resources && IsPodLevelRequestsSet(spec_)) {
      for (const auto& [name, quantity] : PodLevel()) {
        if (IsPodLevelResource(name)) total.insert_or_assign(name, quantity);
      }
    }
    if (spec_.overhead) Add(total, *spec_.overhead);
    return total;
  }

 private:
  const ResourceList& OfContainer(const Container& container, Source source) const {
    if (source == Source::kSpec) return container.resources.requests;
    const ContainerStatus* status = FindContainerStatus(*status_, container.name);
    if (status != nullptr && source == Source::kActuated && status->resources_requests) {
      return *status->resources_requests;
    }
    if (status != nullptr && status->allocated_resources) return *status->allocated_resources;
    return infeasible_ ? nothing_ : container.resources.requests;
  }

  ResourceList WithDefaults(const Container& container, Source source) const {
    ResourceList list = OfContainer(container, source);
    if (options_.non_missing_container_requests != nullptr) {
      for (const auto& [name, quantity] : *options_.non_missing_container_requests) list.try_emplace(name, quantity);
    }
    return list;
  }

  // Containers and sidecars run together; each init container runs beside the sidecars before it.
  ResourceList Aggregate(Source source) const {
    ResourceList running, sidecars, init_peak;
    for (const Container& container : spec_.containers) Add(running, WithDefaults(container, source));
    for (const Container& container : spec_.init_containers) {
      ResourceList own = WithDefaults(container, source);
      if (IsSidecar(container)) {
        Add(running, own);
        Add(sidecars, own);
        Max(init_peak, sidecars);
      } else {
        Add(own, sidecars);
        Max(init_peak, own);
      }
    }
    Max(running, init_peak);
    return running;
  }

  ResourceList OfContainers() const {
    if (status_ == nullptr) return Aggregate(Source::kSpec);
    ResourceList result;
    if (!infeasible_) result = Aggregate(Source::kSpec);
    // The pod's own lists, once the kubelet fills them, are the sums over its containers.
    const bool has_sums = options_.use_pod_level_status && status_->allocated_resources && status_->resources_requests;
    Max(result, has_sums ? *status_->resources_requests : Aggregate(Source::kActuated));
    Max(result, has_sums ? *status_->allocated_resources : Aggregate(Source::kAllocated));
    return result;
  }

  ResourceList PodLevel() const {
    const ResourceList& requests = spec_.resources->requests;
    if (status_ == nullptr || !options_.use_pod_level_status || !status_->has_resources) return requests;
    ResourceList result;
    if (!infeasible_) result = requests;
    if (status_->resources_requests) Max(result, *status_->resources_requests);
    if (status_->allocated_resources) Max(result, *status_->allocated_resources);
    return result;
  }

  const PodSpec& spec_;
  const PodStatus* status_;  // null: does not count
  const PodRequestOptions& options_;
  const bool infeasible_;
  const ResourceList nothing_;
};

}  // namespace

ResourceList PodRequests(const api::Pod& pod, const PodRequestOptions& options) {
  return Requests(pod.spec, &pod.status, options).Total();
}

ResourceList SpecRequests(const PodSpec& spec, const PodRequestOptions& options) {
  return Requests(spec, nullptr, options).Total();
}

bool IsPodLevelRequestsSet(const PodSpec& spec) {
  if (!spec.resources) return false;
  for (const auto& [name, quantity] : spec.resources->requests) {
    if (IsPodLevelResource(name)) return true;
  }
  return false;
}

bool IsPodResizeInfeasible(const PodStatus& status) {
  for (const api::PodCondition& condition : status.conditions) {
    if (condition.type == "PodResizePending") return condition.reason == "Infeasible";
  }
  return false;
}

const ContainerStatus* FindContainerStatus(const PodStatus& status, std::string_view name) {
  for (const auto* statuses : {&status.container_statuses, &status.init_container_statuses}) {
    for (const ContainerStatus& candidate : *statuses) {
      if (candidate.name == name) return &candidate;
    }
  }
  return nullptr;
}

const ResourceList& DefaultContainerRequests() {
  static const ResourceList kDefaults = {{"cpu", Quantity::FromMilli(kDefaultMilliCpuRequest)},
                                         {"memory", Quantity::FromUnits(kDefaultMemoryRequest)}};
  return kDefaults;
}

}  // namespace ksched
