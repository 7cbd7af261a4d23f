// What a pod requests in all, from its containers, sidecars, init containers, pod-level resources and overhead.
// Reference: k8s.io/component-helpers/resource/helpers.go, v0.37.2.
#pragma once

#include "api/types.h"

namespace ksched {

struct PodRequestOptions {
  bool use_status_resources = false;        // what the kubelet allocated and applied counts too (in-place resize)
  bool use_pod_level_status = false;        // InPlacePodLevelResourcesVerticalScaling
  bool skip_pod_level_resources = false;    // PodLevelResources is off
  const api::ResourceList* non_missing_container_requests = nullptr;  // stands in where a container has no request
};

// Which of the above the feature gates allow, for a whole ClusterState.
struct ResourceFeatures {
  bool in_place_pod_vertical_scaling = true;
  bool in_place_pod_level_resources_vertical_scaling = true;
  bool pod_level_resources = true;
};

api::ResourceList PodRequests(const api::Pod& pod, const PodRequestOptions& options);

bool IsPodLevelRequestsSet(const api::Pod& pod);
bool IsPodResizeInfeasible(const api::Pod& pod);

}  // namespace ksched
