#include "preemption/evaluator.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "framework/diagnosis.h"

namespace ksched {
namespace {

// What makes one candidate better than another, in this order: fewer violated budgets; a lower highest priority; a
// lower sum of priorities; fewer victims; later the earliest start among victims of the highest priority.
using Rank = std::array<int64_t, 5>;  // smaller is better

Rank RankOf(const PreemptionCandidate& candidate, const PodStore& pods) {
  constexpr int64_t kAboveZero = int64_t{std::numeric_limits<int32_t>::max()} + 1;  // makes every priority count
  int32_t highest = std::numeric_limits<int32_t>::min();
  int64_t sum = 0, earliest = std::numeric_limits<int64_t>::max();
  for (const PodId id : candidate.victims) {
    const PodInfo& victim = pods.Get(id);
    const int64_t start = victim.start_time().value_or(std::numeric_limits<int64_t>::max());
    sum += victim.priority() + kAboveZero;
    if (victim.priority() > highest) {
      highest = victim.priority();
      earliest = start;
    } else if (victim.priority() == highest) {
      earliest = std::min(earliest, start);
    }
  }
  return {candidate.pdb_violations, pods.Get(candidate.victims.front()).priority(), sum,
          static_cast<int64_t>(candidate.victims.size()), -earliest};
}

}  // namespace

PreemptionEvaluator::PreemptionEvaluator(ClusterState& state, ReasonTable& reasons, FrameworkHandle& handle,
                                         PreemptionOptions options)
    : state_(state), reasons_(reasons), handle_(handle), options_(options), selector_(state, reasons, handle) {}

Status PreemptionEvaluator::Evaluate(CycleState& cycle, const PodInfo& pod, const NodeStatuses& statuses,
                                     PostFilterResult& result) {
  Status status = Eligible(pod, statuses);
  if (!status.ok()) return status;
  possible_.clear();
  for (const NodeId node : state_.order()) {
    if (statuses.CodeOf(node) == Code::kUnschedulable) possible_.push_back(node);
  }
  failed_.clear();
  status = DryRun(cycle, pod, result);
  if (!status.ok() && kept_.empty()) return status;
  if (kept_.empty()) {
    result.nominates = true;  // clears it
    return NotHelpful();
  }
  const PreemptionCandidate& best = Best(result);
  result.nominates = true;
  result.nominated_node = state_.node_name(best.node);
  result.victims = best.victims;
  return {};
}

Status PreemptionEvaluator::Eligible(const PodInfo& pod, const NodeStatuses& statuses) const {
  if (pod.pod_class->spec.preemption_policy == "Never") {
    return Status::Unschedulable(reasons_.Intern("not eligible due to preemptionPolicy=Never."));
  }
  const auto node = state_.FindNode(pod.nominated_node_name());
  if (!node || !state_.in_snapshot(*node)) return {};
  if (statuses.CodeOf(*node) == Code::kUnschedulableAndUnresolvable) return {};
  for (const PodId id : state_.pods(*node)) {
    const PodInfo& victim = state_.pod_store().Get(id);
    if (victim.deleting() && victim.preempted() && victim.priority() < pod.priority()) {
      return Status::Unschedulable(reasons_.Intern("not eligible due to a terminating pod on the nominated node."));
    }
  }
  return {};
}

size_t PreemptionEvaluator::NumCandidates() const {
  const auto nodes = static_cast<int64_t>(possible_.size());
  const int64_t share = nodes * options_.min_candidate_nodes_percentage / 100;
  return static_cast<size_t>(std::min(std::max<int64_t>(share, options_.min_candidate_nodes_absolute), nodes));
}

// Stops when there are enough candidates, one of which violates no budget. More of a sort than were asked for are not
// chosen from.
Status PreemptionEvaluator::DryRun(CycleState& cycle, const PodInfo& pod, PostFilterResult& result) {
  const size_t wanted = NumCandidates();
  size_t good = 0, violating = 0;
  Status error;
  kept_.clear();
  selector_.Refresh();
  for (const NodeId node : possible_) {
    PreemptionCandidate candidate;
    candidate.node = node;
    Status status = selector_.Select(cycle, pod, candidate);
    if (status.ok() && candidate.victims.empty()) {
      const std::string text = "expected at least one victim pod on node \"" + state_.node_name(node) + "\"";
      status = {Code::kError, reasons_.Intern(text)};
    }
    if (!status.ok()) {
      if (status.code() == Code::kError && error.ok()) error = status;
      failed_.emplace_back(node, verdicts_.Intern(status));
      continue;
    }
    size_t& found = candidate.pdb_violations == 0 ? good : violating;
    if (found < wanted) {
      ++found;
      kept_.push_back(static_cast<uint32_t>(result.candidates.size()));
    }
    result.candidates.push_back(std::move(candidate));
    if (good > 0 && good + violating >= wanted) break;
  }
  return error;
}

Status PreemptionEvaluator::NotHelpful() {
  Diagnosis diagnosis;
  diagnosis.Start(state_.num_nodes());
  for (const auto& [node, verdict] : failed_) diagnosis.rejected.push_back({node, verdict});
  diagnosis.absent = Status::UnschedulableAndUnresolvable(reasons_.Intern("Preemption is not helpful for scheduling"));
  return Status::Unschedulable(reasons_.Intern(diagnosis.Message(verdicts_, reasons_)));
}

const PreemptionCandidate& PreemptionEvaluator::Best(const PostFilterResult& result) const {
  const PreemptionCandidate* best = nullptr;
  Rank best_rank{};
  for (const uint32_t index : kept_) {
    const PreemptionCandidate& candidate = result.candidates[index];
    const Rank rank = RankOf(candidate, state_.pod_store());
    const auto order = [&](const PreemptionCandidate& one, const Rank& of) {
      return std::tuple(of, state_.name_rank()[one.node]);
    };
    if (best != nullptr && order(candidate, rank) >= order(*best, best_rank)) continue;
    best = &candidate;
    best_rank = rank;
  }
  return *best;
}

}  // namespace ksched
