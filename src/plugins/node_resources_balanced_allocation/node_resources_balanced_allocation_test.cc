// The numbers are those of the reference's formula: 50 + (50 + balance with the pod - balance without) / 2.
#include "plugins/node_resources_balanced_allocation/node_resources_balanced_allocation.h"

#include <gmock/gmock.h>

#include "framework/testing.h"

namespace ksched {
namespace {

using ::testing::ElementsAre;
using testing_support::Amounts;
using testing_support::MakeNode;
using testing_support::MakePod;
using testing_support::TestCluster;

using Specs = std::vector<config::ResourceSpec>;

TEST(NodeResourcesBalancedAllocationTest, Scores) {
  const Specs kTwo = {{"cpu", 1}, {"memory", 1}}, kThree = {{"cpu", 1}, {"memory", 1}, {"example.com/gpu", 1}},
              kOne = {{"cpu", 1}};
  const struct {
    const char* name;
    Specs resources;
    Amounts there, pod, node;
    int64_t want;
  } kRows[] = {
      // Without the pod 0 and 0: 100. With it 0.75 and 0.5, deviation 0.125: 87. 50 + (50 - 13) / 2.
      {"less balanced", kTwo, {}, {{"cpu", "3"}, {"memory", "5000"}}, {{"cpu", "4"}, {"memory", "10000"}}, 68},
      {"as balanced", kTwo, {}, {{"cpu", "3"}, {"memory", "5000"}}, {{"cpu", "6"}, {"memory", "10000"}}, 75},
      // Without 0.6 and 0: 70. With 0.6 and 0.5: 0.05, 95. 50 + (50 + 25) / 2.
      {"more balanced", kTwo, {{"cpu", "6"}}, {{"memory", "5000"}}, {{"cpu", "10"}, {"memory", "10000"}}, 87},
      // Shares are at most 1: without 1 and 0: 50, with 1 and 1: 100.
      {"over the node", kTwo, {{"cpu", "20"}}, {{"memory", "10001"}}, {{"cpu", "10"}, {"memory", "10000"}}, 100},
      {"a node without memory", kTwo, {}, {{"cpu", "3"}}, {{"cpu", "4"}}, 75},
      {"a node with nothing", kTwo, {}, {{"cpu", "3"}}, {}, 75},
      // With 0.5, 0 and 0.5: mean 1/3, deviation sqrt(1/18) = 0.2357: 76. 50 + (50 - 24) / 2.
      {"three resources",
       kThree,
       {},
       {{"cpu", "2"}, {"example.com/gpu", "4"}},
       {{"cpu", "4"}, {"memory", "10"}, {"example.com/gpu", "8"}},
       63},
      {"a scalar resource not asked for",
       kThree,
       {{"example.com/gpu", "4"}},
       {{"cpu", "2"}, {"memory", "5"}},
       {{"cpu", "4"}, {"memory", "10"}, {"example.com/gpu", "8"}},
       75},
      {"one resource", kOne, {}, {{"cpu", "2"}}, {{"cpu", "4"}}, 75},
      // Containers without a request count for nothing here: 0.5 and 0, 75. 50 + (50 - 25) / 2.
      {"no defaults", kTwo, {}, {{"cpu", "2"}}, {{"cpu", "4"}, {"memory", "1000Mi"}}, 62},
  };
  for (const auto& row : kRows) {
    TestCluster cluster;
    cluster.AddNode(MakeNode("n1").Allocatable(row.node));
    cluster.AddPod(MakePod("there").Node("n1").Requests(row.there));
    const PodInfo& pod = cluster.AddPod(MakePod("pod").Requests(row.pod));
    const auto balanced = cluster.Create<NodeResourcesBalancedAllocation>(
        config::NodeResourcesBalancedAllocationArgs{.resources = row.resources});
    ASSERT_NE(balanced, nullptr) << cluster.error;
    EXPECT_THAT(cluster.Scores(*balanced, pod), ElementsAre(row.want)) << row.name << cluster.error;
  }
}

class BalancedAllocationTest : public ::testing::Test {
 protected:
  TestCluster cluster_;
  config::NodeResourcesBalancedAllocationArgs args_{.resources = {{"cpu", 1}, {"memory", 1}, {"example.com/gpu", 1}}};
};

TEST_F(BalancedAllocationTest, SkipsPodsThatAskForNothing) {
  cluster_.AddNode(MakeNode("n1").Allocatable({{"cpu", "4"}}));
  const auto balanced = cluster_.Create<NodeResourcesBalancedAllocation>(args_);
  const auto pre_score = [&](api::Pod pod) {
    return cluster_.Text(balanced->PreScore(cluster_.cycle, cluster_.AddPod(std::move(pod)), cluster_.state.order()));
  };
  EXPECT_EQ(pre_score(MakePod("nothing").Requests({})), "Skip");
  EXPECT_EQ(pre_score(MakePod("zero").Requests({{"cpu", "0"}})), "Skip");
  EXPECT_EQ(pre_score(MakePod("other").Requests({{"example.com/other", "1"}})), "Skip");
  EXPECT_EQ(pre_score(MakePod("gpu").Requests({{"example.com/gpu", "1"}})), "Success");
  EXPECT_EQ(pre_score(MakePod("pod-level").Requests({}).PodRequests({{"cpu", "1"}})), "Success");
}

TEST_F(BalancedAllocationTest, CountsWhatTheStatusSays) {
  cluster_.AddNode(MakeNode("n1").Allocatable({{"cpu", "4"}, {"memory", "4"}}));
  const auto balanced = cluster_.Create<NodeResourcesBalancedAllocation>(args_);
  MakePod pod = MakePod().Requests({{"cpu", "1"}, {"memory", "1"}});
  pod.pod.status.container_statuses.emplace_back().name = "c1";
  pod.pod.status.container_statuses[0].allocated_resources =
      testing_support::Resources({{"cpu", "3"}, {"memory", "1"}});
  EXPECT_THAT(cluster_.Scores(*balanced, cluster_.AddPod(pod)), ElementsAre(62));  // 0.75 and 0.25
}

TEST_F(BalancedAllocationTest, Errors) {
  cluster_.device_classes.Add("example.com/gpu", "gpu");
  cluster_.AddNode(MakeNode("n1").Allocatable({{"cpu", "4"}}));
  const auto balanced = cluster_.Create<NodeResourcesBalancedAllocation>(args_);
  const PodInfo& pod = cluster_.AddPod(MakePod("pod").Requests({{"cpu", "1"}, {"example.com/gpu", "1"}}));
  EXPECT_THAT(cluster_.Scores(*balanced, pod), ElementsAre());
  EXPECT_EQ(cluster_.error,
            "Error: extended resource \"example.com/gpu\" is provided by DeviceClass \"gpu\": dynamic resource "
            "allocation is not supported yet");
  std::string signature;
  EXPECT_FALSE(balanced->SignPod(pod, signature));
  EXPECT_EQ(cluster_.Create<NodeResourcesBalancedAllocation>(config::UnknownArgs{}), nullptr);
  EXPECT_EQ(cluster_.error, "want args to be of type NodeResourcesBalancedAllocationArgs");
}

}  // namespace
}  // namespace ksched
