// One scheduling cycle.

#include <algorithm>
#include <utility>

#include "framework/scoring.h"
#include "scheduler/scheduler.h"

namespace ksched {
namespace {

constexpr std::string_view kNoNodesAvailable = "no nodes available to schedule pods";
constexpr std::string_view kUnschedulable = "Unschedulable";
constexpr std::string_view kSchedulerError = "SchedulerError";

}  // namespace

void CycleOutcome::Clear() {
  result = CycleResult::kError;
  message.clear();
  error_for_queue = false;
  nominates = false;
  nominated_node.clear();
  unschedulable_plugins.Clear();
  pending_plugins.Clear();
}

void CycleRecord::Start(const QueuedPodInfo& queued, const Framework* of, TimeNs now) {
  Clear();
  pod = queued.id;
  framework = of;
  attempts = queued.attempts;
  start = now;
  found_node = false;
  node = kNoNode;
  evaluated = feasible = 0;
  feasible_nodes.clear();
  scored = false;
  violations.clear();
  post_filter_ran = false;
  victims.clear();
  candidates.clear();
}

Scheduler::Step Scheduler::ScheduleOne() {
  QueuedPodInfo* queued = queue_->Pop();
  if (queued == nullptr) return Step::kNothing;
  PodInfo& pod = world_.state.pod_store().Get(queued->id);
  Profile* profile = ProfileOf(pod.pod_class->scheduler_name());
  if (profile == nullptr || pod.deleting() || cache_.IsAssumed(pod.id)) {
    if (profile != nullptr && pod.deleting() && world_.ports.event_sink != nullptr) {
      world_.ports.event_sink->FailedScheduling(pod, "skip schedule deleting pod: " + pod.Key());
    }
    queue_->Done(pod.id);
    return Step::kDropped;
  }
  record_.Start(*queued, profile->framework.get(), world_.clock.Now());
  if (observer_ != nullptr) cycle_began_ = Observer::Now();
  cycle_.StartCycle();
  world_.state.TakeSnapshot();
  Status status = SchedulePod(*profile, pod);
  if (status.ok()) status = AssumeAndReserve(*profile, pod);
  if (status.ok()) status = Permit(*profile, pod);
  if (status.ok()) {
    StartBinding(*profile, pod, *queued);
  } else {
    TellAttempt(*profile, record_, cycle_began_);
    HandleFailure(*queued, record_);
  }
  return Step::kCycle;
}

// ---- finding a node ----

Status Scheduler::SchedulePod(Profile& profile, PodInfo& pod) {
  Status status = FindNode(profile, pod);
  if (observer_ != nullptr) observer_->AlgorithmEnded(Observer::Now() - cycle_began_);
  return status;
}

Status Scheduler::RunPreFilter(Profile& profile, PodInfo& pod) {
  return Observe(observer_, ObservedPoint::kPreFilter, profile.framework->scheduler_name(), [&] {
    profile.framework->RunPreFilter(cycle_, pod, record_.pre_filter);
    return record_.pre_filter.status;
  });
}

Status Scheduler::FindNode(Profile& profile, PodInfo& pod) {
  Diagnosis& diagnosis = record_.diagnosis;
  diagnosis.Start(world_.state.num_nodes());
  record_.pre_filter.status = Status();
  if (world_.state.num_nodes() == 0) {
    FailWith({Code::kError, reasons_.Intern(kNoNodesAvailable)}, record_);
    record_.result = CycleResult::kUnschedulable;
    return Status(Code::kUnschedulableAndUnresolvable);
  }
  if (force_node_) return ForceOntoNode(profile, pod);
  Status pre_filter = RunPreFilter(profile, pod);
  if (!pre_filter.ok() && !pre_filter.IsRejected()) {
    FailWith(pre_filter, record_);
    return pre_filter;
  }
  if (pre_filter.ok()) {
    if (!only_node_.empty()) NarrowToNode();
    const auto percentage = profile.framework->percentage_of_nodes_to_score();
    const SearchRequest request{*profile.framework,
                                profile.cache.get(),
                                queue_->nominator(),
                                verdicts_,
                                cycle_,
                                pod,
                                percentage ? percentage : configuration_.percentage_of_nodes_to_score};
    Status status = Observe(observer_, ObservedPoint::kFilter, profile.framework->scheduler_name(), [&] {
      return search_.Run(request, record_.pre_filter, record_.feasible_nodes, diagnosis);
    });
    if (!status.ok()) {
      FailWith(status, record_);
      return status;
    }
  } else {
    diagnosis.absent = pre_filter;
    diagnosis.pre_filter_message = pre_filter.Message(reasons_);
    diagnosis.unschedulable_plugins = record_.pre_filter.narrowed_by;
    diagnosis.AddPluginStatus(pre_filter);
  }
  if (record_.feasible_nodes.empty()) {
    if (!only_node_.empty()) NodeIsNoGood(profile, pod);
    NoNodeFits(profile, pod);
    return Status(Code::kUnschedulable);
  }
  return PrioritizeNodes(profile, pod);
}

Status Scheduler::PrioritizeNodes(Profile& profile, const PodInfo& pod) {
  std::vector<NodeId>& feasible = record_.feasible_nodes;
  record_.node = feasible.front();
  if (feasible.size() > 1 && profile.framework->has_scorers()) {
    const std::string& name = profile.framework->scheduler_name();
    Status status = Observe(observer_, ObservedPoint::kPreScore, name,
                            [&] { return profile.framework->RunPreScore(cycle_, pod, feasible); });
    if (status.ok()) {
      ClassCache* cache = search_.entry() == nullptr ? nullptr : profile.cache.get();
      const ScoringRequest request{*profile.framework, cache, search_.entry(), cycle_, pod, record_scores_};
      status = Observe(observer_, ObservedPoint::kScore, name,
                       [&] { return ScoreNodes(request, feasible, record_.scores); });
    }
    if (!status.ok()) {
      FailWith(status, record_);
      return status;
    }
    record_.scored = true;
    record_.node = BestNode();
  }
  record_.found_node = true;
  record_.feasible = static_cast<uint32_t>(feasible.size());
  record_.evaluated = static_cast<uint32_t>(feasible.size() + record_.diagnosis.rejected.size());
  return {};
}

// Of equal best totals the node whose name sorts first, or one that is drawn.
NodeId Scheduler::BestNode() {
  const std::vector<int64_t>& totals = record_.scores.totals();
  const int64_t best_total = *std::max_element(totals.begin(), totals.end());
  const uint32_t* rank = world_.state.name_rank().data();
  NodeId best = kNoNode;
  uint64_t tied = 0;
  for (size_t i = 0; i < totals.size(); ++i) {
    if (totals[i] != best_total) continue;
    const NodeId node = record_.feasible_nodes[i];
    ++tied;
    const bool better = ties_ ? ties_->Next() % tied == 0 : best == kNoNode || rank[node] < rank[best];
    if (better) best = node;
  }
  return best;
}

void Scheduler::NoNodeFits(Profile& profile, const PodInfo& pod) {
  record_.result = CycleResult::kUnschedulable;
  Diagnosis& diagnosis = record_.diagnosis;
  diagnosis.CollectPlugins(verdicts_);
  record_.unschedulable_plugins = diagnosis.unschedulable_plugins;
  record_.pending_plugins = diagnosis.pending_plugins;
  record_.evaluated = static_cast<uint32_t>(diagnosis.rejected.size());
  if (profile.framework->has_post_filters()) {
    RunPostFilter(profile, pod);
  } else {
    record_.nominates = true;  // clears it
  }
  record_.message = diagnosis.Message(verdicts_, reasons_);
}

namespace {

// What PostFilter plugins may ask about the nodes of a failed search.
class DiagnosedStatuses final : public NodeStatuses {
 public:
  DiagnosedStatuses(const Diagnosis& diagnosis, const VerdictTable& verdicts) : verdicts_(verdicts) {
    if (diagnosis.absent) absent_ = diagnosis.absent->code();
    for (const CheckedNode& node : diagnosis.rejected) {
      if (codes_.size() <= node.node) codes_.resize(node.node + 1, kUnknownVerdict);
      codes_[node.node] = node.verdict;
    }
  }
  Code CodeOf(NodeId node) const override {
    if (node >= codes_.size() || codes_[node] == kUnknownVerdict) return absent_;
    return verdicts_.Get(codes_[node]).code();
  }

