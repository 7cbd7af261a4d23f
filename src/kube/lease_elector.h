// Leader election: of several processes that write one Lease, at most one leads at a time.
//
// Who wants to lead looks at the Lease every retry_period (stretched at random to up to 2.2 times it). When nobody has
// changed it for its whole duration, by the own clock, since it was first seen like that, it is free to be taken: times
// of other machines are never compared. The leader renews it every retry_period. Updates carry the resourceVersion, so
// that of several that write at once one wins.
//
// The leader stops when it could not renew for renew_deadline, or has seen that somebody else holds the Lease, and in
// any case before its lease may be taken: counted from when it sent (not from when it heard back of) its last renewal,
// with a retry_period, or a quarter of the lease if that is less, to spare. leading() asks the clock, so that a process
// which was paused for longer than its lease knows before its timers do.
//
// Reference: client-go tools/leaderelection, v0.37.2. Differences: the leader's time ends as said above (the reference
// counts from the answer, and goes on for renew_deadline after it has seen another holder); a lost Lease is not
// released afterwards; releasing does not touch a Lease that somebody else holds by now. No coordinated elections.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/rng.h"
#include "kube/lease_lock.h"

namespace ksched::kube {

struct LeaseOptions {
  std::string ns = "kube-system", name;
  std::string identity;  // another one for each process (kube/identity.h)
  std::chrono::milliseconds lease_duration{15'000}, renew_deadline{10'000}, retry_period{2'000};
  bool release_on_stop = true;
  uint64_t seed = 0;  // of the stretching
};

// What NewLeaderElector checks; besides, a lease lasts a second at least, since whole ones are written.
Result<void> CheckLeaseOptions(const LeaseOptions& options);

class LeaseElector {
 public:
  // Called within Poll, and within Stop. They may call Stop, but not destroy the elector.
  struct Callbacks {
    std::function<void()> on_started_leading;
    // The last one after each Start: the lease was lost, or Stop is through. Also if it never led.
    std::function<void()> on_stopped_leading;
    std::function<void(const std::string& holder)> on_new_leader;  // "": nobody any more. Absent: nobody cares
  };

  // client and the clocks are borrowed; `steady` is one that nobody sets (kube/boot_clock.h), `wall` gives the times
  // that are written. The options have been checked.
  LeaseElector(HttpClient& client, const Clock& steady, const Clock& wall, LeaseOptions options, Callbacks callbacks);
  ~LeaseElector();  // releases nothing and calls nobody
  LeaseElector(const LeaseElector&) = delete;
  LeaseElector& operator=(const LeaseElector&) = delete;

  // Also again, after it has stopped.
  void Start();
  // From now on it does not lead: whatever needs the lease has to have ended before. A held lease is released first,
  // for renew_deadline at most; then on_stopped_leading is called.
  void Stop();

  // Whether to act as the leader, at this moment.
  bool leading() const { return state_ == State::kLeading && steady_.Now() < LeadsUntil(); }
  bool stopped() const { return state_ == State::kStopped; }
  // Who held the lease when it was seen last; empty: nobody, or it has not been seen.
  const std::string& holder() const { return lock_.holder(); }
  // False when it should have stopped leading more than `tolerance` ago and has not: the event loop hangs.
  bool healthy(std::chrono::milliseconds tolerance) const;
  // Why the last try failed; empty: it did not, or somebody else holds the lease.
  const std::string& last_error() const { return last_error_; }

 private:
  enum class State { kStopped, kAcquiring, kLeading, kReleasing };

  void Try();
  void Tried(const LeaseTry& result);
  void Lead(TimeNs sent);
  void Renew();
  void Renewed(const LeaseTry& result);
  void End();
  TimeNs LeadsUntil() const;
  void WatchTheEnd();
  void Next(std::chrono::milliseconds delay, void (LeaseElector::*what)());
  void ReportHolder();
  void CancelAll();

  HttpClient& client_;
  const Clock& steady_;
  const LeaseOptions options_;
  const Callbacks callbacks_;
  const TimeNs lead_ns_;  // how long a renewal lets it lead
  Rng rng_;
  LeaseLock lock_;
  State state_ = State::kStopped;
  TimeNs try_began_ = 0;
  TimeNs renewed_ = 0;                    // when the last write that won was sent
  std::optional<TimeNs> renewing_since_;  // without success
  std::string last_error_, reported_;
  Timers::Id next_ = 0, end_ = 0;
};

}  // namespace ksched::kube
