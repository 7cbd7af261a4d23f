#include "state/pod_store.h"

#include <gtest/gtest.h>

namespace ksched {
namespace {

api::Pod PodNamed(const std::string& name, const std::string& app = "web") {
  api::Pod pod;
  pod.metadata.ns = "default";
  pod.metadata.name = name;
  pod.metadata.uid = "uid-" + name;
  pod.metadata.labels["app"] = app;
  return pod;
}

class PodStoreTest : public ::testing::Test {
 protected:
  ResourceNames names_;
  PodStore store_{names_, {}};
};

TEST_F(PodStoreTest, ReplicasShareAClass) {
  PodInfo& a = store_.Add(PodNamed("a"));
  PodInfo& b = store_.Add(PodNamed("b"));
  PodInfo& c = store_.Add(PodNamed("c", "db"));
  EXPECT_EQ(a.pod_class, b.pod_class);
  EXPECT_NE(a.pod_class, c.pod_class);
  EXPECT_EQ(store_.Find("default", "b"), &b);
  EXPECT_EQ(store_.Find("default", "x"), nullptr);
}

TEST_F(PodStoreTest, AnUpdateKeepsIdAndAddressAndGivesTheOldVersion) {
  PodInfo& pod = store_.Add(PodNamed("a"));
  const PodId id = pod.id;
  api::Pod now = PodNamed("a", "db");
  now.status.nominated_node_name = "n1";
  const PodInfo before = store_.Update(id, std::move(now));
  EXPECT_EQ(before.pod_class->labels.at("app"), "web");
  EXPECT_EQ(pod.pod_class->labels.at("app"), "db");
  EXPECT_EQ(pod.nominated_node_name, "n1");
  EXPECT_EQ(pod.id, id);
  EXPECT_EQ(pod.arrival, before.arrival);
}

TEST_F(PodStoreTest, AClassEndsWithItsLastPodAndItsSerialIsNeverUsedAgain) {
  const uint64_t serial = store_.Add(PodNamed("a")).pod_class->serial;
  store_.Remove(store_.Find("default", "a")->id);
  EXPECT_EQ(store_.size(), 0u);
  EXPECT_NE(store_.Add(PodNamed("a")).pod_class->serial, serial);
}

TEST_F(PodStoreTest, TakesThePodScheduledCondition) {
  api::Pod pod = PodNamed("a");
  pod.status.conditions = {{"Ready", "True", "", ""}, {"PodScheduled", "False", "Unschedulable", "0/1"}};
  const PodInfo& info = store_.Add(std::move(pod));
  EXPECT_EQ(info.condition_status, "False");
  EXPECT_EQ(info.condition_reason, "Unschedulable");
  EXPECT_EQ(info.condition_message, "0/1");
}

}  // namespace
}  // namespace ksched
