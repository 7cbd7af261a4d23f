// SpreadCounts: the constraints of one action that pods have in common, and how many pods each domain has by each of
// them. Brought up to date by what has changed since the last time.
#pragma once

#include <cstdint>
#include <vector>

#include "api/types.h"
#include "plugins/common/node_selector.h"
#include "plugins/pod_topology_spread/spread_constraint.h"
#include "state/domain_sums.h"

namespace ksched {

class SpreadCounts {
 public:
  struct Options {
    SpreadAction action = SpreadAction::kHard;
    bool needs_all_keys = true;  // nodes that lack a topology key of a constraint take no part in any
    bool comparison_operators = true;
  };
  // `spec` says by its affinity and tolerations which nodes take part; what is needed of it is copied.
  SpreadCounts(std::vector<SpreadConstraint> constraints, const api::PodSpec& spec, const Options& options);
  SpreadCounts(const SpreadCounts&) = delete;
  SpreadCounts& operator=(const SpreadCounts&) = delete;

  // Outside marks of the state only.
  void Update(const ClusterState& state);

  const std::vector<SpreadConstraint>& constraints() const { return constraints_; }
  size_t size() const { return constraints_.size(); }
  // As of the last Update. Of soft constraints by hostname there are none: nodes are counted one by one (CountOn).
  DomainSums& sums(size_t constraint) { return sums_[constraint]; }
  const DomainSums& sums(size_t constraint) const { return sums_[constraint]; }
  // The pods on the node that the constraint counts, whether the node takes part or not.
  int64_t CountOn(size_t constraint, const ClusterState& state, NodeId node) const {
    const auto& group = constraints_[constraint].group;
    return group ? state.selector_groups().count(*group, node) : 0;
  }
  bool needs_all_keys() const { return options_.needs_all_keys; }
  bool HasAllKeys(const ClusterState& state, NodeId node) const;
  // Whether the inclusion policies of the constraint admit the node; labels are another matter.
  bool Includes(size_t constraint, const api::Node& node) const;
  // The pods that a constraint counts on nodes without a label of its key, as far as the policies admit them. Looks at
  // all nodes.
  int64_t CountWithoutLabel(size_t constraint, const ClusterState& state) const;

  uint64_t last_used = 0;  // the owner's

 private:
  std::vector<SpreadConstraint> constraints_;
  Options options_;
  std::vector<DomainSums> sums_;
  api::PodSpec spec_;  // nodeSelector, required node affinity, tolerations
  RequiredNodeAffinity affinity_;
};

}  // namespace ksched
