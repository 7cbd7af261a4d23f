// VictimSelector: which pods have to leave one node so that a more important pod fits there.
// Reference: SelectVictimsOnNode in pkg/scheduler/framework/plugins/defaultpreemption, v1.37.2.
#pragma once

#include <vector>

#include "framework/handle.h"
#include "framework/plugin.h"
#include "preemption/budgets.h"

namespace ksched {

// The order of importance: higher priority first, then whoever started earlier, then whoever came earlier.
bool IsMoreImportant(const PodInfo& a, const PodInfo& b);

class VictimSelector {
 public:
  // Everything outlives the selector.
  VictimSelector(ClusterState& state, ReasonTable& reasons, FrameworkHandle& handle);

  // Takes the disruption budgets as they are now.
  void Refresh() { budgets_.Refresh(state_.objects().disruption_budgets); }
  // Fills `found` for candidate.node. Not Success: the node is no candidate. State and cycle come back as they were.
  Status Select(CycleState& cycle, const PodInfo& preemptor, PreemptionCandidate& found);

 private:
  Status SelectInDryRun(CycleState& cycle, const PodInfo& preemptor, PreemptionCandidate& found);
  // Adds the pod again. Tells whether the preemptor still fits; if not, the pod is a victim and gone.
  Status Reprieve(CycleState& cycle, const PodInfo& preemptor, PodInfo& pod, NodeId node, bool& fits);

  ClusterState& state_;
  FrameworkHandle& handle_;
  ReasonId no_victims_;
  DisruptionBudgets budgets_;
  std::vector<PodInfo*> potential_;  // of this node, the most important first
  std::vector<PodInfo*> victims_;
  std::vector<bool> violates_;  // as potential_
};

}  // namespace ksched
