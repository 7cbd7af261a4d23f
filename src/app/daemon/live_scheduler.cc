#include "app/daemon/live_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <utility>

#include "kube/identity.h"
#include "kube/running_schedulers.h"

namespace ksched::daemon {
namespace {

using std::chrono::milliseconds;

constexpr const char* kDefaultName = "ksched";
constexpr const char* kReferencesName = "default-scheduler";
// So long cycles go on before the connection is looked at again.
constexpr TimeNs kTurnNs = 10 * kNsPerMs;
constexpr milliseconds kLongestPoll{1000};
// How long to wait at the end for bindings and victims, then for events, then for the Lease to be given back.
constexpr std::chrono::seconds kDrainTime{30}, kEventsTime{3}, kReleaseTime{5};

Result<void> MakeFolder(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return Error{"--record-cycles: " + folder + ": " + failure.message()};
  const bool empty = std::filesystem::is_empty(folder, failure);
  if (failure) return Error{"--record-cycles: " + folder + ": " + failure.message()};
  if (!empty) return Error{"--record-cycles: " + folder + ": the folder is not empty"};
  return {};
}

milliseconds ToMs(config::DurationNs duration) {
  return std::chrono::duration_cast<milliseconds>(std::chrono::nanoseconds(duration));
}

void ApplyElectionFlags(const RunOptions& options, config::LeaderElection& election) {
  if (options.resource_name) election.resource_name = *options.resource_name;
  if (options.resource_namespace) election.resource_namespace = *options.resource_namespace;
  if (options.leader_elect) election.leader_elect = *options.leader_elect;
  if (options.lease_duration) election.lease_duration = *options.lease_duration;
  if (options.renew_deadline) election.renew_deadline = *options.renew_deadline;
  if (options.retry_period) election.retry_period = *options.retry_period;
}

// Flags that kube-scheduler takes only without a file that could say the same (ApplyDeprecated in
// cmd/kube-scheduler/app/options, v1.37.2).
void ApplyFlagsInsteadOfFile(const RunOptions& options, config::SchedulerConfiguration& configuration) {
  config::ClientConnection& client = configuration.client_connection;
  if (!options.connection.kubeconfig.empty()) client.kubeconfig = options.connection.kubeconfig;
  if (options.qps) client.qps = static_cast<float>(*options.qps);
  if (options.burst) client.burst = *options.burst;
  if (options.content_type) client.content_type = *options.content_type;
  if (options.profiling) configuration.enable_profiling = *options.profiling;
  if (options.contention_profiling) configuration.enable_contention_profiling = options.contention_profiling;
}

}  // namespace

Result<cli::Setup> MakeRunSetup(const RunOptions& options) {
  auto setup = cli::MakeSetup(options.config, options.feature_gates);
  if (!setup) return setup;
  config::SchedulerConfiguration& configuration = setup->configuration;
  const bool own = options.config.empty();
  if (own || options.scheduler_name) {
    if (configuration.profiles.size() != 1) return Error{"--scheduler-name: the configuration has several profiles"};
    configuration.profiles.front().scheduler_name = options.scheduler_name.value_or(kDefaultName);
  }
  config::LeaderElection& election = configuration.leader_election;
  // Who does not replace kube-scheduler does not wait for its Lease.
  const bool replaces = std::ranges::find(configuration.profiles, kReferencesName, &config::Profile::scheduler_name) !=
                        configuration.profiles.end();
  if (!replaces && election.resource_name == kube::LeaseNameOf(kReferencesName)) {
    election.resource_name = kube::LeaseNameOf(configuration.profiles.front().scheduler_name);
  }
  ApplyElectionFlags(options, election);
  if (own) ApplyFlagsInsteadOfFile(options, configuration);
  return setup;
}

LiveScheduler::LiveScheduler(const RunOptions& options, const cli::Setup& setup, cli::Connection& connection,
                             cli::Streams& streams)
    : options_(options),
      setup_(setup),
      client_(*connection.client),
      streams_(streams),
      log_(streams.err, options.log_format, options.verbosity) {}

LiveScheduler::~LiveScheduler() = default;

Result<void> LiveScheduler::Create() {
  LiveEngineOptions live;
  live.seed = options_.seed.value_or(std::random_device()());
  live.may_write = [this] { return Leads(); };
  live.failed = [this](const std::string& text) { Log(0, "error: " + text); };
  engine_.emplace(setup_, client_, live);
  SchedulerOptions options{.configuration = setup_.configuration, .features = setup_.features};
  options.record_scores = !options_.record_cycles.empty();
  options.max_in_unschedulable = options_.max_in_unschedulable;
  if (telemetry_) options.observer = &telemetry_->observer();
  LiveEngine::Tap tap;
  if (!options_.record_cycles.empty()) {
    if (auto made = MakeFolder(options_.record_cycles); !made) return made;
    tap = [this](kube::ChangeSink& below) -> kube::ChangeSink& {
      return recorder_.emplace(options_.record_cycles, below);
    };
  }
  if (auto created = engine_->Create(options, engine_->ports(), tap); !created) return created;
  engine_->scheduler().OnBindingEnded([this](const PodInfo& pod, const CycleOutcome& outcome) {
    const bool bound = outcome.result == CycleResult::kScheduled;
    ++(bound ? bound_ : failed_);
    Log(bound ? 2 : 0,
        bound ? fmt::format("pod {} is bound", pod.Key())
              : fmt::format("error: pod {} could not be bound: {}", pod.Key(), outcome.message),
        pod.Key());
  });
  return CreateElector();
}

Result<void> LiveScheduler::CreateElector() {
  const config::LeaderElection& election = setup_.configuration.leader_election;
  if (!election.leader_elect) return {};
  kube::LeaseOptions lease;
  lease.ns = election.resource_namespace;
  lease.name = election.resource_name;
  lease.identity = kube::NewIdentity();
  lease.lease_duration = ToMs(election.lease_duration);
  lease.renew_deadline = ToMs(election.renew_deadline);
  lease.retry_period = ToMs(election.retry_period);
  lease.seed = std::random_device()();
  if (auto checked = kube::CheckLeaseOptions(lease); !checked) return checked;
  kube::LeaseElector::Callbacks callbacks;
  callbacks.on_started_leading = [this] {
    Log(0, "leading");
    took_over_ = true;
  };
  callbacks.on_stopped_leading = [this] { lost_ = true; };
  callbacks.on_new_leader = [this](const std::string& holder) {
    Log(1, holder.empty() ? "nobody leads" : "the leader is " + holder);
  };
  elector_ = std::make_unique<kube::LeaseElector>(client_, steady_, clock_, lease, callbacks);
  return {};
}

int LiveScheduler::Run() {
  for (const std::string& warning : options_.warnings) Log(0, "warning: " + warning);
  if (options_.serving.port != 0) telemetry_.emplace(options_, setup_, steady_, log_);
  auto created = Create();
  if (created && telemetry_) created = telemetry_->Start();
  if (!created) {
    streams_.err << "error: " << created.error().message << '\n';
    return cli::kExitUsage;
  }
  const bool lease_first = elector_ != nullptr && setup_.configuration.delay_cache_until_active;
  if (lease_first) WaitForLease();
  if (WaitForAll() && elector_ != nullptr && !lease_first) elector_->Start();
  while (!Ends() && !failure_) Turn();
  if (lost_) {
    const std::string& why = elector_->last_error();
    streams_.err << "error: the lease is lost: " << (why.empty() ? "another one has it, or time ran out" : why) << '\n';
    return End(cli::kExitCluster);
  }
  Drain();
  if (failure_) streams_.err << "error: --record-cycles: " << failure_->message << '\n';
  return End(failure_ ? cli::kExitUsage : cli::kExitSuccess);
}

bool LiveScheduler::MaySchedule() { return Leads() && !took_over_ && AllIsKnown(); }

// What may not be read is not empty: decisions without it would be wrong. As the reference, `run` waits for the right.
bool LiveScheduler::AllIsKnown() {
  if (!engine_->reflectors().synced()) return false;
  const auto forbidden = engine_->WhatIsForbidden();
  trouble_.TellForbidden(forbidden);
  return forbidden.empty();
}

void LiveScheduler::WaitForLease() {
  elector_->Start();
  while (!took_over_ && !Ends()) {
    client_.Poll(kLongestPoll);
    Publish();
  }
  took_over_ = false;  // what it is going to list is of after that
}

// Watches from now on. False: it ends before all is known.
bool LiveScheduler::WaitForAll() {
  if (Ends()) return false;
  engine_->Start();
  while (!AllIsKnown() && !Ends()) {
    client_.Poll(kLongestPoll);
    trouble_.Tell(engine_->reflectors().statuses());
    Publish();
  }
  ClusterState& state = engine_->state();
  state.TakeSnapshot();
  if (Ends()) return false;
  if (telemetry_) telemetry_->state().synced = true;
  Log(0, fmt::format("the cluster is known: {} nodes, {} pods", state.order().size(), state.pod_store().size()));
  return true;
}

void LiveScheduler::Turn() {
  client_.Poll(engine_->UntilSomethingIsDue(/*cycles=*/MaySchedule()));
  engine_->Tick();
  // What the leader before bound last may not have come yet: a watch may be behind, or wait to be begun again.
  if (std::exchange(took_over_, false)) engine_->reflectors().Relist(*kube::FindResource("", "pods"));
  if (MaySchedule()) RunCycles();
  trouble_.Tell(engine_->reflectors().statuses());
  Publish();
}

void LiveScheduler::Publish() {
  if (!telemetry_) return;
  const std::optional<bool> leads = elector_ == nullptr ? std::nullopt : std::optional(Leads());
  telemetry_->Publish(engine_->scheduler(), engine_->reflectors(), engine_->ledger(), leads);
}

void LiveScheduler::RunCycles() {
  Scheduler& scheduler = engine_->scheduler();
  const TimeNs end = steady_.Now() + kTurnNs;
  while (steady_.Now() < end && !engine_->held_back()) {
    if (recorder_ && scheduler.queue().Ready()) recorder_->Before(scheduler, engine_->volumes());
    const Scheduler::Step step = scheduler.ScheduleOne();
    if (step == Scheduler::Step::kNothing) return;
    if (step != Scheduler::Step::kCycle) continue;
    ++cycles_;
    RecordCycle();
    const CycleRecord& record = scheduler.record();
    if (record.result == CycleResult::kBinding || record.result == CycleResult::kScheduled) continue;
    const std::string pod = engine_->state().pod_store().Get(record.pod).Key();
    Log(2, fmt::format("pod {} gets no node: {}", pod, record.message), pod);
  }
}

void LiveScheduler::RecordCycle() {
  if (!recorder_) return;
  if (auto written = recorder_->Write(engine_->scheduler()); !written) failure_ = std::move(written).error();
}

// What has begun is brought to its end, but for claims that only wait to be bound; then the lease is given back.
void LiveScheduler::Drain() {
  if (telemetry_) telemetry_->Stopping();
  const auto wait = [this](std::chrono::seconds most, const std::function<bool()>& over) {
    const auto end = kube::Timers::SteadyClock::now() + most;
    while (!over() && kube::Timers::SteadyClock::now() < end) {
      client_.Poll(milliseconds(100));
      engine_->Tick();
    }
  };
  engine_->volumes().CancelWaiting();
  wait(kDrainTime, [this] { return !Leads() || !engine_->writing(); });
  wait(kEventsTime, [this] { return !Leads() || !engine_->telling(); });
  if (elector_ == nullptr) return;
  elector_->Stop();
  wait(kReleaseTime, [this] { return elector_->stopped(); });
}

int LiveScheduler::End(int status) {
  if (telemetry_) telemetry_->Stop();
  Log(0, fmt::format("{} cycles, {} pods bound, {} bindings failed", cycles_, bound_, failed_));
  if (recorder_) {
    Log(0, fmt::format("{}: {} cycles are written, {} are left out", options_.record_cycles, recorder_->written(),
                       recorder_->left_out()));
  }
  streams_.err.flush();
  return status;
}

}  // namespace ksched::daemon
