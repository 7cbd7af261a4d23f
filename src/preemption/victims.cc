#include "preemption/victims.h"

#include <algorithm>

namespace ksched {
namespace {

// The victim that started earliest among those of the highest priority, and so on. A pod that has no start time yet
// started later than any.
constexpr api::TimeNs kNotStarted = INT64_MAX;

}  // namespace

bool IsMoreImportant(const PodInfo& a, const PodInfo& b) {
  if (a.priority() != b.priority()) return a.priority() > b.priority();
  const api::TimeNs start_a = a.start_time().value_or(kNotStarted), start_b = b.start_time().value_or(kNotStarted);
  if (start_a != start_b) return start_a < start_b;
  return a.arrival < b.arrival;
}

VictimSelector::VictimSelector(ClusterState& state, ReasonTable& reasons, FrameworkHandle& handle)
    : state_(state), handle_(handle), no_victims_(reasons.Intern("No preemption victims found for incoming pod")) {}

Status VictimSelector::Select(CycleState& cycle, const PodInfo& preemptor, PreemptionCandidate& found) {
  potential_.clear();
  for (const PodId id : state_.pods(found.node)) {
    PodInfo& pod = state_.pod_store().Get(id);
    if (pod.priority() < preemptor.priority()) potential_.push_back(&pod);
  }
  if (potential_.empty()) return Status::UnschedulableAndUnresolvable(no_victims_);
  const auto mark = state_.SetMark(ClusterState::DryRun::kYes);
  const auto cycle_mark = cycle.SetMark();
  Status status = SelectInDryRun(cycle, preemptor, found);
  cycle.Rollback(cycle_mark);
  state_.Rollback(mark);
  return status;
}

Status VictimSelector::SelectInDryRun(CycleState& cycle, const PodInfo& preemptor, PreemptionCandidate& found) {
  const NodeId node = found.node;
  for (PodInfo* pod : potential_) {
    state_.RemovePod(*pod);
    Status status = handle_.RunRemovePod(cycle, preemptor, *pod, node);
    if (!status.ok()) return status;
  }
  Status status = handle_.RunFilterWithNominatedPods(cycle, preemptor, node, false);
  if (!status.ok()) return status;

  const auto more_important = [](const PodInfo* a, const PodInfo* b) { return IsMoreImportant(*a, *b); };
  std::sort(potential_.begin(), potential_.end(), more_important);
  budgets_.FindViolations(potential_, violates_);
  victims_.clear();
  size_t violating = 0;
  // Those that a budget wants to keep come first to be reprieved.
  for (const bool violates : {true, false}) {
    for (size_t i = 0; i < potential_.size(); ++i) {
      if (violates_[i] != violates) continue;
      if (violates) ++violating;
      bool fits = false;
      status = Reprieve(cycle, preemptor, *potential_[i], node, fits);
      if (!status.ok()) return status;
      if (fits) continue;
      victims_.push_back(potential_[i]);
      if (violates) ++found.pdb_violations;
    }
  }
  if (violating != 0 && violating != potential_.size()) std::sort(victims_.begin(), victims_.end(), more_important);
  for (const PodInfo* victim : victims_) found.victims.push_back(victim->id);
  return {};
}

Status VictimSelector::Reprieve(CycleState& cycle, const PodInfo& preemptor, PodInfo& pod, NodeId node, bool& fits) {
  const auto mark = state_.SetMark(ClusterState::DryRun::kYes);
  const auto cycle_mark = cycle.SetMark();
  state_.AddPodTo(pod, node);
  Status status = handle_.RunAddPod(cycle, preemptor, pod, node);
  fits = status.ok() && handle_.RunFilterWithNominatedPods(cycle, preemptor, node, true).ok();
  if (fits) {
    state_.KeepInDryRun(mark);
  } else {
    cycle.Rollback(cycle_mark);
    state_.Rollback(mark);
  }
  return status;
}

}  // namespace ksched
