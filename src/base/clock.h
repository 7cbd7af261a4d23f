// Time for the engine. Everything that asks for the time gets a Clock passed in: the real one, or a virtual one.
#pragma once

#include <chrono>
#include <cstdint>

namespace ksched {

// Nanoseconds since the Unix epoch (of a virtual clock: since its start).
using TimeNs = int64_t;
inline constexpr int64_t kNsPerUs = 1'000;
inline constexpr int64_t kNsPerMs = 1'000'000;
inline constexpr int64_t kNsPerSecond = 1'000'000'000;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimeNs Now() const = 0;
};

class SystemClock final : public Clock {
 public:
  TimeNs Now() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace ksched
