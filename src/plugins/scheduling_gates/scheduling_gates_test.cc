#include "plugins/scheduling_gates/scheduling_gates.h"

#include <gtest/gtest.h>

#include "framework/testing.h"

namespace ksched {
namespace {

using namespace testing_support;

TEST(SchedulingGatesTest, PreEnqueue) {
  struct Row {
    std::string name;
    std::vector<std::string> gates;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"no gates", {}, "Success"},
      {"one gate", {"a.com/x"}, "UnschedulableAndUnresolvable: waiting for scheduling gates: [a.com/x]"},
      {"in the order of the spec",
       {"b", "a", "c"},
       "UnschedulableAndUnresolvable: waiting for scheduling gates: [b a c]"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<SchedulingGates>();
    MakePod pod;
    for (const std::string& gate : row.gates) pod.SchedulingGate(gate);
    EXPECT_EQ(cluster.Text(plugin->PreEnqueue(cluster.AddPod(pod))), row.want);
  }
}

TEST(SchedulingGatesTest, HintWhenGatesAreGone) {
  TestCluster cluster;
  const auto plugin = cluster.Create<SchedulingGates>();
  PodInfo& pod = cluster.AddPod(MakePod());
  const EventObjects objects{.old_pod = &pod, .new_pod = &pod};
  EXPECT_EQ(Hint(*plugin, {EventResource::kTargetPod, kUpdatePodSchedulingGatesEliminated}, pod, objects), "Queue");
  EXPECT_EQ(Hint(*plugin, {EventResource::kTargetPod, kUpdatePodLabel}, pod, objects), "not registered");
  EXPECT_EQ(Hint(*plugin, {EventResource::kNode, kAdd}, pod, {}), "not registered");
}

}  // namespace
}  // namespace ksched
