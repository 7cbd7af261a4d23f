#include "plugins/taint_toleration/taint_toleration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/testing.h"

namespace ksched {
namespace {

using namespace testing_support;
using testing::ElementsAre;

constexpr char kRejected[] = "UnschedulableAndUnresolvable: node(s) had untolerated taint(s)";

MakePod Tolerating(const std::string& key, const std::string& op, const std::string& value, const std::string& effect) {
  return MakePod().Toleration(key, op, value, effect);
}

TEST(TaintTolerationTest, Filter) {
  struct Row {
    std::string name;
    MakePod pod;
    MakeNode node;
    std::string want;
  };
  const MakeNode gpu = MakeNode().Taint("gpu", "a100", "NoSchedule");
  const std::vector<Row> rows = {
      {"no taints", MakePod(), MakeNode(), "Success"},
      {"NoSchedule", MakePod(), gpu, kRejected},
      {"NoExecute", MakePod(), MakeNode().Taint("gpu", "", "NoExecute"), kRejected},
      {"PreferNoSchedule keeps nobody off", MakePod(), MakeNode().Taint("gpu", "", "PreferNoSchedule"), "Success"},
      {"tolerated", Tolerating("gpu", "Equal", "a100", "NoSchedule"), gpu, "Success"},
      {"an empty operator is Equal", Tolerating("gpu", "", "a100", "NoSchedule"), gpu, "Success"},
      {"another value", Tolerating("gpu", "Equal", "h100", "NoSchedule"), gpu, kRejected},
      {"Exists takes any value", Tolerating("gpu", "Exists", "", "NoSchedule"), gpu, "Success"},
      {"an empty effect is every effect", Tolerating("gpu", "Exists", "", ""), gpu, "Success"},
      {"another effect", Tolerating("gpu", "Exists", "", "NoExecute"), gpu, kRejected},
      {"an empty key is every key", Tolerating("", "Exists", "", ""), gpu, "Success"},
      {"one of two taints", Tolerating("gpu", "Exists", "", ""), MakeNode(gpu).Taint("b", "", "NoExecute"), kRejected},
      {"both of two taints", Tolerating("gpu", "Exists", "", "").Toleration("b", "Exists", "", "NoExecute"),
       MakeNode(gpu).Taint("b", "", "NoExecute"), "Success"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<TaintToleration>();
    EXPECT_EQ(cluster.Filter(*plugin, cluster.AddPod(row.pod), cluster.AddNode(row.node)), row.want);
  }
}

TEST(TaintTolerationTest, ComparisonOperatorsNeedTheirGate) {
  for (const bool enabled : {false, true}) {
    TestCluster cluster;
    const auto features = config::FeatureGates::Parse(enabled ? "TaintTolerationComparisonOperators=true" : "");
    ASSERT_TRUE(features.ok());
    cluster.features = *features;
    const auto plugin = cluster.Create<TaintToleration>();
    const NodeView node = cluster.AddNode(MakeNode().Taint("sla", "950", "NoSchedule"));
    EXPECT_EQ(cluster.Filter(*plugin, cluster.AddPod(Tolerating("sla", "Gt", "900", "NoSchedule")), node),
              enabled ? "Success" : kRejected);
  }
}

TEST(TaintTolerationTest, Scores) {
  TestCluster cluster;
  const auto plugin = cluster.Create<TaintToleration>();
  cluster.AddNode(MakeNode("none"));
  cluster.AddNode(MakeNode("one").Taint("a", "1", "PreferNoSchedule"));
  cluster.AddNode(MakeNode("three")
                      .Taint("a", "2", "PreferNoSchedule")
                      .Taint("b", "", "PreferNoSchedule")
                      .Taint("c", "", "PreferNoSchedule")
                      .Taint("hard", "", "NoSchedule"));
  EXPECT_THAT(cluster.Scores(*plugin, cluster.AddPod(MakePod("plain"))), ElementsAre(0, 1, 3));
  EXPECT_THAT(cluster.Scores(*plugin, cluster.AddPod(MakePod("a1").Toleration("a", "", "1", "PreferNoSchedule"))),
              ElementsAre(0, 0, 3));
  EXPECT_THAT(cluster.Scores(*plugin, cluster.AddPod(MakePod("any-effect").Toleration("a", "Exists", "", ""))),
              ElementsAre(0, 0, 2));
  EXPECT_THAT(cluster.Scores(*plugin, cluster.AddPod(MakePod("hard").Toleration("a", "Exists", "", "NoSchedule"))),
              ElementsAre(0, 1, 3));
}

TEST(TaintTolerationTest, NormalizeScore) {
  TestCluster cluster;
  const auto plugin = cluster.Create<TaintToleration>();
  PodInfo& pod = cluster.AddPod(MakePod());
  std::vector<int64_t> some = {0, 1, 3}, none = {0, 0};
  EXPECT_TRUE(plugin->NormalizeScore(cluster.cycle, pod, some).ok());
  EXPECT_THAT(some, ElementsAre(100, 67, 0));
  EXPECT_TRUE(plugin->NormalizeScore(cluster.cycle, pod, none).ok());
  EXPECT_THAT(none, ElementsAre(100, 100));
}

TEST(TaintTolerationTest, HintAfterNodeChange) {
  struct Row {
    std::string name;
    std::optional<MakeNode> before;  // absent: the node is new
    MakeNode after;
    std::string want;
  };
  const MakeNode open, tolerated = MakeNode().Taint("mine", "", "NoSchedule"),
                       closed = MakeNode().Taint("other", "", "NoSchedule"),
                       soft = MakeNode().Taint("other", "", "PreferNoSchedule");
  const std::vector<Row> rows = {
      {"new, without taints", std::nullopt, open, "Queue"},
      {"new, its taint tolerated", std::nullopt, tolerated, "Queue"},
      {"new, its taint not tolerated", std::nullopt, closed, "Skip"},
      {"taint gone", closed, open, "Queue"},
      {"taint softer", closed, soft, "Queue"},
      {"taint now one that is tolerated", closed, tolerated, "Queue"},
      {"taint came", open, closed, "Skip"},
      {"taint stays", closed, closed, "Skip"},
      {"never a hindrance", tolerated, open, "Skip"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<TaintToleration>();
    PodInfo& pod = cluster.AddPod(MakePod().Toleration("mine", "Exists", "", ""));
    const api::Node before = row.before.value_or(MakeNode()), after = row.after;
    EXPECT_EQ(Hint(*plugin, {EventResource::kNode, row.before ? kUpdateNodeTaint : kAdd}, pod,
                   {.old_node = row.before ? &before : nullptr, .new_node = &after}),
              row.want);
  }
}

TEST(TaintTolerationTest, HintAfterTolerationChange) {
  TestCluster cluster;
  const auto plugin = cluster.Create<TaintToleration>();
  PodInfo& pod = cluster.AddPod(MakePod());
  const EventObjects objects{.old_pod = &pod, .new_pod = &pod};
  EXPECT_EQ(Hint(*plugin, {EventResource::kTargetPod, kUpdatePodToleration}, pod, objects), "Queue");
  EXPECT_EQ(Hint(*plugin, {EventResource::kTargetPod, kUpdatePodLabel}, pod, objects), "not registered");
}

TEST(TaintTolerationTest, SignsTolerationsInAnyOrder) {
  TestCluster cluster;
  const auto plugin = cluster.Create<TaintToleration>();
  const auto sign = [&](const MakePod& pod) {
    std::string signature;
    EXPECT_TRUE(plugin->SignPod(cluster.AddPod(pod), signature));
    return signature;
  };
  const std::string ab = sign(MakePod("ab").Toleration("a", "Exists", "", "").Toleration("b", "Exists", "", ""));
  EXPECT_EQ(ab, sign(MakePod("ba").Toleration("b", "Exists", "", "").Toleration("a", "Exists", "", "")));
  EXPECT_NE(ab, sign(MakePod("a").Toleration("a", "Exists", "", "")));
  EXPECT_NE(ab, sign(MakePod("none")));
}

}  // namespace
}  // namespace ksched
