#include "plugins/default_binder/default_binder.h"

#include <gtest/gtest.h>

#include "framework/testing.h"

namespace ksched {
namespace {

using namespace testing_support;

class FakeBinder final : public Binder {
 public:
  void Bind(const PodInfo& pod, const std::string& node, ResultCallback done) override {
    if (!failure.empty()) return done(Error{failure});
    bound = pod.Key() + " to " + node;
    done({});
  }
  std::string failure, bound;
};

struct Fixture {
  TestCluster cluster;
  FakeBinder binder;
  std::unique_ptr<Plugin> plugin;
  Status Bind() {
    const PluginContext context{.id = 0,
                                .state = cluster.state,
                                .reasons = cluster.reasons,
                                .features = cluster.features,
                                .device_classes = cluster.device_classes,
                                .ports = {.binder = &binder}};
    plugin = std::move(DefaultBinder::Create({}, context)).value();
    const NodeView node = cluster.AddNode(MakeNode("n1"));
    StatusKeeper kept;
    dynamic_cast<BindPlugin&>(*plugin).Bind(cluster.cycle, cluster.AddPod(MakePod("web-0")), node.id(), kept);
    return kept.status.value();
  }
};

TEST(DefaultBinderTest, BindsThroughThePort) {
  Fixture fixture;
  EXPECT_EQ(fixture.cluster.Text(fixture.Bind()), "Success");
  EXPECT_EQ(fixture.binder.bound, "default/web-0 to n1");
}

TEST(DefaultBinderTest, AFailureIsAnError) {
  Fixture fixture;
  fixture.binder.failure = "pods \"web-0\" not found";
  EXPECT_EQ(fixture.cluster.Text(fixture.Bind()), "Error: pods \"web-0\" not found");
}

TEST(DefaultBinderTest, NeedsABinder) {
  TestCluster cluster;
  EXPECT_EQ(cluster.Create<DefaultBinder>(), nullptr);
  EXPECT_EQ(cluster.error, "DefaultBinder: there is nothing to bind pods with here");
}

}  // namespace
}  // namespace ksched
