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
  EXPECT_EQ(pod.nominated_node_name(), "n1");
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
  EXPECT_TRUE(info.HasCondition("False", "Unschedulable", "0/1"));
  EXPECT_FALSE(info.HasCondition("False", "Unschedulable", "0/2"));
}

TEST_F(PodStoreTest, EqualConditionsAreShared) {
  std::vector<PodInfo*> pods;
  for (const char* name : {"a", "b", "c", "d"}) {
    api::Pod pod = PodNamed(name);
    const bool fails = name[0] >= 'c';
    pod.status.conditions = {{"PodScheduled", fails ? "False" : "True", fails ? "Unschedulable" : "", ""}};
    pods.push_back(&store_.Add(std::move(pod)));
  }
  EXPECT_EQ(pods[0]->facts->condition, pods[1]->facts->condition);
  EXPECT_EQ(pods[2]->facts->condition, pods[3]->facts->condition);
  store_.SetCondition(*pods[0], {"False", "Unschedulable", ""});
  EXPECT_EQ(pods[0]->facts->condition, pods[3]->facts->condition);
}

TEST_F(PodStoreTest, AChangeLeavesWhatOthersHave) {
  PodInfo& pod = store_.Add(PodNamed("a"));
  const PodInfo before = pod;
  store_.Change(pod, [](PodFacts& facts) { facts.nominated_node_name = "n1"; });
  EXPECT_EQ(before.nominated_node_name(), "");
  EXPECT_EQ(pod.nominated_node_name(), "n1");
}

TEST_F(PodStoreTest, TheResourceVersionIsANumberOrZero) {
  const std::pair<const char*, uint64_t> rows[] = {{"", 0},    {"0", 0},  {"81234567", 81234567},
                                                   {"12a", 0}, {"-1", 0}, {"18446744073709551616", 0}};
  for (const auto& [text, want] : rows) {
    api::Pod pod = PodNamed(std::string("v") + text);
    pod.metadata.resource_version = text;
    EXPECT_EQ(store_.Add(std::move(pod)).resource_version(), want) << text;
  }
}

TEST_F(PodStoreTest, FindsEachOfManyAfterOthersHaveGone) {
  for (int i = 0; i < 500; ++i) store_.Add(PodNamed("p" + std::to_string(i)));
  for (int i = 0; i < 500; i += 2) store_.Remove(store_.Find("default", "p" + std::to_string(i))->id);
  for (int i = 0; i < 500; ++i) {
    const std::string name = "p" + std::to_string(i);
    const PodInfo* found = store_.Find("default", name);
    ASSERT_EQ(found != nullptr, i % 2 == 1) << i;
    ASSERT_TRUE(found == nullptr || found->name() == name);
    ASSERT_EQ(store_.Find("other", name), nullptr);
  }
}

}  // namespace
}  // namespace ksched