 private:
  const VerdictTable& verdicts_;
  std::vector<VerdictId> codes_;  // by NodeId
  Code absent_ = Code::kUnschedulableAndUnresolvable;
};

}  // namespace

void Scheduler::RunPostFilter(Profile& profile, const PodInfo& pod) {
  PostFilterResult result;
  const DiagnosedStatuses statuses(record_.diagnosis, verdicts_);
  record_.post_filter_ran = true;
  record_.post_filter_status = Observe(observer_, ObservedPoint::kPostFilter, profile.framework->scheduler_name(),
                                       [&] { return profile.framework->RunPostFilter(cycle_, pod, statuses, result); });
  if (observer_ != nullptr) observer_->PreemptionTried(result.victims.size());
  record_.diagnosis.post_filter_message = record_.post_filter_status.Message(reasons_);
  record_.nominates = result.nominates;
  record_.nominated_node = std::move(result.nominated_node);
  record_.victims = std::move(result.victims);
  record_.candidates = std::move(result.candidates);
}

// ---- taking it ----

Status Scheduler::AssumeAndReserve(Profile& profile, PodInfo& pod) {
  if (auto assumed = cache_.AssumePod(pod, record_.node); !assumed) {
    Status status{Code::kError, reasons_.Intern(assumed.error().message)};
    FailWith(status, record_);
    return status;
  }
  queue_->DeleteNominatedPodIfExists(pod.id);
  Status status = Observe(observer_, ObservedPoint::kReserve, profile.framework->scheduler_name(),
                          [&] { return profile.framework->RunReserve(cycle_, pod, record_.node); });
  if (status.ok()) return status;
  GiveNodeBack(profile, cycle_, pod, record_.node);
  RejectedOnNode(status, record_.node, record_);
  return status;
}

// Success too if the pod has to wait: its binding begins with that.
Status Scheduler::Permit(Profile& profile, PodInfo& pod) {
  Status status = Observe(observer_, ObservedPoint::kPermit, profile.framework->scheduler_name(),
                          [&] { return profile.framework->RunPermit(cycle_, pod, record_.node, permit_waits_); });
  if (status.ok()) return status;
  if (status.IsWait()) {
    waiting_pods_.Add(pod.id, permit_waits_, world_.clock.Now());
    return {};
  }
  GiveNodeBack(profile, cycle_, pod, record_.node);
  RejectedOnNode(status, record_.node, record_);
  return status;
}

// The pod does not get the node after all: everything that was kept for it there is free again. False if the cluster
// has it there by now. One that has left the cache before has left it to its plugins to free what they kept.
bool Scheduler::GiveNodeBack(Profile& profile, CycleState& cycle, PodInfo& pod, NodeId node) {
  const auto unreserve = [&] { return profile.framework->RunUnreserve(cycle, pod, node), Status(); };
  (void)Observe(observer_, ObservedPoint::kUnreserve, profile.framework->scheduler_name(), unreserve);
  if (!cache_.IsAssumed(pod.id)) return pod.node == kNoNode;
  cache_.ForgetPod(pod);
  if (on_forgotten_) on_forgotten_(pod);
  return true;
}

// ---- failing ----

void Scheduler::TellAttempt(const Profile& profile, const CycleOutcome& outcome, Observer::Time began) const {
  if (observer_ == nullptr) return;
  const bool rejected = outcome.result == CycleResult::kUnschedulable;
  observer_->AttemptEnded(rejected ? AttemptResult::kUnschedulable : AttemptResult::kError,
                          profile.framework->scheduler_name(), Observer::Now() - began);
}

// Reserve, Permit or the binding turned the pod down on its node, or failed.
void Scheduler::RejectedOnNode(const Status& status, NodeId node, CycleOutcome& outcome) {
  if (!status.IsRejected()) {
    FailWith(status, outcome);
    return;
  }
  Diagnosis rejected;
  rejected.Start(1);
  rejected.rejected.push_back({node, verdicts_.Intern(status)});
  rejected.AddPluginStatus(status);
  outcome.result = CycleResult::kUnschedulable;
  outcome.unschedulable_plugins = rejected.unschedulable_plugins;
  outcome.pending_plugins = rejected.pending_plugins;
  outcome.message = rejected.Message(verdicts_, reasons_);
  outcome.nominates = true;
}

void Scheduler::FailWith(const Status& status, CycleOutcome& outcome) {
  outcome.result = CycleResult::kError;
  outcome.message = status.Message(reasons_);
  outcome.nominates = true;
}

void Scheduler::HandleFailure(QueuedPodInfo& queued, CycleOutcome& outcome) {
  const PodInfo& pod = world_.state.pod_store().Get(queued.id);
  queued.ClearRejectors();
  queued.unschedulable_plugins = outcome.unschedulable_plugins;
  queued.pending_plugins = outcome.pending_plugins;
  outcome.error_for_queue = queued.rejectors().empty();
  queue_->AddUnschedulableIfNotPresent(queued);
  if (outcome.nominates) {
    queue_->AddNominatedPod(pod.id, outcome.nominated_node);
  } else {
    queue_->AddNominatedPod(pod.id);
  }
  const std::string_view reason = outcome.result == CycleResult::kUnschedulable ? kUnschedulable : kSchedulerError;
  if (world_.ports.event_sink != nullptr) {
    world_.ports.event_sink->FailedScheduling(pod, outcome.message);
  }
  if (world_.ports.status_writer != nullptr) {
    world_.ports.status_writer->Write(pod, {reason, outcome.message, outcome.nominates, outcome.nominated_node});
  }
}

}  // namespace ksched
