// The Lease of a leader election, as one of those who want it sees and writes it: client-go's tryAcquireOrRenew and
// tryRelease (tools/leaderelection, v0.37.2), without blocking.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/clock.h"
#include "kube/lease_object.h"
#include "kube/request_sender.h"

namespace ksched::kube {

struct LeaseName {
  std::string ns = "kube-system", name;
  std::string identity;           // who wants it
  int64_t duration_seconds = 15;  // what is written
};

// How a try ended.
struct LeaseTry {
  bool won = false;
  bool taken = false;  // somebody else holds it, and it has not run out
  std::string why;     // it is neither: what failed
  TimeNs sent = 0;     // won: by the steady clock, when the write was sent that did it
};

class LeaseLock {
 public:
  using Done = std::function<void(const LeaseTry&)>;

  // client and clocks are borrowed; timeout: of each request.
  LeaseLock(HttpClient& client, const Clock& steady, const Clock& wall, LeaseName name,
            std::chrono::milliseconds timeout);

  // One at a time. `done` is called within Poll, and may do everything but destroy the lock.

  // Gets the lease or renews it, unless somebody else holds it. What it says is an update at once if it is ours as far
  // as we know, and a look first if not, or if that fails.
  void Try(Done done);
  // Gives it up if it is ours. won: it is not ours any more.
  void Release(Done done);
  void Cancel();
  // As if it had never been seen.
  void Forget();

  // Who held it when it was seen last; empty: nobody, or it has not been seen.
  const std::string& holder() const { return observed_.holder; }

 private:
  void Look(void (LeaseLock::*then)());
  void Decide();
  void Update(bool look_if_it_fails);
  void Create();
  void GiveUp();
  void Won(std::string lease);
  void End(const LeaseTry& result);
  void Fail(std::string why) { End({.why = std::move(why)}); }

  bool holds() const { return observed_.holder == name_.identity; }
  bool HasRunOut() const;
  LeaseRecord Mine() const;
  Result<void> Observe(std::string lease);
  void Put(const LeaseRecord& record, RequestSender::Done done);
  void Send(HttpRequest request, RequestSender::Done done);
  std::string Path() const;

  const Clock &steady_, &wall_;
  const LeaseName name_;
  const std::chrono::milliseconds timeout_;
  RequestSender sender_;
  RequestSender::Id request_ = 0;
  Done done_;
  std::string lease_;  // as the server sent it last
  LeaseRecord observed_;
  TimeNs observed_at_ = 0;       // when it was first seen like this
  TimeNs began_ = 0, sent_ = 0;  // the try that runs, its last request
};

}  // namespace ksched::kube
