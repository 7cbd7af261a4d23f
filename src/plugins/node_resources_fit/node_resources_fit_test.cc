#include "plugins/node_resources_fit/node_resources_fit.h"

#include <gmock/gmock.h>

#include "framework/testing.h"

namespace ksched {
namespace {

using ::testing::ElementsAre;
using testing_support::Amounts;
using testing_support::MakeNode;
using testing_support::MakePod;
using testing_support::TestCluster;

config::NodeResourcesFitArgs DefaultArgs() {
  config::NodeResourcesFitArgs args;
  args.scoring_strategy = config::ScoringStrategy{"LeastAllocated", {{"cpu", 1}, {"memory", 1}}, {}};
  return args;
}

constexpr char kGpuError[] =
    "Error: extended resource \"example.com/gpu\" is provided by DeviceClass \"gpu\": dynamic resource allocation is "
    "not supported yet";

struct FilterRow {
  const char* name;
  api::Pod pod;
  Amounts there;  // what the pod asks for that is on the node already
  std::string want;
};

// A node of 10 millicores, 20 bytes of memory and of ephemeral storage, 5 of a and of huge pages, 3 pods.
MakeNode SmallNode() {
  return MakeNode("n1").Allocatable({{"cpu", "10m"},
                                     {"memory", "20"},
                                     {"ephemeral-storage", "20"},
                                     {"example.com/a", "5"},
                                     {"example.com/zero", "0"},
                                     {"hugepages-2Mi", "5"},
                                     {"pods", "3"}});
}

void CheckFilter(const std::vector<FilterRow>& rows, const config::NodeResourcesFitArgs& args,
                 ResourceFeatures features = {}) {
  for (const FilterRow& row : rows) {
    TestCluster cluster(features);
    const NodeView node = cluster.AddNode(SmallNode());
    cluster.AddPod(MakePod("there").Node("n1").Requests(row.there));
    const auto fit = cluster.Create<NodeResourcesFit>(args);
    ASSERT_NE(fit, nullptr) << cluster.error;
    EXPECT_EQ(cluster.Filter(*fit, cluster.AddPod(row.pod), node), row.want) << row.name;
  }
}

TEST(NodeResourcesFitTest, Filter) {
  CheckFilter(
      {
          {"nothing always fits", MakePod(), {{"cpu", "10m"}, {"memory", "20"}}, "Success"},
          {"exactly",
           MakePod().Requests({{"cpu", "5m"}, {"memory", "1"}}),
           {{"cpu", "5m"}, {"memory", "19"}},
           "Success"},
          {"too much",
           MakePod().Requests({{"cpu", "1m"}, {"memory", "1"}}),
           {{"cpu", "10m"}, {"memory", "20"}},
           "Unschedulable: Insufficient cpu, Insufficient memory"},
          {"cpu only",
           MakePod().Requests({{"cpu", "2m"}, {"memory", "1"}}),
           {{"cpu", "9m"}, {"memory", "5"}},
           "Unschedulable: Insufficient cpu"},
          {"memory only",
           MakePod().Requests({{"cpu", "1m"}, {"memory", "2"}}),
           {{"cpu", "5m"}, {"memory", "19"}},
           "Unschedulable: Insufficient memory"},
          {"ephemeral storage",
           MakePod().Requests({{"ephemeral-storage", "1"}}),
           {{"ephemeral-storage", "20"}},
           "Unschedulable: Insufficient ephemeral-storage"},
          {"more than the node has",
           MakePod().Requests({{"cpu", "11m"}}),
           {},
           "UnschedulableAndUnresolvable: Insufficient cpu"},
          {"one of several is unresolvable",
           MakePod().Requests({{"cpu", "1m"}, {"memory", "21"}}),
           {{"cpu", "10m"}},
           "UnschedulableAndUnresolvable: Insufficient cpu, Insufficient memory"},
          {"everything, in order",
           MakePod().Requests({{"cpu", "1m"},
                               {"memory", "1"},
                               {"ephemeral-storage", "1"},
                               {"hugepages-2Mi", "1"},
                               {"example.com/a", "1"}}),
           {{"cpu", "10m"},
            {"memory", "20"},
            {"ephemeral-storage", "20"},
            {"hugepages-2Mi", "5"},
            {"example.com/a", "5"}},
           "Unschedulable: Insufficient cpu, Insufficient memory, Insufficient ephemeral-storage, Insufficient "
           "example.com/a, Insufficient hugepages-2Mi"},
          {"an init container",
           MakePod().Requests({{"cpu", "1m"}}).InitRequests({{"cpu", "3m"}}),
           {{"cpu", "8m"}},
           "Unschedulable: Insufficient cpu"},
          {"a sidecar",
           MakePod().Requests({{"cpu", "1m"}}).InitRequests({{"cpu", "1m"}}, true),
           {{"cpu", "9m"}},
           "Unschedulable: Insufficient cpu"},
          {"overhead",
           MakePod().Requests({{"memory", "1"}}).Overhead({{"memory", "15"}}),
           {{"memory", "5"}},
           "Unschedulable: Insufficient memory"},
          {"an extended resource", MakePod().Requests({{"example.com/a", "1"}}), {{"example.com/a", "4"}}, "Success"},
          {"of several containers",
           MakePod().Requests({{"example.com/a", "3"}}).Requests({{"example.com/a", "3"}}),
           {},
           "UnschedulableAndUnresolvable: Insufficient example.com/a"},
          {"one that the node does not have",
           MakePod().Requests({{"example.com/b", "1"}}),
           {},
           "UnschedulableAndUnresolvable: Insufficient example.com/b"},
          {"none of it", MakePod().Requests({{"example.com/b", "0"}}), {}, "Success"},
          {"a native resource",
           MakePod().Requests({{"kubernetes.io/something", "1"}}),
           {},
           "UnschedulableAndUnresolvable: Insufficient kubernetes.io/something"},
          {"attachable volumes",
           MakePod().Requests({{"attachable-volumes-x", "1"}}),
           {},
           "UnschedulableAndUnresolvable: Insufficient attachable-volumes-x"},
          {"no resource that is known", MakePod().Requests({{"unknown", "1"}}), {}, "Success"},
          {"pod-level requests",
           MakePod().Requests({{"cpu", "1m"}}).PodRequests({{"cpu", "7m"}}),
           {{"cpu", "5m"}},
           "Unschedulable: Insufficient cpu"},
          {"pod-level huge pages",
           MakePod().Requests({}).PodRequests({{"hugepages-2Mi", "10"}}),
           {},
           "UnschedulableAndUnresolvable: Insufficient hugepages-2Mi"},
      },
      DefaultArgs());
}

TEST(NodeResourcesFitTest, PodLevelResourcesOff) {
  CheckFilter({{"containers count",
                MakePod().Requests({{"cpu", "1m"}}).PodRequests({{"cpu", "7m"}}),
                {{"cpu", "5m"}},
                "Success"}},
              DefaultArgs(), {.pod_level_resources = false});
}

TEST(NodeResourcesFitTest, IgnoredResources) {
  config::NodeResourcesFitArgs args = DefaultArgs();
  args.ignored_resources = {"example.com/b", "cpu", "hugepages-2Mi"};
  args.ignored_resource_groups = {"acme.com", "kubernetes.io"};
  CheckFilter({{"by name", MakePod().Requests({{"example.com/b", "1"}}), {}, "Success"},
               {"by group", MakePod().Requests({{"acme.com/b", "1"}}), {}, "Success"},
               {"another",
                MakePod().Requests({{"example.com/c", "1"}, {"acme.com/b", "1"}}),
                {},
                "UnschedulableAndUnresolvable: Insufficient example.com/c"},
               {"only extended resources can be",
                MakePod().Requests({{"cpu", "11m"}, {"hugepages-2Mi", "6"}, {"kubernetes.io/x", "1"}}),
                {},
                "UnschedulableAndUnresolvable: Insufficient cpu, Insufficient hugepages-2Mi, Insufficient "
                "kubernetes.io/x"}},
              args);
}

TEST(NodeResourcesFitTest, TooManyPods) {
  TestCluster cluster;
  const NodeView node = cluster.AddNode(SmallNode());
  const NodeView none = cluster.AddNode(MakeNode("n2").Allocatable({{"cpu", "1"}}));
  const auto fit = cluster.Create<NodeResourcesFit>(DefaultArgs());
  for (const char* name : {"a", "b"}) cluster.AddPod(MakePod(name).Node("n1"));
  const PodInfo& pod = cluster.AddPod(MakePod("pod"));
  EXPECT_EQ(cluster.Filter(*fit, pod, node), "Success");
  EXPECT_EQ(cluster.Filter(*fit, pod, none), "Unschedulable: Too many pods");
  cluster.AddPod(MakePod("c").Node("n1").Requests({{"cpu", "10m"}}));
  EXPECT_EQ(cluster.Filter(*fit, pod, node), "Unschedulable: Too many pods");
  const PodInfo& big = cluster.AddPod(MakePod("big").Requests({{"cpu", "1m"}}));
  EXPECT_EQ(cluster.Filter(*fit, big, node), "Unschedulable: Too many pods, Insufficient cpu");
}

TEST(NodeResourcesFitTest, ResourcesFromDeviceClasses) {
  TestCluster cluster;
  cluster.device_classes.Add("example.com/gpu", "gpu");
  cluster.AddNode(MakeNode("n1").Allocatable({{"cpu", "1"}, {"pods", "9"}}));
  cluster.AddNode(MakeNode("plugin").Allocatable({{"cpu", "1"}, {"pods", "9"}, {"example.com/gpu", "2"}}));
  cluster.AddNode(MakeNode("gone").Allocatable({{"cpu", "1"}, {"pods", "9"}, {"example.com/gpu", "0"}}));
  config::NodeResourcesFitArgs ignoring = DefaultArgs();
  ignoring.ignored_resources = {"example.com/gpu"};
  const auto fit = cluster.Create<NodeResourcesFit>(DefaultArgs());
  const auto ignorant = cluster.Create<NodeResourcesFit>(ignoring);
  const PodInfo& pod = cluster.AddPod(MakePod("pod").Requests({{"example.com/gpu", "1"}}));
  const PodInfo& big = cluster.AddPod(MakePod("big").Requests({{"cpu", "2"}, {"example.com/gpu", "3"}}));
  const PodInfo& none = cluster.AddPod(MakePod("none").Requests({{"example.com/gpu", "0"}}));
  EXPECT_EQ(cluster.Filter(*fit, pod, cluster.View("n1")), kGpuError);
  EXPECT_EQ(cluster.Filter(*fit, pod, cluster.View("gone")), kGpuError);
  EXPECT_EQ(cluster.Filter(*ignorant, pod, cluster.View("n1")), kGpuError);
  EXPECT_EQ(cluster.Filter(*fit, pod, cluster.View("plugin")), "Success");
  EXPECT_EQ(cluster.Filter(*fit, big, cluster.View("n1")), kGpuError);
  EXPECT_EQ(cluster.Filter(*fit, big, cluster.View("plugin")),
            "UnschedulableAndUnresolvable: Insufficient cpu, Insufficient example.com/gpu");
  EXPECT_EQ(cluster.Filter(*fit, none, cluster.View("n1")), "Success");
  std::string signature;
  EXPECT_FALSE(fit->SignPod(pod, signature));
  EXPECT_TRUE(fit->SignPod(none, signature));
}

TEST(NodeResourcesFitTest, Scores) {
  TestCluster cluster;
  cluster.AddNode(MakeNode("n1").Allocatable({{"cpu", "4"}, {"memory", "10000"}}));
  cluster.AddNode(MakeNode("n2").Allocatable({{"cpu", "6"}, {"memory", "10000"}}));
  const auto fit = cluster.Create<NodeResourcesFit>(DefaultArgs());
  const PodInfo& pod = cluster.AddPod(MakePod("pod").Requests({{"cpu", "3"}, {"memory", "5000"}}));
  EXPECT_THAT(cluster.Scores(*fit, pod), ElementsAre(37, 50));
  EXPECT_FALSE(fit->normalizes());
  // The reference's scorer does not see pod-level requests: this pod counts as its container, 100m and 200 MiB.
  const PodInfo& pod_level = cluster.AddPod(MakePod("pl").Requests({}).PodRequests({{"cpu", "4"}, {"memory", "9000"}}));
  EXPECT_THAT(cluster.Scores(*fit, pod_level), ElementsAre(48, 49));
}

TEST(NodeResourcesFitTest, ScoringErrors) {
  TestCluster cluster;
  cluster.device_classes.Add("example.com/gpu", "gpu");
  cluster.AddNode(MakeNode("n1").Allocatable({{"cpu", "4"}}));
  config::NodeResourcesFitArgs args = DefaultArgs();
  args.scoring_strategy->resources = {{"cpu", 1}, {"example.com/gpu", 1}};
  const PodInfo& pod = cluster.AddPod(MakePod("pod").Requests({{"example.com/gpu", "1"}}));
  EXPECT_THAT(cluster.Scores(*cluster.Create<NodeResourcesFit>(args), pod), ElementsAre());
  EXPECT_EQ(cluster.error, kGpuError);
  EXPECT_THAT(cluster.Scores(*cluster.Create<NodeResourcesFit>(args), cluster.AddPod(MakePod("other"))),
              ElementsAre(100));  // no container
  args.scoring_strategy->resources.clear();
  EXPECT_THAT(cluster.Scores(*cluster.Create<NodeResourcesFit>(args), pod), ElementsAre());
  EXPECT_EQ(cluster.error, "Error: resources not found");
}

TEST(NodeResourcesFitTest, Create) {
  TestCluster cluster;
  EXPECT_EQ(cluster.Create<NodeResourcesFit>(config::UnknownArgs{}), nullptr);
  EXPECT_EQ(cluster.error, "want args to be of type NodeResourcesFitArgs");
  EXPECT_EQ(cluster.Create<NodeResourcesFit>(config::NodeResourcesFitArgs{}), nullptr);
  EXPECT_EQ(cluster.error, "scoring strategy not specified");
  config::NodeResourcesFitArgs args = DefaultArgs();
  args.scoring_strategy->type = "Best";
  EXPECT_EQ(cluster.Create<NodeResourcesFit>(args), nullptr);
  EXPECT_EQ(cluster.error, "scoring strategy Best is not supported");
  for (const std::string gate : {"InPlacePodVerticalScalingSchedulerPreemption", "DRANodeAllocatableResources"}) {
    auto gates = config::FeatureGates::Parse(gate + "=true");
    ASSERT_TRUE(gates.ok()) << gates.error().message;
    cluster.features = *gates;
    EXPECT_EQ(cluster.Create<NodeResourcesFit>(DefaultArgs()), nullptr);
    EXPECT_EQ(cluster.error, "feature gate " + gate + " is not supported yet");
  }
}

}  // namespace
}  // namespace ksched
