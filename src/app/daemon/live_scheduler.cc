#include "app/daemon/live_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <utility>

#include "kube/identity.h"

namespace ksched::daemon {
namespace {

using std::chrono::milliseconds;

constexpr const char* kDefaultName = "ksched";
constexpr const char* kReferencesName = "default-scheduler";
// So long cycles go on before the connection is looked at again.
constexpr TimeNs kTurnNs = 10 * kNsPerMs;
constexpr milliseconds kLongestPoll{1000};
constexpr TimeNs kFlushPeriodNs = 30 * kNsPerSecond;
constexpr std::chrono::seconds kDrainTime{30};

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

}  // namespace

Result<cli::Setup> MakeRunSetup(const RunOptions& options) {
  cli::SimulateOptions like;
  like.config = options.config;
  like.feature_gates = options.feature_gates;
  auto setup = cli::MakeSetup(like);
  if (!setup) return setup;
  config::SchedulerConfiguration& configuration = setup->configuration;
  const bool own = options.config.empty();
  if (own || options.scheduler_name) {
    if (configuration.profiles.size() != 1) return Error{"--scheduler-name: the configuration has several profiles"};
    configuration.profiles.front().scheduler_name = options.scheduler_name.value_or(kDefaultName);
  }
  config::LeaderElection& election = configuration.leader_election;
  if (own && configuration.profiles.front().scheduler_name != kReferencesName) election.resource_name = kDefaultName;
  if (options.resource_name) election.resource_name = *options.resource_name;
  if (options.resource_namespace) election.resource_namespace = *options.resource_namespace;
  if (options.leader_elect) election.leader_elect = *options.leader_elect;
  if (options.lease_duration) election.lease_duration = *options.lease_duration;
  if (options.renew_deadline) election.renew_deadline = *options.renew_deadline;
  if (options.retry_period) election.retry_period = *options.retry_period;
  if (options.qps) configuration.client_connection.qps = static_cast<float>(*options.qps);
  if (options.burst) configuration.client_connection.burst = *options.burst;
  if (options.content_type) configuration.client_connection.content_type = *options.content_type;
  if (options.profiling) configuration.enable_profiling = *options.profiling;
  if (options.contention_profiling) configuration.enable_contention_profiling = options.contention_profiling;
  if (!options.connection.kubeconfig.empty()) {
    configuration.client_connection.kubeconfig = options.connection.kubeconfig;
  }
  return setup;
}

LiveScheduler::LiveScheduler(const RunOptions& options, const cli::Setup& setup, cli::Connection& connection,
                             cli::Streams& streams)
    : options_(options),
      setup_(setup),
      client_(*connection.client),
      streams_(streams),
      log_(streams.err, options.log_format, options.verbosity),
      state_(cli::ResourceFeaturesOf(setup.features)) {}

LiveScheduler::~LiveScheduler() = default;

kube::SenderOptions LiveScheduler::Sender() {
  kube::SenderOptions sender;
  sender.limiter = &*limiter_;
  sender.allowed = [this] { return Leads(); };
  return sender;
}

Result<void> LiveScheduler::Create() {
  const config::ClientConnection& limits = setup_.configuration.client_connection;
  limiter_.emplace(client_.timers(), kube::RateLimit{limits.qps, limits.burst});
  const auto failed = [this](const std::string& text) { Log(0, "error: " + text); };
  const uint64_t seed = options_.seed.value_or(std::random_device()());
  kube::PodWriterOptions writes;
  writes.sender = Sender();
  writes.seed = seed;
  writer_.emplace(client_, clock_, writes);
  kube::BindingWriterOptions bindings;
  bindings.sender = Sender();
  bindings.seed = seed;
  bindings_.emplace(client_, *writer_, bindings);
  kube::EventWriterOptions events;
  events.sender = Sender();
  events.hostname = kube::Hostname();
  events.seed = seed;
  events_.emplace(client_, clock_, events);
  pods_.emplace(*bindings_, *writer_, *events_, failed);
  victims_.emplace(*writer_, *events_, state_, failed);
  volumes_.emplace(client_, Sender());
  Ports ports;
  ports.binder = &*pods_;
  ports.status_writer = &*pods_;
  ports.event_sink = &*pods_;
  ports.evictor = &*victims_;
  ports.volume_writer = &*volumes_;
  SchedulerOptions options{.configuration = setup_.configuration, .features = setup_.features};
  options.tie_seed = seed;
  options.record_scores = !options_.record_cycles.empty();
  options.max_in_unschedulable = options_.max_in_unschedulable;
  if (telemetry_) options.observer = &telemetry_->observer();
  auto scheduler = Scheduler::Create(options, {state_, clock_, setup_.registry, ports});
  if (!scheduler) return std::move(scheduler).error();
  scheduler_ = std::move(*scheduler);
  victims_->set_scheduler(*scheduler_);
  scheduler_->OnBindingEnded([this](const PodInfo& pod, const CycleOutcome& outcome) {
    const bool bound = outcome.result == CycleResult::kScheduled;
    ++(bound ? bound_ : failed_);
    Log(bound ? 2 : 0,
        bound ? fmt::format("pod {} is bound", pod.Key())
              : fmt::format("error: pod {} could not be bound: {}", pod.Key(), outcome.message),
        pod.Key());
  });
  handlers_.emplace(*scheduler_);
  feed_.emplace(state_, *handlers_);
  cluster_.emplace(*feed_);
  if (options_.record_cycles.empty()) {
    ledger_.emplace(*cluster_);
  } else {
    if (auto made = MakeFolder(options_.record_cycles); !made) return made;
    recorder_.emplace(options_.record_cycles, *cluster_);
    ledger_.emplace(*recorder_);
  }
  const auto watches = kube::SchedulerWatches();
  reflectors_.emplace(client_, watches, kube::ReflectorOptions{}, *ledger_);
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
  callbacks.on_started_leading = [this] { Log(0, "leading"); };
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
  reflectors_->Start();
  if (!WaitForAll()) return End(cli::kExitSuccess);
  Log(0, fmt::format("the cluster is known: {} nodes, {} pods", state_.order().size(), state_.pod_store().size()));
  if (elector_ != nullptr) elector_->Start();
  last_flush_ = clock_.Now();
  while (!stop_.requested() && !lost_ && !failure_) Turn();
  if (lost_) {
    streams_.err << "error: the lease is lost: " << elector_->last_error() << '\n';
    return End(cli::kExitCluster);
  }
  Drain();
  if (failure_) streams_.err << "error: --record-cycles: " << failure_->message << '\n';
  return End(failure_ ? cli::kExitUsage : cli::kExitSuccess);
}

bool LiveScheduler::WaitForAll() {
  while (!reflectors_->synced() && !stop_.requested()) {
    client_.Poll(kLongestPoll);
    TellOfTrouble();
  }
  state_.TakeSnapshot();
  if (telemetry_) telemetry_->state().synced = reflectors_->synced();
  return !stop_.requested();
}

void LiveScheduler::Turn() {
  client_.Poll(UntilSomethingIsDue());
  Tick();
  if (Leads()) RunCycles();
  TellOfTrouble();
  Publish();
}

void LiveScheduler::Publish() {
  if (!telemetry_) return;
  const std::optional<bool> leads = elector_ == nullptr ? std::nullopt : std::optional(Leads());
  telemetry_->Publish(*scheduler_, *reflectors_, *ledger_, leads);
}

milliseconds LiveScheduler::UntilSomethingIsDue() const {
  if (Leads() && scheduler_->queue().Ready()) return milliseconds(0);
  const TimeNs now = clock_.Now();
  TimeNs next = (now / kNsPerSecond + 1) * kNsPerSecond;
  if (const auto deadline = scheduler_->waiting_pods().next_deadline()) next = std::min(next, *deadline);
  return std::clamp(milliseconds((next - now) / kNsPerMs + 1), milliseconds(0), kLongestPoll);
}

// What the reference's queue does at every second, and every thirty.
void LiveScheduler::Tick() {
  const TimeNs now = clock_.Now();
  scheduler_->waiting_pods().Expire(now);
  if (const TimeNs second = now / kNsPerSecond; second != last_second_) {
    last_second_ = second;
    scheduler_->queue().FlushBackoff();
  }
  if (now - last_flush_ >= kFlushPeriodNs || now < last_flush_) {
    last_flush_ = now;
    scheduler_->queue().FlushUnschedulableLeftovers();
  }
}

void LiveScheduler::RunCycles() {
  const TimeNs end = steady_.Now() + kTurnNs;
  while (steady_.Now() < end) {
    if (recorder_ && scheduler_->queue().Ready()) recorder_->Before(*scheduler_, *volumes_);
    const Scheduler::Step step = scheduler_->ScheduleOne();
    if (step == Scheduler::Step::kNothing) return;
    if (step != Scheduler::Step::kCycle) continue;
    ++cycles_;
    RecordCycle();
    const CycleRecord& record = scheduler_->record();
    if (record.result == CycleResult::kBinding || record.result == CycleResult::kScheduled) continue;
    const std::string pod = state_.pod_store().Get(record.pod).Key();
    Log(2, fmt::format("pod {} gets no node: {}", pod, record.message), pod);
  }
}

void LiveScheduler::RecordCycle() {
  if (!recorder_) return;
  if (auto written = recorder_->Write(*scheduler_); !written) failure_ = std::move(written).error();
}

// Says what cannot be watched, once until it goes well again.
void LiveScheduler::TellOfTrouble() {
  for (const kube::ReflectorStatus& status : reflectors_->statuses()) {
    uint64_t& told = told_errors_[status.resource];
    if (status.errors > told && !status.watching && status.last_error) {
      Log(0,
          fmt::format("warning: {}: {}: trying again", status.resource->QualifiedName(), status.last_error->message));
      told = UINT64_MAX;
    } else if (told == UINT64_MAX && status.watching) {
      Log(0, fmt::format("{}: watched again", status.resource->QualifiedName()));
      told = status.errors;
    }
  }
}

// What has begun is brought to its end, and then the lease is given back.
void LiveScheduler::Drain() {
  if (telemetry_) telemetry_->Stopping();
  const auto end = kube::Timers::SteadyClock::now() + kDrainTime;
  const auto busy = [this] {
    return scheduler_->num_binding() > 0 || !pods_->idle() || !victims_->idle() || events_->pending() > 0;
  };
  while (Leads() && busy() && kube::Timers::SteadyClock::now() < end) client_.Poll(milliseconds(100));
  if (elector_ == nullptr) return;
  elector_->Stop();
  while (!elector_->stopped() && kube::Timers::SteadyClock::now() < end) client_.Poll(milliseconds(100));
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
