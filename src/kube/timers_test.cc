#include "kube/timers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kEnd = Timers::SteadyClock::time_point::max();

class TimersTest : public testing::Test {
 protected:
  Timers::Id After(int ms, int who) {
    return timers_.After(milliseconds(ms), [this, who] { called_.push_back(who); });
  }

  Timers timers_;
  std::vector<int> called_;
};

TEST_F(TimersTest, InTheOrderInWhichTheyAreDue) {
  After(30'000, 3);
  After(10'000, 1);
  After(20'000, 2);
  const auto now = Timers::SteadyClock::now();
  EXPECT_FALSE(timers_.RunDue(now));
  ASSERT_TRUE(timers_.next());
  EXPECT_LE(*timers_.next(), now + milliseconds(10'000));
  EXPECT_TRUE(timers_.RunDue(now + milliseconds(25'000)));
  EXPECT_THAT(called_, ElementsAre(1, 2));
  EXPECT_TRUE(timers_.RunDue(kEnd));
  EXPECT_THAT(called_, ElementsAre(1, 2, 3));
  EXPECT_FALSE(timers_.next());
}

TEST_F(TimersTest, CancelledOnesAreNotCalled) {
  const Timers::Id first = After(1, 1);
  timers_.Cancel(first);
  timers_.Cancel(first);
  timers_.Cancel(0);
  EXPECT_FALSE(timers_.next());
  Timers::Id later = 0;
  timers_.After(milliseconds(1), [&] { timers_.Cancel(later); });
  later = After(2, 2);
  EXPECT_TRUE(timers_.RunDue(kEnd));
  EXPECT_THAT(called_, IsEmpty());
  EXPECT_FALSE(timers_.next());
}

TEST_F(TimersTest, WhatIsStartedAnewWaitsForTheNextRound) {
  timers_.After(milliseconds(0), [this] { After(0, 1); });
  EXPECT_TRUE(timers_.RunDue(kEnd));
  EXPECT_THAT(called_, IsEmpty());
  EXPECT_TRUE(timers_.RunDue(kEnd));
  EXPECT_THAT(called_, ElementsAre(1));
}

}  // namespace
}  // namespace ksched::kube
