#include "app/daemon/live_engine.h"

#include <algorithm>
#include <utility>

#include "kube/identity.h"

namespace ksched::daemon {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestPoll{1000};
// A kind that is not there, or not for us, is asked for again that soon at first: who schedules waits for it, and an
// API server that has just started says so of what it will have.
constexpr milliseconds kAbsentRetry{2000};
constexpr TimeNs kFlushPeriodNs = 30 * kNsPerSecond;

kube::RateLimit LimitOf(const config::ClientConnection& connection) { return {connection.qps, connection.burst}; }

kube::SenderOptions SenderOf(const LiveEngineOptions& options, kube::RateLimiter& limiter) {
  kube::SenderOptions sender;
  sender.limiter = &limiter;
  sender.allowed = options.may_write;
  return sender;
}

kube::PodWriterOptions WriterOf(const LiveEngineOptions& options, kube::RateLimiter& limiter) {
  kube::PodWriterOptions writes;
  writes.sender = SenderOf(options, limiter);
  writes.dry_run = options.dry_run;
  writes.seed = options.seed;
  return writes;
}

kube::BindingWriterOptions BindingsOf(const LiveEngineOptions& options, kube::RateLimiter& limiter) {
  kube::BindingWriterOptions bindings;
  bindings.sender = kube::Urgent(SenderOf(options, limiter));
  bindings.seed = options.seed;
  return bindings;
}

kube::EventWriterOptions EventsOf(const LiveEngineOptions& options, kube::RateLimiter& limiter) {
  kube::EventWriterOptions events;
  events.sender = SenderOf(options, limiter);
  events.hostname = kube::Hostname();
  events.seed = options.seed;
  return events;
}

}  // namespace

LiveEngine::LiveEngine(const cli::Setup& setup, kube::HttpClient& client, const LiveEngineOptions& options)
    : setup_(setup),
      client_(client),
      options_(options),
      state_(cli::ResourceFeaturesOf(setup.features)),
      limiter_(client.timers(), LimitOf(setup.configuration.client_connection)),
      event_limiter_(client.timers(), LimitOf(setup.configuration.client_connection)),
      writer_(client, clock_, WriterOf(options, limiter_)),
      bindings_(client, writer_, BindingsOf(options, limiter_)),
      events_(client, clock_, EventsOf(options, event_limiter_)),
      pods_(bindings_, writer_, events_, options.failed),
      victims_(writer_, events_, state_, options.failed),
      volumes_(client, kube::Urgent(SenderOf(options, limiter_))) {}

LiveEngine::~LiveEngine() = default;

Ports LiveEngine::ports() {
  Ports ports;
  ports.binder = &pods_;
  ports.status_writer = &pods_;
  ports.event_sink = &pods_;
  ports.evictor = &victims_;
  ports.volume_writer = &volumes_;
  return ports;
}

Result<void> LiveEngine::Create(SchedulerOptions options, const Ports& ports, const Tap& tap) {
  options.tie_seed = options_.seed;
  auto scheduler = Scheduler::Create(options, {state_, clock_, setup_.registry, ports});
  if (!scheduler) return std::move(scheduler).error();
  scheduler_ = std::move(*scheduler);
  victims_.set_scheduler(*scheduler_);
  handlers_.emplace(*scheduler_);
  feed_.emplace(state_, *handlers_);
  cluster_.emplace(*feed_);
  ledger_.emplace(tap ? tap(*cluster_) : *cluster_);
  auto watches = kube::SchedulerWatches();
  watches.insert(watches.end(), options_.also_watched.begin(), options_.also_watched.end());
  kube::ReflectorOptions reflecting;
  reflecting.absent_backoff.first = kAbsentRetry;
  reflectors_.emplace(client_, watches, reflecting, *ledger_);
  last_flush_ = clock_.Now();
  return {};
}

milliseconds LiveEngine::UntilSomethingIsDue(bool cycles) const {
  if (cycles && !held_back() && scheduler_->queue().Ready()) return milliseconds(0);
  const TimeNs now = clock_.Now();
  TimeNs next = (now / kNsPerSecond + 1) * kNsPerSecond;
  if (const auto deadline = scheduler_->waiting_pods().next_deadline()) next = std::min(next, *deadline);
  return std::clamp(milliseconds((next - now) / kNsPerMs + 1), milliseconds(0), kLongestPoll);
}

void LiveEngine::Tick() {
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

std::vector<const kube::ReflectorStatus*> LiveEngine::WhatIsForbidden() const {
  std::vector<const kube::ReflectorStatus*> missing;
  for (const kube::ReflectorStatus& status : reflectors_->statuses()) {
    const bool core = status.resource->group.empty();
    if (status.absent == kube::Absence::kForbidden || (core && status.absent == kube::Absence::kNotFound)) {
      missing.push_back(&status);
    }
  }
  return missing;
}

bool LiveEngine::writing() const { return scheduler_->num_binding() > 0 || !pods_.idle() || !victims_.idle(); }

}  // namespace ksched::daemon
