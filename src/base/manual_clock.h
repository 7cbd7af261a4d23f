// For tests: a clock that is set by hand.
#pragma once

#include "base/clock.h"

namespace ksched {

class ManualClock final : public Clock {
 public:
  TimeNs Now() const override { return now; }
  void AdvanceMs(int64_t ms) { now += ms * kNsPerMs; }
  TimeNs now = 0;
};

}  // namespace ksched
