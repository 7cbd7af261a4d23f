#include "kube/lease_elector.h"

#include <algorithm>
#include <utility>

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;

constexpr double kJitter = 1.2;

int64_t WholeSeconds(milliseconds duration) { return std::chrono::floor<std::chrono::seconds>(duration).count(); }

TimeNs Ns(milliseconds duration) { return std::chrono::nanoseconds(duration).count(); }

// What is left of a lease after the time to spare.
TimeNs LeadNs(const LeaseOptions& options) {
  const TimeNs lease = WholeSeconds(options.lease_duration) * kNsPerSecond;
  return lease - std::min(Ns(options.retry_period), lease / 4);
}

milliseconds CeilMs(TimeNs ns) { return milliseconds(std::max<TimeNs>(0, (ns + kNsPerMs - 1) / kNsPerMs)); }

}  // namespace

Result<void> CheckLeaseOptions(const LeaseOptions& options) {
  const auto stretched = static_cast<int64_t>(static_cast<double>(options.retry_period.count()) * kJitter);
  if (options.identity.empty()) return Error{"Lock identity is empty"};
  if (options.lease_duration <= options.renew_deadline) {
    return Error{"leaseDuration must be greater than renewDeadline"};
  }
  if (options.renew_deadline.count() <= stretched) {
    return Error{"renewDeadline must be greater than retryPeriod*JitterFactor"};
  }
  if (options.retry_period.count() < 1) return Error{"retryPeriod must be greater than zero"};
  if (WholeSeconds(options.lease_duration) < 1) return Error{"leaseDuration must be at least one second"};
  return {};
}

LeaseElector::LeaseElector(HttpClient& client, const Clock& steady, const Clock& wall, LeaseOptions options,
                           Callbacks callbacks)
    : client_(client),
      steady_(steady),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      lead_ns_(LeadNs(options_)),
      rng_(options_.seed),
      lock_(client, steady, wall,
            {.ns = options_.ns,
             .name = options_.name,
             .identity = options_.identity,
             .duration_seconds = WholeSeconds(options_.lease_duration)},
            options_.renew_deadline / 2) {}

LeaseElector::~LeaseElector() { CancelAll(); }

void LeaseElector::CancelAll() {
  lock_.Cancel();
  client_.timers().Cancel(std::exchange(next_, 0));
  client_.timers().Cancel(std::exchange(end_, 0));
}

void LeaseElector::Next(milliseconds delay, void (LeaseElector::*what)()) {
  next_ = client_.timers().After(delay, [this, what] {
    next_ = 0;
    (this->*what)();
  });
}

void LeaseElector::Start() {
  if (state_ != State::kStopped) return;
  lock_.Forget();
  reported_.clear();
  state_ = State::kAcquiring;
  Try();
}

void LeaseElector::Try() {
  try_began_ = steady_.Now();
  lock_.Try([this](const LeaseTry& result) {
    last_error_ = result.why;
    return state_ == State::kLeading ? Renewed(result) : Tried(result);
  });
}

void LeaseElector::Tried(const LeaseTry& result) {
  if (result.won && steady_.Now() < result.sent + lead_ns_) return Lead(result.sent);
  const double stretch = static_cast<double>(options_.retry_period.count()) * kJitter * rng_.Fraction();
  Next(options_.retry_period + milliseconds(static_cast<int64_t>(stretch)), &LeaseElector::Try);
  ReportHolder();
}

void LeaseElector::Lead(TimeNs sent) {
  state_ = State::kLeading;
  renewed_ = sent;
  renewing_since_.reset();
  Next(options_.retry_period, &LeaseElector::Renew);
  WatchTheEnd();
  ReportHolder();
  if (state_ == State::kLeading) callbacks_.on_started_leading();
}

void LeaseElector::Renew() {
  if (steady_.Now() >= LeadsUntil()) return End();
  renewing_since_ = steady_.Now();
  WatchTheEnd();
  Try();
}

void LeaseElector::Renewed(const LeaseTry& result) {
  if (result.taken || steady_.Now() >= LeadsUntil()) return End();
  if (result.won) {
    renewed_ = result.sent;
    renewing_since_.reset();
    Next(options_.retry_period, &LeaseElector::Renew);
    WatchTheEnd();
  } else {
    Next(CeilMs(try_began_ + Ns(options_.retry_period) - steady_.Now()), &LeaseElector::Try);
  }
  ReportHolder();
}

TimeNs LeaseElector::LeadsUntil() const {
  const TimeNs end = renewed_ + lead_ns_;
  return renewing_since_ ? std::min(end, *renewing_since_ + Ns(options_.renew_deadline)) : end;
}

void LeaseElector::WatchTheEnd() {
  client_.timers().Cancel(end_);
  end_ = client_.timers().After(CeilMs(LeadsUntil() - steady_.Now()), [this] {
    end_ = 0;
    if (steady_.Now() >= LeadsUntil()) return End();
    WatchTheEnd();
  });
}

void LeaseElector::Stop() {
  if (state_ == State::kStopped || state_ == State::kReleasing) return;
  const bool release = leading() && options_.release_on_stop;
  CancelAll();
  if (!release) return End();
  state_ = State::kReleasing;
  end_ = client_.timers().After(options_.renew_deadline, [this] { End(); });
  lock_.Release([this](const LeaseTry& result) {
    last_error_ = result.why;
    End();
  });
}

void LeaseElector::End() {
  CancelAll();
  state_ = State::kStopped;
  ReportHolder();
  callbacks_.on_stopped_leading();
}

bool LeaseElector::healthy(milliseconds tolerance) const {
  return state_ != State::kLeading || steady_.Now() <= LeadsUntil() + Ns(tolerance);
}

void LeaseElector::ReportHolder() {
  if (reported_ == holder()) return;
  reported_ = holder();
  if (callbacks_.on_new_leader) callbacks_.on_new_leader(reported_);
}

}  // namespace ksched::kube
