// When a watch answers anew.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/rng.h"
#include "kube/backoff.h"

namespace ksched::cli {

// After changes, when the cluster has been quiet for a moment or has not been for too long; and after an answer that
// failed because of the cluster also without any, since what was wrong may be nothing that is watched. Answers take a
// part of the time only.
class AnswerTimes {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // `changes`: how many there have been since the last answer began. To be asked often.
  bool IsTime(uint64_t changes, TimePoint now);
  // `failed`: because of the cluster.
  void Answered(TimePoint start, TimePoint end, bool failed);

 private:
  const kube::BackoffOptions retries_{
      .first = std::chrono::seconds(1), .cap = std::chrono::seconds(30), .reset = std::chrono::hours(1)};
  kube::Backoff backoff_{retries_};
  Rng rng_{0};
  uint64_t seen_ = 0;
  TimePoint first_change_, last_change_, not_before_;
  std::optional<TimePoint> retry_at_;
};

}  // namespace ksched::cli
