// Which pods leave first when there are too many. Reference: ActivePodsWithRanks and ActivePods of
// pkg/controller/controller_utils.go, v1.37.2.
#pragma once

#include <span>
#include <vector>

#include "controllers/managed_pod.h"

namespace ksched::controllers {

// Sorts so that those that leave first come first: not on a node, pending, not ready, cheap to delete, many related
// pods on the same node, ready for a short time, often restarted, young. Times are compared by the logarithm of what
// has passed until `now`, and by uid where that is the same; with `now` 0, as they are. `related` are the pods of all
// ReplicaSets of the same owner, these among them; none for a ReplicaSet that has no owner.
void SortReplicaVictims(std::vector<const ManagedPod*>& pods, std::span<const ManagedPod* const> related,
                        api::TimeNs now);

// The same for a Job's pods: costs and related pods do not matter, times are compared as they are.
void SortJobVictims(std::vector<const ManagedPod*>& pods);

}  // namespace ksched::controllers
