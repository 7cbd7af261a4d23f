#include "simulate/simulation.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/cpu_time.h"
#include "simulate/cycle_report.h"

namespace ksched {
namespace {

constexpr std::string_view kScheduled = "Scheduled";
constexpr std::string_view kNominated = "Nominated";
constexpr std::string_view kUnschedulable = "Unschedulable";
constexpr std::string_view kGated = "Gated";
constexpr std::string_view kError = "Error";
constexpr std::string_view kDeleted = "Deleted";

// A run ends at the latest after this many cycles; one of a recording, after this many without an event.
uint64_t MaxCycles(size_t pods) { return 100 * pods + 1000; }

}  // namespace

Result<SchedulingReport> Simulate(ClusterState& state, ClusterInput input, const SimulationOptions& options,
                                  SimulationStats* stats) {
  return Simulation(state, std::move(input), options).Run(stats);
}

Simulation::Simulation(ClusterState& state, ClusterInput input, const SimulationOptions& options)
    : state_(state), input_(std::move(input)), options_(options) {}

Result<SchedulingReport> Simulation::Run(SimulationStats* stats) {
  const double start = CpuSeconds();
  if (auto created = CreateScheduler(); !created) return std::move(created).error();
  Enter();
  const double entered = CpuSeconds();
  if (auto looped = Loop(); !looped) return std::move(looped).error();
  if (stats != nullptr) {
    stats->setup_cpu_seconds = entered - start;
    stats->cycles_cpu_seconds = CpuSeconds() - entered;
    stats->cycles = cycles_;
    stats->nodes_evaluated = scheduler_->nodes_evaluated();
    stats->cache = scheduler_->cache_counters();
  }
  return MakeReport();
}

Result<void> Simulation::CreateScheduler() {
  Ports ports;
  ports.binder = this;
  ports.evictor = this;
  ports.status_writer = this;
  auto created = Scheduler::Create({options_.configuration, options_.features, options_.use_cache, options_.explain},
                                   {state_, clock_, options_.registry, ports});
  if (!created) return std::move(created).error();
  scheduler_ = std::move(*created);
  handlers_.emplace(*scheduler_);
  clock_.OnTicks([this] { scheduler_->queue().FlushBackoff(); },
                 [this] { scheduler_->queue().FlushUnschedulableLeftovers(); });
  return {};
}

// ---- the input enters ----

void Simulation::Enter() {
  EnterObjects();
  for (api::Node& node : input_.nodes) handlers_->AddNode(std::move(node));
  input_.nodes.clear();
  PodStore& store = state_.pod_store();
  tracked_of_.resize(store.capacity(), nullptr);
  alive_.resize(store.capacity(), false);
  for (const InputPod& entry : input_.pods) {
    if (entry.id == kNoPod) continue;
    PodInfo& pod = store.Get(entry.id);
    pod.arrival = next_arrival_++;
    alive_[pod.id] = true;
    if (pod.node_name().empty()) continue;
    SetStarted(pod);
    handlers_->AddPod(pod);
  }
  workload_runs_.resize(input_.workloads.size());
  for (const InputPod& entry : input_.pods) {
    if (entry.id == kNoPod) {
      EnterWorkload(entry.workload);
      continue;
    }
    PodInfo& pod = store.Get(entry.id);
    if (!pod.node_name().empty()) continue;
    handlers_->AddPod(pod);
    clock_.Advance(kNsPerUs);
    Track(pod, entry.from_manifest, entry.source);
  }
}

void Simulation::SetStarted(PodInfo& pod) {
  if (pod.start_time()) return;
  state_.pod_store().Change(pod, [](PodFacts& facts) { facts.start_time = kStartOfRunNs; });
}

// Takes a pod that came without a node into the report.
void Simulation::Track(const PodInfo& pod, bool from_manifest, const std::string& source) {
  const std::string& scheduler_name = pod.pod_class->scheduler_name();
  if (!scheduler_->Handles(pod)) {
    other_schedulers_.push_back({pod.ns(), pod.name(), scheduler_name, from_manifest});
    return;
  }
  if (pod.deleting()) return;
  Tracked& tracked = tracked_.emplace_back();
  tracked.pod = pod.id;
  PodOutcome& outcome = tracked.outcome;
  outcome.ns = pod.ns();
  outcome.name = pod.name();
  outcome.scheduler_name = scheduler_name;
  outcome.priority = pod.priority();
  outcome.result = kUnschedulable;
  outcome.from_manifest = from_manifest;
  outcome.source = source;
  if (tracked_of_.size() <= pod.id) tracked_of_.resize(pod.id + 1, nullptr);
  tracked_of_[pod.id] = &tracked;
}

// ---- the loop ----

Result<void> Simulation::Loop() {
  while (true) {
    if (auto happened = HappenWhatIsDue(); !happened) return happened;
    if (!scheduler_->queue().Ready()) {
      if (!WaitForTime()) return {};
      continue;
    }
    if (cycles_ - counted_from_ == MaxCycles(tracked_.size())) {
      truncated_ = true;
      return {};
    }
    bound_ = false;
    failure_.reset();
    cleared_.clear();
    if (scheduler_->ScheduleOne() != Scheduler::Step::kCycle) continue;
    NoteCycle();
    Deliver();
    SyncWorkloads();
    clock_.Advance(kNsPerMs);
  }
}

bool Simulation::WaitForTime() {
  const SchedulingQueue& queue = scheduler_->queue();
  const size_t in_error = queue.num_error_backoff();
  const size_t backing_off = queue.num_backoff() + in_error;
  if (next_event_ < input_.events.size()) {
    const TimeNs next = clock_.NextMultipleOf(backing_off > 0 ? kNsPerSecond : VirtualClock::kLeftoverPeriodNs);
    clock_.AdvanceTo(std::min(next, input_.events[next_event_].at_ms * kNsPerMs));
    return true;
  }
  if (backing_off == 0) return false;
  // Pods in error would be tried for ever.
  if (in_error == backing_off && errors_in_a_row_ >= 3 * in_error) {
    truncated_ = true;
    return false;
  }
  clock_.AdvanceTo(clock_.NextMultipleOf(kNsPerSecond));
  return true;
}

void Simulation::NoteCycle() {
  const CycleRecord& record = scheduler_->record();
  ++cycles_;
  const bool scheduled = record.result == CycleResult::kScheduled;
  errors_in_a_row_ = !scheduled && record.error_for_queue ? errors_in_a_row_ + 1 : 0;
  if (options_.explain) cycle_reports_.push_back(MakeCycleReport(*scheduler_, state_));
  Tracked* tracked = tracked_of_[record.pod];
  if (tracked == nullptr) return;
  PodOutcome& outcome = tracked->outcome;
  outcome.attempts = static_cast<int>(record.attempts);
  outcome.message = record.message;
  tracked->placed = scheduled;
  if (scheduled) {
    outcome.result = kScheduled;
    tracked->node = record.node;
  } else if (record.result == CycleResult::kError) {
    outcome.result = kError;
  } else {
    outcome.result = record.nominated_node.empty() ? kUnschedulable : kNominated;
  }
  for (const PodId victim : record.victims) outcome.victims.push_back(state_.pod_store().Get(victim).Key());
}

// ---- ports ----

void Simulation::Bind(const PodInfo&, const std::string&, ResultCallback done) {
  bound_ = true;
  done({});
}

void Simulation::ClearNomination(const PodInfo& pod) { cleared_.push_back(pod.id); }

void Simulation::Write(const PodInfo&, const FailureUpdate& update) {
  failure_ = Failure{std::string(update.reason), std::string(update.message), std::string(update.nominated_node),
                     update.nominates};
}

// Everything that the cycle wrote is told now, when the pod is back in the queue, or done.
void Simulation::Deliver() {
  PodInfo& pod = state_.pod_store().Get(scheduler_->record().pod);
  if (bound_) DeliverBinding(pod);
  DeliverPreemption();
  if (failure_) DeliverFailure(pod);
}

// The victims leave, and less important pods lose their nomination to the node.
void Simulation::DeliverPreemption() {
  PodStore& store = state_.pod_store();
  for (const PodId id : scheduler_->record().victims) {
    PodInfo& victim = store.Get(id);
    if (!victim.deleting()) {
      const PodInfo before = victim;
      store.Change(victim, [](PodFacts& facts) { facts.preempted = true; });
      handlers_->AssignedPodUpdated(before, victim);
    }
    RemovePod(victim);
  }
  for (const PodId id : cleared_) {
    PodInfo& pod = store.Get(id);
    const PodInfo before = pod;
    store.Change(pod, [](PodFacts& facts) { facts.nominated_node_name.clear(); });
    handlers_->PodUpdated(before, pod);
  }
}

void Simulation::DeliverBinding(PodInfo& pod) {
  if (!pod.nominated_node_name().empty()) {
    state_.pod_store().Change(pod, [](PodFacts& facts) { facts.nominated_node_name.clear(); });
  }
  SetStarted(pod);
  handlers_->AddPod(pod);
  TellStarted(pod);
}

void Simulation::DeliverFailure(PodInfo& pod) {
  const Failure& failure = *failure_;
  const bool same_condition = pod.HasCondition("False", failure.reason, failure.message);
  const bool same_nomination = !failure.nominates || pod.nominated_node_name() == failure.nominated_node;
  if (same_condition && same_nomination) return;
  const PodInfo before = pod;
  PodStore& store = state_.pod_store();
  store.SetCondition(pod, {"False", failure.reason, failure.message});
  if (failure.nominates) {
    store.Change(pod, [&failure](PodFacts& facts) { facts.nominated_node_name = failure.nominated_node; });
  }
  handlers_->PodUpdated(before, pod);
}

// ---- the report ----

SchedulingReport Simulation::MakeReport() {
  SchedulingReport report;
  report.truncated = truncated_;
  report.cycles = std::move(cycle_reports_);
  report.other_schedulers = std::move(other_schedulers_);
  ReportWorkloads(report);
  for (Tracked& tracked : tracked_) {
    FinishOutcome(tracked);
    ++report.summary.pods;
    const std::string& result = tracked.outcome.result;
    if (result == kScheduled) {
      ++report.summary.scheduled;
    } else if (result == kNominated) {
      ++report.summary.nominated;
    } else if (result == kGated) {
      ++report.summary.gated;
    } else if (result == kError) {
      ++report.summary.errors;
    } else if (result == kDeleted) {
      ++report.summary.deleted;
    } else {
      ++report.summary.unschedulable;
    }
    report.pods.push_back(std::move(tracked.outcome));
  }
  return report;
}

// Says in what state a pod is at the end.
void Simulation::FinishOutcome(Tracked& tracked) {
  PodOutcome& outcome = tracked.outcome;
  std::sort(outcome.victims.begin(), outcome.victims.end());
  if (tracked.placed) {
    outcome.node = state_.node_name(tracked.node);
    return;
  }
  const PodInfo& pod = state_.pod_store().Get(tracked.pod);
  if (tracked.deleted || pod.deleting()) {
    outcome.result = kDeleted;
    outcome.message.clear();
    return;
  }
  if (scheduler_->queue().Gated(pod.id)) {
    outcome.result = kGated;
    outcome.message = GateMessage(pod);
    return;
  }
  if (outcome.result == kUnschedulable || outcome.result == kNominated) {
    outcome.result = pod.nominated_node_name().empty() ? kUnschedulable : kNominated;
    outcome.node = pod.nominated_node_name();
  }
}

// Of the first plugin of its profile that holds the pod back.
std::string Simulation::GateMessage(const PodInfo& pod) const {
  const Framework* framework = scheduler_->FindProfile(pod.pod_class->scheduler_name());
  return framework->RunPreEnqueue(pod).Message(scheduler_->reasons());
}

}  // namespace ksched
