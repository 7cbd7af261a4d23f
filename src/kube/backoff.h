// How long to wait after failures that follow each other: client-go's wait.Backoff with DelayWithReset.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/rng.h"

namespace ksched::kube {

struct BackoffOptions {
  std::chrono::milliseconds first{800}, cap{30'000};  // doubling; each wait is stretched at random, to less than twice
  std::chrono::milliseconds reset{120'000};           // after so long without a failure it begins anew
};

class Backoff {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // `options` is borrowed.
  explicit Backoff(const BackoffOptions& options) : options_(options) {}

  // After a failure at `now`.
  std::chrono::milliseconds Next(TimePoint now, Rng& rng) {
    if (new_ || now - last_ >= options_.reset) next_ = options_.first;
    new_ = false;
    last_ = now;
    const std::chrono::milliseconds wait = std::min(next_, options_.cap);
    next_ = std::min(next_ * 2, options_.cap);
    return wait + std::chrono::milliseconds(static_cast<int64_t>(static_cast<double>(wait.count()) * rng.Fraction()));
  }
  void Reset() { new_ = true; }

 private:
  const BackoffOptions& options_;
  bool new_ = true;
  TimePoint last_;
  std::chrono::milliseconds next_{0};
};

}  // namespace ksched::kube
