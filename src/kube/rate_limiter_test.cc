#include "kube/rate_limiter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

// Timers that are all due at once, and a time that passes when the test says so.
class RateLimiterTest : public testing::Test {
 protected:
  RateLimiter Make(const RateLimit& limit) {
    return RateLimiter(timers_, limit, [this] { return now_; });
  }
  RateLimiter::Id Ask(RateLimiter& limiter, int who) {
    return limiter.Acquire([this, who] { called_.push_back(who); });
  }
  void Pass(milliseconds time) {
    now_ += time;
    timers_.RunDue(Timers::SteadyClock::time_point::max());
  }

  Timers timers_;
  RateLimiter::TimePoint now_{};
  std::vector<int> called_;
};

TEST_F(RateLimiterTest, ABurstPassesAtOnceAndTheRestAtTheRate) {
  RateLimiter limiter = Make({.qps = 10, .burst = 3});
  for (int i = 0; i < 6; ++i) Ask(limiter, i);
  EXPECT_THAT(called_, ElementsAre(0, 1, 2));
  Pass(milliseconds(99));
  EXPECT_EQ(called_.size(), 3U);
  Pass(milliseconds(1));
  EXPECT_THAT(called_, ElementsAre(0, 1, 2, 3));
  Pass(milliseconds(200));
  EXPECT_THAT(called_, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_FALSE(timers_.next());
}

TEST_F(RateLimiterTest, UrgentOnesComeFirst) {
  RateLimiter limiter = Make({.qps = 10, .burst = 1});
  for (int i = 0; i < 3; ++i) Ask(limiter, i);
  const auto urgent = [&](int who) { return limiter.Acquire([this, who] { called_.push_back(who); }, true); };
  urgent(10);
  limiter.Cancel(urgent(11));
  urgent(12);
  EXPECT_EQ(limiter.waiting(), 4U);
  Pass(milliseconds(400));
  EXPECT_THAT(called_, ElementsAre(0, 10, 12, 1, 2));
}

TEST_F(RateLimiterTest, TheBucketHoldsNoMoreThanABurst) {
  RateLimiter limiter = Make({.qps = 100, .burst = 2});
  Pass(std::chrono::hours(1));
  for (int i = 0; i < 4; ++i) Ask(limiter, i);
  EXPECT_THAT(called_, ElementsAre(0, 1));
}

TEST_F(RateLimiterTest, WhatCameWhileSomebodyWaitsIsNotLost) {
  RateLimiter limiter = Make({.qps = 1000, .burst = 1});
  for (int i = 0; i < 10; ++i) Ask(limiter, i);
  Pass(milliseconds(9));  // the loop was busy
  EXPECT_EQ(called_.size(), 10U);
  Ask(limiter, 10);  // but no token beyond those
  EXPECT_EQ(called_.size(), 10U);
}

TEST_F(RateLimiterTest, WhoGivesUpLeavesTheTurnToTheNext) {
  RateLimiter limiter = Make({.qps = 10, .burst = 1});
  EXPECT_EQ(Ask(limiter, 0), 0U);
  const RateLimiter::Id second = Ask(limiter, 1);
  Ask(limiter, 2);
  limiter.Cancel(second);
  limiter.Cancel(0);
  EXPECT_EQ(limiter.waiting(), 1U);
  Pass(milliseconds(100));
  EXPECT_THAT(called_, ElementsAre(0, 2));
}

TEST_F(RateLimiterTest, NobodyOvertakes) {
  RateLimiter limiter = Make({.qps = 10, .burst = 1});
  Ask(limiter, 0);
  Ask(limiter, 1);
  now_ += milliseconds(100);  // a token is there, but the timer has not run
  Ask(limiter, 2);
  EXPECT_THAT(called_, ElementsAre(0));
  Pass(milliseconds(0));
  EXPECT_THAT(called_, ElementsAre(0, 1));
}

TEST_F(RateLimiterTest, WhoIsCalledMayAskAndCancel) {
  RateLimiter limiter = Make({.qps = 10, .burst = 1});
  Ask(limiter, 0);
  RateLimiter::Id third = 0;
  limiter.Acquire([&] {
    limiter.Cancel(third);
    Ask(limiter, 3);
  });
  third = Ask(limiter, 2);
  Pass(milliseconds(500));  // for both of those who wait, and one in the bucket
  EXPECT_THAT(called_, ElementsAre(0, 3));
}

TEST_F(RateLimiterTest, LimitsAsConfigured) {
  RateLimiter none = Make({.qps = -1, .burst = 1});
  for (int i = 0; i < 1000; ++i) Ask(none, i);
  EXPECT_EQ(called_.size(), 1000U);
  called_.clear();
  RateLimiter usual = Make({});  // 5 a second, 10 at once
  for (int i = 0; i < 20; ++i) Ask(usual, i);
  EXPECT_EQ(called_.size(), 10U);
  Pass(milliseconds(1000));
  EXPECT_EQ(called_.size(), 15U);
}

TEST_F(RateLimiterTest, MayGoWhileSomebodyWaits) {
  {
    RateLimiter limiter = Make({.qps = 1, .burst = 1});
    Ask(limiter, 0);
    Ask(limiter, 1);
  }
  EXPECT_FALSE(timers_.next());
  EXPECT_THAT(called_, ElementsAre(0));
}

}  // namespace
}  // namespace ksched::kube
