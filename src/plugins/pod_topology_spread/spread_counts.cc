#include "plugins/pod_topology_spread/spread_counts.h"

#include <algorithm>

#include "plugins/common/tolerations.h"

namespace ksched {

SpreadCounts::SpreadCounts(std::vector<SpreadConstraint> constraints, const api::PodSpec& spec, const Options& options)
    : constraints_(std::move(constraints)), options_(options), sums_(constraints_.size()) {
  spec_.node_selector = spec.node_selector;
  if (spec.affinity) spec_.affinity.emplace().node_affinity = spec.affinity->node_affinity;
  spec_.tolerations = spec.tolerations;
  affinity_.Compile(spec_);
}

bool SpreadCounts::HasAllKeys(const ClusterState& state, NodeId node) const {
  return std::ranges::all_of(constraints_,
                             [&](const SpreadConstraint& one) { return state.domain(one.key, node) != kNoDomain; });
}

bool SpreadCounts::Includes(size_t constraint, const api::Node& node) const {
  if (constraints_[constraint].honors_affinity && !affinity_.Matches(node)) return false;
  return !constraints_[constraint].honors_taints ||
         !HasUntoleratedTaint(node.spec.taints, spec_.tolerations, options_.comparison_operators);
}

void SpreadCounts::Update(const ClusterState& state) {
  for (size_t i = 0; i < size(); ++i) {
    if (options_.action == SpreadAction::kSoft && constraints_[i].is_hostname) continue;
    sums_[i].Update(state, constraints_[i].key, [&](NodeId node) -> std::optional<int64_t> {
      if (options_.needs_all_keys && !HasAllKeys(state, node)) return std::nullopt;
      if (!Includes(i, state.node(node))) return std::nullopt;
      return CountOn(i, state, node);
    });
  }
}

int64_t SpreadCounts::CountWithoutLabel(size_t constraint, const ClusterState& state) const {
  int64_t count = 0;
  for (const NodeId node : state.order()) {
    if (state.domain(constraints_[constraint].key, node) != kNoDomain) continue;
    if (Includes(constraint, state.node(node))) count += CountOn(constraint, state, node);
  }
  return count;
}

}  // namespace ksched
