#include "plugins/common/resource_scoring.h"

#include <gmock/gmock.h>

#include "framework/testing.h"

namespace ksched {
namespace {

using testing_support::MakeNode;
using testing_support::MakePod;
using testing_support::Resources;
using testing_support::TestCluster;

const std::vector<config::ResourceSpec> kAll = {
    {"cpu", 1}, {"memory", 2}, {"ephemeral-storage", 3}, {"example.com/gpu", 4}, {"pods", 5}, {"hugepages-2Mi", 6}};

std::string Uses(const ScoredResources& resources, const ScoredRequests& requests, const NodeView& node) {
  std::string text;
  resources.ForEach(requests, node, [&text](const ResourceUse& use) {
    text += std::to_string(use.weight) + ":" + std::to_string(use.allocated) + "," + std::to_string(use.requested) +
            "/" + std::to_string(use.allocatable) + " ";
  });
  return text;
}

class ResourceScoringTest : public ::testing::Test {
 protected:
  TestCluster cluster_;
  NodeView node_ = cluster_.AddNode(MakeNode("n1").Allocatable(
      {{"cpu", "4"}, {"memory", "100"}, {"ephemeral-storage", "50"}, {"example.com/gpu", "8"}, {"pods", "110"}}));
  ScoredResources requested_{kAll, ScoredResources::Allocated::kRequested, cluster_.Context()};
  ScoredResources nonzero_{kAll, ScoredResources::Allocated::kNonzeroRequested, cluster_.Context()};
  ScoredRequests requests_;
};

TEST_F(ResourceScoringTest, OnlyWhatTheNodeHas) {
  cluster_.AddPod(MakePod("a").Node("n1").Requests({{"cpu", "1"}, {"example.com/gpu", "2"}}));
  cluster_.AddPod(MakePod("b").Node("n1").Requests({{"ephemeral-storage", "7"}}));
  requested_.Prepare(Resources({{"cpu", "500m"}, {"memory", "3"}, {"example.com/gpu", "1"}, {"hugepages-2Mi", "2"}}),
                     requests_);
  EXPECT_FALSE(requests_.best_effort);
  EXPECT_EQ(Uses(requested_, requests_, node_), "1:1000,1500/4000 2:0,3/100 3:7,7/50 4:2,3/8 ");
  EXPECT_EQ(Uses(nonzero_, requests_, node_), "1:1100,1600/4000 2:419430400,419430403/100 3:7,7/50 4:2,3/8 ");
}

TEST_F(ResourceScoringTest, ScalarResourcesCountForPodsThatAskForThem) {
  requested_.Prepare(Resources({{"cpu", "1"}, {"example.com/gpu", "0"}}), requests_);
  EXPECT_EQ(Uses(requested_, requests_, node_), "1:0,1000/4000 2:0,0/100 3:0,0/50 ");
}

TEST_F(ResourceScoringTest, BestEffort) {
  requested_.Prepare({}, requests_);
  EXPECT_TRUE(requests_.best_effort);
  requested_.Prepare(Resources({{"cpu", "0"}, {"other.com/gpu", "1"}}), requests_);
  EXPECT_TRUE(requests_.best_effort);  // what it asks for is not scored
  requested_.Prepare(Resources({{"pods", "1"}}), requests_);
  EXPECT_FALSE(requests_.best_effort);  // though no node's pods are scored
}

TEST_F(ResourceScoringTest, FromADeviceClass) {
  cluster_.device_classes.Add("example.com/gpu", "gpu");
  const NodeView without = cluster_.AddNode(MakeNode("n2").Allocatable({{"cpu", "4"}}));
  requested_.Prepare(Resources({{"cpu", "1"}}), requests_);
  EXPECT_TRUE(requested_.CheckSupported(requests_, without).ok());
  requested_.Prepare(Resources({{"example.com/gpu", "1"}}), requests_);
  EXPECT_TRUE(requested_.CheckSupported(requests_, node_).ok());
  EXPECT_EQ(cluster_.Text(requested_.CheckSupported(requests_, without)),
            "Error: extended resource \"example.com/gpu\" is provided by DeviceClass \"gpu\": dynamic resource "
            "allocation is not supported yet");
}

TEST_F(ResourceScoringTest, Signature) {
  const auto sign = [this](api::Pod pod) -> std::string {
    std::string signature;
    const PodClass& pod_class = *cluster_.AddPod(std::move(pod)).pod_class;
    if (!SignRequests(pod_class, cluster_.state.resource_names(), &cluster_.device_classes, signature)) return "none";
    return signature;
  };
  const std::string one = sign(MakePod("a").Requests({{"cpu", "1"}, {"example.com/gpu", "1"}}));
  EXPECT_EQ(sign(MakePod("b").Label("x", "y").Requests({{"cpu", "1"}, {"example.com/gpu", "1"}})), one);
  EXPECT_NE(sign(MakePod("c").Requests({{"cpu", "1"}, {"example.com/gpu", "2"}})), one);
  EXPECT_NE(sign(MakePod("d").Requests({{"memory", "1"}, {"example.com/gpu", "1"}})), one);
  cluster_.device_classes.Add("example.com/gpu", "gpu");
  EXPECT_EQ(sign(MakePod("e").Requests({{"example.com/gpu", "1"}})), "none");
  EXPECT_NE(sign(MakePod("f").Requests({{"example.com/gpu", "0"}})), "none");
}

}  // namespace
}  // namespace ksched
