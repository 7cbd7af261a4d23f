#include "queue/backoff_queue.h"

#include <deque>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "queue/queue_test_support.h"

namespace ksched {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kSecond = kNsPerSecond;

TEST(BackoffDuration, Table) {
  struct Row {
    const char* name;
    int64_t initial, max;
    uint32_t count;
    int64_t duration;
  };
  const Row rows[] = {
      {"no failure", kSecond, 10 * kSecond, 0, 0},
      {"first", kSecond, 10 * kSecond, 1, kSecond},
      {"second", kSecond, 10 * kSecond, 2, 2 * kSecond},
      {"fourth", kSecond, 10 * kSecond, 4, 8 * kSecond},
      {"capped", kSecond, 10 * kSecond, 5, 10 * kSecond},
      {"stays capped", kSecond, 10 * kSecond, 16, 10 * kSecond},
      {"no overflow at 64", kSecond, 10 * kSecond, 64, 10 * kSecond},
      {"no overflow far on", kSecond, 10 * kSecond, 100'000, 10 * kSecond},
      {"the largest maximum", kSecond, std::numeric_limits<int64_t>::max(), 34, kSecond << 33},
      {"initial above the maximum", 20 * kSecond, 10 * kSecond, 1, 10 * kSecond},
      {"no initial", 0, 10 * kSecond, 100, 0},
  };
  for (const Row& row : rows) {
    ManualClock clock;
    TestQueueSort sort;
    const BackoffQueue queue(clock, {.initial_backoff_ns = row.initial, .max_backoff_ns = row.max}, sort);
    EXPECT_EQ(queue.BackoffDuration(row.count), row.duration) << row.name;
  }
}

TEST(BackoffTime, Table) {
  struct Row {
    const char* name;
    bool gate;
    int64_t max;
    uint32_t unschedulable, errors;
    TimeNs expected;
  };
  const TimeNs timestamp = 5 * kSecond + 700 * kNsPerMs;
  const Row rows[] = {
      {"never failed", true, 10 * kSecond, 0, 0, kNoTime},
      {"rounded down to a second", true, 10 * kSecond, 1, 0, 6 * kSecond},
      {"doubled", true, 10 * kSecond, 3, 0, 9 * kSecond},
      {"errors count alone", true, 10 * kSecond, 3, 1, 6 * kSecond},
      {"errors without a rejection", true, 10 * kSecond, 0, 2, 7 * kSecond},
      {"maximum", true, 10 * kSecond, 30, 0, 15 * kSecond},
      {"no backoff", true, 0, 3, 0, kNoTime},
      {"exact without the gate", false, 10 * kSecond, 1, 0, timestamp + kSecond},
  };
  for (const Row& row : rows) {
    ManualClock clock;
    TestQueueSort sort;
    const BackoffQueue queue(clock, {.max_backoff_ns = row.max, .pop_from_backoff_q = row.gate}, sort);
    QueuedPodInfo info;
    info.timestamp = timestamp;
    info.unschedulable_count = row.unschedulable;
    info.consecutive_errors_count = row.errors;
    EXPECT_EQ(queue.BackoffTime(info), row.expected) << row.name;
  }
}

TEST(IsBackingOff, UntilTheSecondOfTheExpiryIsOver) {
  for (bool gate : {true, false}) {
    ManualClock clock;
    TestQueueSort sort;
    const BackoffQueue queue(clock, {.pop_from_backoff_q = gate}, sort);
    QueuedPodInfo info;
    info.timestamp = 300 * kNsPerMs;
    info.unschedulable_count = 1;
    clock.now = 1300 * kNsPerMs;
    EXPECT_TRUE(queue.IsBackingOff(info)) << gate;
    clock.now = 1301 * kNsPerMs;
    EXPECT_EQ(queue.IsBackingOff(info), gate);
    clock.now = 1999 * kNsPerMs;
    EXPECT_EQ(queue.IsBackingOff(info), gate);
    clock.now = 2 * kSecond;
    EXPECT_FALSE(queue.IsBackingOff(info)) << gate;
  }
}

class BackoffOrder : public ::testing::Test {
 protected:
  QueuedPodInfo& Make(const char* name, int64_t timestamp_ms, int32_t priority, bool error = false) {
    PodInfo& pod = pods_.emplace_back();
    auto facts = std::make_shared<PodFacts>();
    facts->name = name;
    pod.facts = std::move(facts);
    QueuedPodInfo& info = infos_.emplace_back();
    info.pod = &pod;
    info.timestamp = timestamp_ms * kNsPerMs;
    info.links.priority = priority;
    (error ? info.consecutive_errors_count : info.unschedulable_count) = 1;
    if (!error) info.unschedulable_plugins.Insert(kFit);
    return info;
  }
  std::vector<std::string> Completed(BackoffQueue& queue) {
    std::vector<std::string> names;
    while (QueuedPodInfo* info = queue.PopCompleted()) names.push_back(info->pod->name());
    return names;
  }

  std::deque<PodInfo> pods_;
  std::deque<QueuedPodInfo> infos_;
  ManualClock clock_;
  TestQueueSort sort_;
};

TEST_F(BackoffOrder, PodsOfOneSecondAreOrderedByPriority) {
  BackoffQueue queue(clock_, {}, sort_);
  queue.Add(Make("early low", 100, 1));
  queue.Add(Make("late low", 900, 1));
  queue.Add(Make("late high", 950, 5));
  queue.Add(Make("next second", 1000, 9));
  EXPECT_EQ(queue.Pop().pod->name(), "late high");
  EXPECT_EQ(queue.Pop().pod->name(), "early low");
  EXPECT_EQ(queue.Pop().pod->name(), "late low");
  EXPECT_EQ(queue.Pop().pod->name(), "next second");
}

TEST_F(BackoffOrder, WithoutTheGateByExpiryAlone) {
  BackoffQueue queue(clock_, {.pop_from_backoff_q = false}, sort_);
  queue.Add(Make("early low", 100, 1));
  queue.Add(Make("late high", 950, 5));
  clock_.now = 1101 * kNsPerMs;
  EXPECT_THAT(Completed(queue), ElementsAre("early low"));
  clock_.now = 1951 * kNsPerMs;
  EXPECT_THAT(Completed(queue), ElementsAre("late high"));
}

TEST_F(BackoffOrder, CompletedPodsLeaveErrorsLast) {
  BackoffQueue queue(clock_, {}, sort_);
  queue.Add(Make("error", 0, 9, true));
  queue.Add(Make("low", 100, 1));
  queue.Add(Make("high", 200, 2));
  queue.Add(Make("later", 1000, 9));
  queue.Add(Make("later error", 1100, 9, true));
  EXPECT_EQ(queue.size(), 3);
  EXPECT_EQ(queue.error_size(), 2);
  clock_.now = 2 * kSecond - 1;
  EXPECT_THAT(Completed(queue), ElementsAre());
  clock_.now = 2 * kSecond;
  EXPECT_THAT(Completed(queue), ElementsAre("high", "low", "error"));
  EXPECT_EQ(queue.size(), 1);
  EXPECT_EQ(queue.error_size(), 1);
}

TEST_F(BackoffOrder, FixPutsAPodWhereItsNewPriorityBelongs) {
  BackoffQueue queue(clock_, {}, sort_);
  QueuedPodInfo& low = Make("low", 100, 1);
  queue.Add(low);
  queue.Add(Make("high", 200, 5));
  low.links.priority = 7;
  queue.Fix(low);
  EXPECT_EQ(queue.Pop().pod->name(), "low");
}

TEST_F(BackoffOrder, AddAgainMovesBetweenTheTwo) {
  BackoffQueue queue(clock_, {}, sort_);
  QueuedPodInfo& info = Make("p", 100, 1);
  queue.Add(info);
  info.ClearRejectors();
  queue.Add(info);
  EXPECT_EQ(queue.size(), 0);
  EXPECT_EQ(queue.error_size(), 1);
  info.pending_plugins.Insert(kDevices);
  queue.Add(info);
  EXPECT_EQ(queue.size(), 1);
  EXPECT_EQ(queue.error_size(), 0);
  EXPECT_TRUE(queue.Remove(info));
  EXPECT_FALSE(queue.Remove(info));
  EXPECT_FALSE(BackoffQueue::Has(info));
}

}  // namespace
}  // namespace ksched
