// VirtualClock: time that moves when it is told to, and calls what is due at whole seconds and whole half minutes on
// the way.
#pragma once

#include <functional>
#include <utility>

#include "base/clock.h"

namespace ksched {

class VirtualClock final : public Clock {
 public:
  static constexpr int64_t kLeftoverPeriodNs = 30 * kNsPerSecond;

  TimeNs Now() const override { return now_; }
  // `every_second` comes before `every_30_seconds`.
  void OnTicks(std::function<void()> every_second, std::function<void()> every_30_seconds) {
    every_second_ = std::move(every_second);
    every_30_seconds_ = std::move(every_30_seconds);
  }
  void Advance(int64_t ns) { AdvanceTo(now_ + ns); }
  void AdvanceTo(TimeNs end) {
    for (TimeNs next = NextMultipleOf(kNsPerSecond); next <= end; next += kNsPerSecond) {
      now_ = next;
      if (every_second_) every_second_();
      if (every_30_seconds_ && next % kLeftoverPeriodNs == 0) every_30_seconds_();
    }
    now_ = end;
  }
  TimeNs NextMultipleOf(int64_t period_ns) const { return now_ / period_ns * period_ns + period_ns; }

 private:
  TimeNs now_ = 0;
  std::function<void()> every_second_, every_30_seconds_;
};

}  // namespace ksched
