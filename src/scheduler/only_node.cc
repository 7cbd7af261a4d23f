// Somebody has said on which node pods are to be: the cycle looks at no other one.

#include <fmt/format.h>

#include "scheduler/scheduler.h"

namespace ksched {

void Scheduler::NarrowToNode() {
  // What other nodes plugins wanted is for their filters to say of this one.
  record_.pre_filter.node_names = {only_node_};
}

void Scheduler::NodeIsNoGood(const Profile& profile, const PodInfo& pod) {
  record_.diagnosis.absent = Status::UnschedulableAndUnresolvable(reasons_.Intern("node(s) were not asked for"));
  const auto node = world_.state.FindNode(only_node_);
  if (!node || !world_.state.in_snapshot(*node)) return;
  CycleState cycle;
  cycle.StartCycle();
  record_.violations = profile.framework->Violations(cycle, pod, NodeView(world_.state, *node));
  if (!record_.violations.empty()) return;
  // It is good but for pods that are nominated to it.
  for (const CheckedNode& checked : record_.diagnosis.rejected) {
    if (checked.node == *node) record_.violations.push_back(verdicts_.Get(checked.verdict));
  }
}

Status Scheduler::ForceOntoNode(const Profile& profile, const PodInfo& pod) {
  const auto node = world_.state.FindNode(only_node_);
  if (!node || !world_.state.in_snapshot(*node)) {
    Status status{Code::kError, reasons_.Intern(fmt::format("node \"{}\" not found", only_node_))};
    FailWith(status, record_);
    return status;
  }
  record_.violations = profile.framework->Violations(cycle_, pod, NodeView(world_.state, *node));
  record_.feasible_nodes = {*node};
  record_.node = *node;
  record_.found_node = true;
  record_.feasible = record_.evaluated = 1;
  return {};
}

std::vector<Status> Scheduler::ViolationsOfAssumed(PodInfo& pod) {
  const Framework* framework = FindProfile(pod.pod_class->scheduler_name());
  const NodeId node = pod.node;
  if (framework == nullptr || node == kNoNode) return {};
  // It must not be in its own way.
  const auto mark = world_.state.SetMark();
  world_.state.RemovePod(pod);
  world_.state.TakeSnapshot();
  CycleState cycle;
  cycle.StartCycle();
  std::vector<Status> violations;
  if (world_.state.in_snapshot(node)) {
    violations = framework->Violations(cycle, pod, NodeView(world_.state, node));
  } else {
    violations.emplace_back(Code::kError, reasons_.Intern("node not found"));
  }
  world_.state.Rollback(mark);
  return violations;
}

}  // namespace ksched
