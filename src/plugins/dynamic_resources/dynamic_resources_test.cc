#include "plugins/dynamic_resources/dynamic_resources.h"

#include <gtest/gtest.h>

#include "framework/testing.h"

namespace ksched {
namespace {

using namespace testing_support;

class OneClass final : public DeviceClassLister {
 public:
  OneClass() { device_class.metadata.name = "gpus"; }
  const api::DeviceClass* ForExtendedResource(std::string_view resource) const override {
    return resource == "example.com/gpu" ? &device_class : nullptr;
  }
  api::DeviceClass device_class;
};

std::string PreFilterText(TestCluster& cluster, api::Pod pod) {
  const OneClass classes;
  const PluginContext given = cluster.Context();
  const PluginContext context{.id = 0,
                              .state = given.state,
                              .reasons = given.reasons,
                              .features = given.features,
                              .device_classes = classes,
                              .ports = {}};
  const DynamicResources plugin(context);
  PreFilterResult result;
  return cluster.Text(plugin.PreFilter(cluster.cycle, cluster.AddPod(std::move(pod)), result));
}

TEST(DynamicResourcesTest, PreFilter) {
  TestCluster cluster;
  EXPECT_EQ(PreFilterText(cluster, MakePod("a").Requests({{"cpu", "1"}, {"example.com/fpga", "1"}})), "Skip");
  EXPECT_EQ(PreFilterText(cluster, MakePod("b").Requests({{"example.com/gpu", "0"}})), "Skip");
  EXPECT_EQ(PreFilterText(cluster, MakePod("c").Requests({{"example.com/gpu", "1"}})),
            "Error: dynamic resource allocation is not supported yet: example.com/gpu is provided by the DeviceClass "
            "\"gpus\"");
  api::Pod claiming = MakePod("d");
  claiming.spec.resource_claims = {{"card", "my-card", ""}};
  EXPECT_EQ(PreFilterText(cluster, claiming),
            "Error: pods with resource claims (dynamic resource allocation) are not supported yet: "
            "spec.resourceClaims has \"card\"");
}

class NoStatuses final : public NodeStatuses {
  Code CodeOf(NodeId) const override { return Code::kUnschedulable; }
};

TEST(DynamicResourcesTest, PostFilterFailsWithoutItsPreFilter) {
  TestCluster cluster;
  const auto plugin = cluster.Create<DynamicResources>();
  const PodInfo& pod = cluster.AddPod(MakePod());
  PostFilterResult result;
  cluster.cycle.StartCycle();
  EXPECT_EQ(cluster.Text(plugin->PostFilter(cluster.cycle, pod, NoStatuses(), result)), "Error: not found");
  cluster.cycle.skip_filter.Insert(0);
  EXPECT_EQ(cluster.Text(plugin->PostFilter(cluster.cycle, pod, NoStatuses(), result)), "Unschedulable");
}

TEST(DynamicResourcesTest, HasNothingToSayOfOtherPods) {
  TestCluster cluster;
  const auto plugin = cluster.Create<DynamicResources>();
  const NodeView node = cluster.AddNode(MakeNode("n1"));
  const PodInfo& pod = cluster.AddPod(MakePod());
  EXPECT_EQ(cluster.Filter(*plugin, pod, node), "PreFilter Skip");
  int64_t score = 7;
  EXPECT_TRUE(plugin->Score(cluster.cycle, pod, node, score).ok());
  EXPECT_EQ(score, 0);
  EXPECT_TRUE(plugin->EventsToRegister().empty());
}

}  // namespace
}  // namespace ksched
