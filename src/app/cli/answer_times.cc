#include "app/cli/answer_times.h"

namespace ksched::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kQuiet{200}, kLongestWait{2000};
constexpr int kShareOfTime = 4;  // answers take at most one part of so many of the time

}  // namespace

bool AnswerTimes::IsTime(uint64_t changes, TimePoint now) {
  if (changes != seen_) {
    if (seen_ == 0) first_change_ = now;
    seen_ = changes;
    last_change_ = now;
  }
  if (now < not_before_) return false;
  if (retry_at_ && now >= *retry_at_) return true;
  return changes != 0 && (now - last_change_ >= kQuiet || now - first_change_ >= kLongestWait);
}

void AnswerTimes::Answered(TimePoint start, TimePoint end, bool failed) {
  seen_ = 0;
  not_before_ = end + (end - start) * (kShareOfTime - 1);
  if (failed) {
    retry_at_ = end + backoff_.Next(end, rng_);
  } else {
    retry_at_.reset();
    backoff_.Reset();
  }
}

}  // namespace ksched::cli
