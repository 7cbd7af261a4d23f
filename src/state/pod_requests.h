// What a pod requests in all, from its containers, sidecars, init containers, pod-level resources and overhead.
// Reference: k8s.io/component-helpers/resource/helpers.go, v0.37.2.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/types.h"

namespace ksched {

// Of containers without a request, so that they count for something when nodes are scored
// (pkg/scheduler/util/pod_resources.go).
inline constexpr int64_t kDefaultMilliCpuRequest = 100;
inline constexpr int64_t kDefaultMemoryRequest = 200 * 1024 * 1024;

struct PodRequestOptions {
  bool use_status_resources = false;      // what the kubelet allocated and applied counts too (in-place resize)
  bool use_pod_level_status = false;      // InPlacePodLevelResourcesVerticalScaling
  bool skip_pod_level_resources = false;  // PodLevelResources is off
  const api::ResourceList* non_missing_container_requests = nullptr;  // stands in where a container has no request
};

// Which of the above the feature gates allow, for a whole ClusterState.
struct ResourceFeatures {
  bool in_place_pod_vertical_scaling = true;
  bool in_place_pod_level_resources_vertical_scaling = true;
  bool pod_level_resources = true;
};

api::ResourceList PodRequests(const api::Pod& pod, const PodRequestOptions& options);
// The same of a pod without a status: the first two options make no difference.
api::ResourceList SpecRequests(const api::PodSpec& spec, const PodRequestOptions& options);

bool IsPodLevelRequestsSet(const api::PodSpec& spec);
bool IsPodResizeInfeasible(const api::PodStatus& status);

// The first of this name, among the containers' and then the init containers'; null if there is none.
const api::ContainerStatus* FindContainerStatus(const api::PodStatus& status, std::string_view name);

// kDefaultMilliCpuRequest and kDefaultMemoryRequest, by name.
const api::ResourceList& DefaultContainerRequests();

}  // namespace ksched
