#include "kube/rate_limiter.h"

#include <algorithm>
#include <cmath>

namespace ksched::kube {
namespace {

constexpr double kDefaultQps = 5;
constexpr int kDefaultBurst = 10;

// Half a nanosecond of tokens at any sensible rate: what rounding takes away.
constexpr double kRounding = 1e-6;

}  // namespace

RateLimiter::RateLimiter(Timers& timers, const RateLimit& limit, Now now)
    : timers_(timers),
      limited_(limit.qps >= 0),
      qps_(limit.qps == 0 ? kDefaultQps : limit.qps),
      burst_(std::max(limit.burst == 0 ? kDefaultBurst : limit.burst, 1)),
      now_(std::move(now)),
      tokens_(burst_),
      refilled_(now_()) {}

RateLimiter::~RateLimiter() { timers_.Cancel(timer_); }

// Who waits has reserved a token, which does not count against what the bucket holds.
void RateLimiter::Refill() {
  const TimePoint now = now_();
  const double seconds = std::chrono::duration<double>(now - refilled_).count();
  refilled_ = now;
  tokens_ = std::min(tokens_ + seconds * qps_, burst_ + static_cast<double>(waiting()));
}

RateLimiter::Id RateLimiter::Acquire(std::function<void()> call, bool urgent) {
  if (limited_) Refill();
  if (!limited_ || (waiting() == 0 && tokens_ >= 1 - kRounding)) {
    if (limited_) tokens_ -= 1;
    call();
    return 0;
  }
  (urgent ? urgent_ : waiting_).emplace_back(++last_id_, std::move(call));
  if (timer_ == 0) Arm();
  return last_id_;
}

void RateLimiter::Cancel(Id id) {
  for (Line* line : {&urgent_, &waiting_}) {
    std::erase_if(*line, [id](const auto& waiter) { return waiter.first == id; });
  }
}

void RateLimiter::Arm() {
  const double seconds = std::max(0.0, 1 - tokens_) / qps_;
  // A rate of one in years is none that timers have to know.
  const double ms = std::clamp(std::ceil(seconds * 1e3), 1.0, 3.6e6);
  timer_ = timers_.After(std::chrono::milliseconds(static_cast<int64_t>(ms)), [this] { Release(); });
}

void RateLimiter::Release() {
  timer_ = 0;
  Refill();
  while (waiting() > 0 && tokens_ >= 1 - kRounding) {
    tokens_ -= 1;
    Line& line = urgent_.empty() ? waiting_ : urgent_;
    const std::function<void()> call = std::move(line.front().second);
    line.pop_front();
    call();
  }
  if (waiting() > 0 && timer_ == 0) Arm();
}

}  // namespace ksched::kube
