// Whether an event may make a pod fit that NodeResourcesFit has rejected. Nodes are looked at as they would be without
// pods, so that no ClusterState is needed.
#pragma once

#include "framework/registry.h"

namespace ksched::fit_hints {

// Any pod that leaves a node, or gives up a nomination.
Result<QueueingHint> AfterAssignedPodDelete(const PodInfo& pod, const EventObjects& objects);

// A pod on a node asks for less of something that this pod asks for.
Result<QueueingHint> AfterAssignedPodScaleDown(const PodInfo& pod, const EventObjects& objects);

// A node that the empty node would fit: a new one, or one that has more of what the pod asks for.
// `device_classes` is null when DRAExtendedResource is off.
Result<QueueingHint> AfterNodeChange(const PodInfo& pod, const EventObjects& objects, const ResourceNames& names,
                                     const DeviceClassLister* device_classes);

// A DeviceClass now stands behind a resource that the pod asks for.
Result<QueueingHint> AfterDeviceClassChange(const PodInfo& pod, const EventObjects& objects);

}  // namespace ksched::fit_hints
