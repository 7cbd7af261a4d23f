// A clock that nobody sets, and that goes on while the host is suspended: for what has to have ended by a time,
// whatever happens to the clock on the wall.
#pragma once

#include <ctime>

#include "base/clock.h"

namespace ksched::kube {

class BootClock final : public Clock {
 public:
  TimeNs Now() const override {
#ifdef CLOCK_BOOTTIME
    constexpr clockid_t kClock = CLOCK_BOOTTIME;
#else
    constexpr clockid_t kClock = CLOCK_MONOTONIC;  // of macOS, which counts time asleep, too
#endif
    timespec now{};
    clock_gettime(kClock, &now);
    return now.tv_sec * kNsPerSecond + now.tv_nsec;
  }
};

}  // namespace ksched::kube
