// Sums over lists of resources, and what a pod requests and may use at most in all.
// Reference: k8s.io/component-helpers/resource/helpers.go, v0.37.2.
#pragma once

#include <string_view>

#include "api/types.h"

namespace ksched {

// Go's sums have no bounds; this one ends where a Quantity does.
api::Quantity Sum(api::Quantity a, api::Quantity b);
// Each resource of `more` on top of `list`.
void AddTo(api::ResourceList& list, const api::ResourceList& more);
// The amount of this resource; zero if it is not there.
api::Quantity AmountOf(const api::ResourceList& list, std::string_view name);

// Over all containers: those that run together, or the largest init container beside the sidecars before it.
api::ResourceList ContainerRequests(const api::PodSpec& spec);
api::ResourceList ContainerLimits(const api::PodSpec& spec);

// Whether spec.resources says anything about what a pod may set as a whole.
bool HasPodLevelResources(const api::PodSpec& spec);

// With pod-level resources in place of the containers', and overhead (on limits only where there is one).
api::ResourceList TotalRequests(const api::PodSpec& spec);
api::ResourceList TotalLimits(const api::PodSpec& spec);

}  // namespace ksched
