#include "kube/watch_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ksched::kube {
namespace {

using testing::HasSubstr;

class Deaf final : public ChangeSink {
 public:
  Result<void> OnAdd(const WatchedObject&, const api::ObjectHead&) override { return {}; }
  Result<void> OnUpdate(const WatchedObject&, const api::ObjectHead&) override { return {}; }
  void OnRemove(const Resource&, std::string_view, std::string_view) override {}
};

class WatchMetricsTest : public testing::Test {
 protected:
  WatchMetricsTest() : statuses_(2) {
    statuses_[0].resource = FindResource("", "pods");
    statuses_[1].resource = FindResource("apps", "replicasets");
    for (ReflectorStatus& status : statuses_) {
      status.synced = status.watching = true;
      status.last_event = now_ - std::chrono::seconds(30);
    }
    statuses_[0].events = 1234567;
  }
  std::chrono::steady_clock::time_point now_{std::chrono::hours(10)};
  std::vector<ReflectorStatus> statuses_;
  Deaf deaf_;
  ChangeLedger ledger_{deaf_};
};

TEST_F(WatchMetricsTest, EveryResourceHasALine) {
  const std::string text = WatchMetrics(statuses_, ledger_, now_);
  EXPECT_THAT(text, HasSubstr("# TYPE ksched_watch_events_total counter\n"
                              "ksched_watch_events_total{resource=\"pods\"} 1234567\n"
                              "ksched_watch_events_total{resource=\"replicasets.apps\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("ksched_watch_last_event_age_seconds{resource=\"pods\"} 30\n"));
  EXPECT_THAT(text, HasSubstr("ksched_watch_synced{resource=\"pods\"} 1\n"));
}

TEST_F(WatchMetricsTest, ReadyWhenEverythingIsListedAndNothingIsOld) {
  EXPECT_EQ(NotReady(statuses_, std::chrono::seconds(60), now_), "");
  EXPECT_EQ(NotReady(statuses_, std::chrono::seconds(20), now_), "pods: nothing heard for 30 s");
  statuses_[0].absent = Absence::kForbidden;
  EXPECT_EQ(NotReady(statuses_, std::chrono::seconds(20), now_), "replicasets.apps: nothing heard for 30 s");
  statuses_[1].synced = false;
  EXPECT_EQ(NotReady(statuses_, std::chrono::seconds(60), now_), "replicasets.apps not listed yet");
}

}  // namespace
}  // namespace ksched::kube
