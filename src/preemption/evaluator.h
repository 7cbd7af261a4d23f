// PreemptionEvaluator: on which node, and at whose cost, a pod that fits nowhere could run.
// Reference: pkg/scheduler/framework/preemption/preemption.go, v1.37.2.
#pragma once

#include <string>
#include <vector>

#include "framework/handle.h"
#include "framework/plugin.h"
#include "framework/verdict_table.h"
#include "preemption/victims.h"

namespace ksched {

struct PreemptionOptions {
  // The dry run ends with this share of the possible nodes, and at least so many, found to be candidates.
  int32_t min_candidate_nodes_percentage = 10;
  int32_t min_candidate_nodes_absolute = 100;
};

class PreemptionEvaluator {
 public:
  // Everything outlives the evaluator.
  PreemptionEvaluator(ClusterState& state, ReasonTable& reasons, FrameworkHandle& handle, PreemptionOptions options);

  // Success: `result` names the best candidate, its victims and all candidates. Otherwise why not; the pod's nomination
  // is to be cleared if `result` says so. Nothing is evicted.
  Status Evaluate(CycleState& cycle, const PodInfo& pod, const NodeStatuses& statuses, PostFilterResult& result);

 private:
  // Why the pod must not preempt now; Success if it may.
  Status Eligible(const PodInfo& pod, const NodeStatuses& statuses) const;
  Status DryRun(CycleState& cycle, const PodInfo& pod, PostFilterResult& result);
  Status NotHelpful();
  size_t NumCandidates() const;
  const PreemptionCandidate& Best(const PostFilterResult& result) const;

  ClusterState& state_;
  ReasonTable& reasons_;
  FrameworkHandle& handle_;
  PreemptionOptions options_;
  VictimSelector selector_;
  VerdictTable verdicts_;
  std::vector<NodeId> possible_;                      // nodes that might fit without some of their pods
  std::vector<std::pair<NodeId, VerdictId>> failed_;  // nodes that the dry run found to be no candidates
  std::vector<uint32_t> kept_;                        // of result.candidates, what there is to choose from
};

}  // namespace ksched
