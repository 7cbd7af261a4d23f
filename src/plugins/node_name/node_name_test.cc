#include "plugins/node_name/node_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/testing.h"

namespace ksched {
namespace {

using namespace testing_support;

// A pod with a node is not in a cycle, so it is not counted on the node here either.
PodInfo& AddPod(TestCluster& cluster, const std::string& node) {
  return cluster.state.pod_store().Add(MakePod("pod-for-" + node).Node(node));
}

TEST(NodeNameTest, Filter) {
  TestCluster cluster;
  const auto plugin = cluster.Create<NodeName>();
  const NodeView node = cluster.AddNode(MakeNode("n1"));
  EXPECT_EQ(cluster.Filter(*plugin, AddPod(cluster, ""), node), "Success");
  EXPECT_EQ(cluster.Filter(*plugin, AddPod(cluster, "n1"), node), "Success");
  EXPECT_EQ(cluster.Filter(*plugin, AddPod(cluster, "n2"), node),
            "UnschedulableAndUnresolvable: node(s) didn't match the requested node name");
}

TEST(NodeNameTest, PreFilterLeavesTheNamedNode) {
  TestCluster cluster;
  const auto plugin = cluster.Create<NodeName>();
  PreFilterResult any, one;
  EXPECT_TRUE(plugin->PreFilter(cluster.cycle, AddPod(cluster, ""), any).ok());
  EXPECT_FALSE(any.node_names.has_value());
  EXPECT_TRUE(plugin->PreFilter(cluster.cycle, AddPod(cluster, "n2"), one).ok());
  ASSERT_TRUE(one.node_names.has_value());
  EXPECT_THAT(*one.node_names, testing::ElementsAre("n2"));
}

TEST(NodeNameTest, Hints) {
  TestCluster cluster;
  const auto plugin = cluster.Create<NodeName>();
  const api::Node node = MakeNode("n1");
  const EventObjects objects{.new_node = &node};
  PodInfo& pod = AddPod(cluster, "");
  EXPECT_EQ(Hint(*plugin, {EventResource::kNode, kAdd}, pod, objects), "Queue");
  EXPECT_EQ(Hint(*plugin, {EventResource::kNode, kUpdateNodeLabel}, pod, objects), "not registered");
}

TEST(NodeNameTest, SignsTheName) {
  TestCluster cluster;
  const auto plugin = cluster.Create<NodeName>();
  std::string none, n1, n2;
  EXPECT_TRUE(plugin->SignPod(AddPod(cluster, ""), none));
  EXPECT_TRUE(plugin->SignPod(AddPod(cluster, "n1"), n1));
  EXPECT_TRUE(plugin->SignPod(AddPod(cluster, "n2"), n2));
  EXPECT_NE(none, n1);
  EXPECT_NE(n1, n2);
}

}  // namespace
}  // namespace ksched
