// Lets so many requests pass in a second and no more: the token bucket of client-go (flowcontrol's
// NewTokenBucketRateLimiter, rest's defaults), in the event loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "kube/timers.h"

namespace ksched::kube {

// As a configuration's clientConnection says it: qps below 0: no limit; 0: 5. burst 0: 10.
struct RateLimit {
  double qps = 0;
  int burst = 0;
};

class RateLimiter {
 public:
  using TimePoint = Timers::SteadyClock::time_point;
  using Now = std::function<TimePoint()>;
  using Id = uint64_t;  // never 0

  // `timers` is borrowed. The bucket is full at first.
  RateLimiter(Timers& timers, const RateLimit& limit, Now now = Timers::SteadyClock::now);
  ~RateLimiter();  // who waits hears nothing
  RateLimiter(const RateLimiter&) = delete;
  RateLimiter& operator=(const RateLimiter&) = delete;

  // `call` once, when there is a token for it: at once, within Acquire, if there is one and nobody waits; else later,
  // in the order of the Acquires. 0 if it was called at once. It may Acquire and Cancel, but not destroy the limiter.
  // Urgent ones come before all others.
  Id Acquire(std::function<void()> call, bool urgent = false);
  // It is not called, and leaves its token to the next. Ids that were called are fine, and so is 0.
  void Cancel(Id id);

  size_t waiting() const { return urgent_.size() + waiting_.size(); }

 private:
  void Refill();
  void Release();  // calls those that there are tokens for
  void Arm();

  Timers& timers_;
  const bool limited_;
  const double qps_, burst_;
  const Now now_;
  double tokens_;
  TimePoint refilled_;
  using Line = std::deque<std::pair<Id, std::function<void()>>>;
  Line urgent_, waiting_;
  Id last_id_ = 0;
  Timers::Id timer_ = 0;
};

}  // namespace ksched::kube
