// The pods of a workload that are on nodes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "state/cluster_state.h"
#include "webhook/target.h"

namespace ksched::webhook {

// Those that are not being deleted. At a cost in proportion to all pods of the cluster.
std::vector<PodId> ExistingPods(const ClusterState& state, const Target& target);
// A new pod like the newest of these, with what scheduling reads of it but its volumes; nothing: there is none.
std::optional<api::Pod> LikeNewestOf(const ClusterState& state, std::span<const PodId> pods);

}  // namespace ksched::webhook
