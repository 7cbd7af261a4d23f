#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/rollout_bounds.h"
#include "controllers/testing.h"

namespace ksched::controllers {
namespace {

TEST(ReplicaSet, Steps) {
  for (const std::string kind : {"ReplicaSet", "ReplicationController"}) {
    SCOPED_TRACE(kind);
    api::Workload desired = WorkloadOf(kind, 3), live = desired;
    live.metadata.uid = "uid-web";
    Request request;
    request.desired = &desired;
    EXPECT_EQ(Play(request).All(), "create web-0 web-1 web-2");
    request.is_taken = [](const std::string& name) { return name == "web-1"; };
    EXPECT_EQ(Play(request).All(), "create web-0 web-2 web-3");
    request.existing.workload = &live;
    request.existing.pods = {PodOf(kind, "web", "a"), Pending(PodOf(kind, "web", "b")), PodOf(kind, "other", "c")};
    request.template_changed = true;  // for new pods only
    EXPECT_EQ(Play(request).All(), "create web-0");
    desired.replicas = 1;
    EXPECT_EQ(Play(request).All(), "remove b");
    live.metadata.deletion_timestamp = 1;
    desired.replicas = 3;
    EXPECT_EQ(Play(request).All(), "") << "it is being deleted";
  }
}

TEST(ReplicaSet, PodsThatGoByThemselvesAreReplaced) {
  const api::Workload desired = WorkloadOf("ReplicaSet", 2);
  Request request;
  request.desired = &desired;
  Play play(request);
  EXPECT_EQ(play.All(), "create web-0 web-1");
  play.controller().PodGone("web-0");
  EXPECT_EQ(play.All(), "create web-2");
  play.controller().PodGone("unknown");
  EXPECT_EQ(play.All(), "");
}

TEST(RolloutBounds, Values) {
  struct Row {
    const char* text;
    int32_t total;
    bool round_up;
    int32_t expected;
  };
  for (const Row& row : {Row{"25%", 10, true, 3}, Row{"25%", 10, false, 2}, Row{"0%", 10, true, 0},
                         Row{"100%", 7, false, 7}, Row{"1%", 1, true, 1}}) {
    const auto value = ScaledValue({.is_text = true, .number = 0, .text = row.text}, row.total, row.round_up);
    ASSERT_TRUE(value) << row.text;
    EXPECT_EQ(*value, row.expected) << row.text << " of " << row.total;
  }
  for (const char* bad : {"5", "x%", "", "5%%"}) {
    EXPECT_FALSE(ScaledValue({.is_text = true, .number = 0, .text = bad}, 10, true)) << bad;
  }
  EXPECT_EQ(*ScaledValue({.is_text = false, .number = 4, .text = {}}, 1, true), 4);
}

}  // namespace
}  // namespace ksched::controllers
