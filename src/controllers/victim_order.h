// Which pods leave first when there are too many. Reference: ActivePodsWithRanks and ActivePods of
// pkg/controller/controller_utils.go, v1.37.2.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "controllers/managed_pod.h"

namespace ksched::controllers {

// How many active pods of all ReplicaSets of the same owner are on each node; empty for a ReplicaSet without an owner.
using PodsOnNodes = std::unordered_map<std::string, int64_t>;

// The `count` that leave first, in that order: not on a node, pending, not ready, cheap to delete, many related pods on
// the same node, ready for a short time, often restarted, young; all as they are if all leave. Times are compared by
// the logarithm of what has passed until `now`, and by uid where that is the same; with `now` 0, as they are.
std::vector<const ManagedPod*> ReplicaVictims(const std::vector<const ManagedPod*>& pods, size_t count,
                                              const PodsOnNodes& related, api::TimeNs now);

// The same for a Job's pods: costs and related pods do not matter, times are compared as they are. Sorts all.
void SortJobVictims(std::vector<const ManagedPod*>& pods);

}  // namespace ksched::controllers
