#include "plugins/node_unschedulable/node_unschedulable.h"

#include <gtest/gtest.h>

#include "framework/testing.h"

namespace ksched {
namespace {

using namespace testing_support;

constexpr char kTaint[] = "node.kubernetes.io/unschedulable";
constexpr char kRejected[] = "UnschedulableAndUnresolvable: node(s) were unschedulable";

MakePod Tolerating(const std::string& key, const std::string& op, const std::string& value, const std::string& effect) {
  return MakePod().Toleration(key, op, value, effect);
}

TEST(NodeUnschedulableTest, Filter) {
  struct Row {
    std::string name;
    MakePod pod;
    bool unschedulable;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"node takes pods", MakePod(), false, "Success"},
      {"node does not", MakePod(), true, kRejected},
      {"tolerated by key", Tolerating(kTaint, "Exists", "", ""), true, "Success"},
      {"tolerated by key and effect", Tolerating(kTaint, "Exists", "", "NoSchedule"), true, "Success"},
      {"Equal the empty value", Tolerating(kTaint, "", "", "NoSchedule"), true, "Success"},
      {"Equal another value", Tolerating(kTaint, "Equal", "x", "NoSchedule"), true, kRejected},
      {"another effect", Tolerating(kTaint, "Exists", "", "NoExecute"), true, kRejected},
      {"another key", Tolerating("other", "Exists", "", ""), true, kRejected},
      {"everything tolerated", Tolerating("", "Exists", "", ""), true, "Success"},
      {"a number compared with no value", Tolerating(kTaint, "Gt", "1", ""), true, kRejected},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<NodeUnschedulable>();
    const NodeView node = cluster.AddNode(MakeNode("n1").Unschedulable(row.unschedulable));
    EXPECT_EQ(cluster.Filter(*plugin, cluster.AddPod(row.pod), node), row.want);
  }
}

TEST(NodeUnschedulableTest, HintAfterNodeChange) {
  struct Row {
    std::string name;
    std::optional<bool> before;  // spec.unschedulable; absent: the node is new
    bool after;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"new and open", std::nullopt, false, "Queue"},
      {"new and closed", std::nullopt, true, "Skip"},
      {"opened", true, false, "Queue"},
      {"closed", false, true, "Skip"},
      {"still open", false, false, "Skip"},
      {"still closed", true, true, "Skip"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<NodeUnschedulable>();
    const api::Node before = MakeNode("n1").Unschedulable(row.before.value_or(false));
    const api::Node after = MakeNode("n1").Unschedulable(row.after);
    const ClusterEvent event{EventResource::kNode, row.before ? kUpdateNodeTaint : kAdd};
    EXPECT_EQ(Hint(*plugin, event, cluster.AddPod(MakePod()),
                   {.old_node = row.before ? &before : nullptr, .new_node = &after}),
              row.want);
  }
}

TEST(NodeUnschedulableTest, HintAfterTolerationChange) {
  TestCluster cluster;
  const auto plugin = cluster.Create<NodeUnschedulable>();
  PodInfo& before = cluster.AddPod(MakePod("before"));
  PodInfo& right = cluster.AddPod(MakePod("right").Toleration(kTaint, "Exists", "", "NoSchedule"));
  PodInfo& wrong = cluster.AddPod(MakePod("wrong").Toleration("other", "Exists", "", ""));
  const ClusterEvent event{EventResource::kTargetPod, kUpdatePodToleration};
  EXPECT_EQ(Hint(*plugin, event, before, {.old_pod = &before, .new_pod = &right}), "Queue");
  EXPECT_EQ(Hint(*plugin, event, before, {.old_pod = &before, .new_pod = &wrong}), "Skip");
  EXPECT_EQ(Hint(*plugin, {EventResource::kAssignedPod, kDelete}, before, {}), "not registered");
}

}  // namespace
}  // namespace ksched
