#include "plugins/node_resources_fit/hints.h"

#include <gmock/gmock.h>

#include <optional>

#include "framework/testing.h"
#include "plugins/node_resources_fit/node_resources_fit.h"

namespace ksched {
namespace {

using testing_support::Amounts;
using testing_support::Hint;
using testing_support::MakeNode;
using testing_support::MakePod;
using testing_support::TestCluster;

class FitHintsTest : public ::testing::Test {
 protected:
  FitHintsTest() {
    config::NodeResourcesFitArgs args;
    args.scoring_strategy = config::ScoringStrategy{"LeastAllocated", {{"cpu", 1}}, {}};
    fit_ = cluster_.Create<NodeResourcesFit>(args);
  }
  PodInfo& Add(MakePod pod) {
    pod.pod.metadata.name += std::to_string(++added_);
    return cluster_.AddPod(pod);
  }

  TestCluster cluster_;
  std::unique_ptr<NodeResourcesFit> fit_;
  int added_ = 0;
};

TEST_F(FitHintsTest, Registered) {
  const std::vector<ClusterEventWithHint> events = fit_->EventsToRegister();
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[0].event, kAssignedPodDelete);
  EXPECT_EQ(events[1].event, (ClusterEvent{EventResource::kNode, kAdd | kUpdateNodeAllocatable}));
  EXPECT_EQ(events[2].event, (ClusterEvent{EventResource::kDeviceClass, kAdd | kUpdate}));
  EXPECT_EQ(events[3].event, (ClusterEvent{EventResource::kAssignedPod, kUpdatePodScaleDown}));
  EXPECT_EQ(events[4].event, (ClusterEvent{EventResource::kTargetPod, kUpdatePodScaleDown}));
}

TEST_F(FitHintsTest, AssignedPodDelete) {
  const PodInfo& pod = Add(MakePod().Requests({{"cpu", "1"}}));
  const struct {
    const char* name;
    MakePod deleted;
    const char* want;
  } kRows[] = {
      {"from a node", MakePod().Node("n1"), "Queue"},
      {"only nominated", MakePod().NominatedNode("n1"), "Queue"},
      {"neither", MakePod(), "Skip"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Hint(*fit_, kAssignedPodDelete, pod, {.old_pod = &Add(row.deleted)}), row.want) << row.name;
  }
}

TEST_F(FitHintsTest, TargetPodScaleDown) {
  const PodInfo& pod = Add(MakePod());
  EXPECT_EQ(Hint(*fit_, {EventResource::kTargetPod, kUpdatePodScaleDown}, pod, {.old_pod = &pod, .new_pod = &pod}),
            "Queue");
}

TEST_F(FitHintsTest, AssignedPodScaleDown) {
  const struct {
    const char* name;
    Amounts pod;
    MakePod before, after;
    const char* want;
  } kRows[] = {
      {"no node", {{"cpu", "1"}}, MakePod().Requests({{"cpu", "2"}}), MakePod().Requests({{"cpu", "1"}}), "Skip"},
      {"cpu",
       {{"cpu", "1"}},
       MakePod().Node("n").Requests({{"cpu", "2"}}),
       MakePod().Node("n").Requests({{"cpu", "1"}}),
       "Queue"},
      {"cpu gone",
       {{"cpu", "1"}},
       MakePod().Node("n").Requests({{"cpu", "2"}}),
       MakePod().Node("n").Requests({}),
       "Queue"},
      {"cpu up",
       {{"cpu", "1"}},
       MakePod().Node("n").Requests({{"cpu", "1"}}),
       MakePod().Node("n").Requests({{"cpu", "2"}}),
       "Skip"},
      {"another resource",
       {{"cpu", "1"}},
       MakePod().Node("n").Requests({{"memory", "2"}}),
       MakePod().Node("n").Requests({{"memory", "1"}}),
       "Skip"},
      {"memory",
       {{"memory", "1"}},
       MakePod().Node("n").Requests({{"memory", "2"}}),
       MakePod().Node("n").Requests({{"memory", "1"}}),
       "Queue"},
      {"ephemeral storage",
       {{"ephemeral-storage", "1"}},
       MakePod().Node("n").Requests({{"ephemeral-storage", "2"}}),
       MakePod().Node("n").Requests({{"ephemeral-storage", "1"}}),
       "Queue"},
      {"scalar",
       {{"example.com/a", "1"}},
       MakePod().Node("n").Requests({{"example.com/a", "2"}}),
       MakePod().Node("n").Requests({{"example.com/a", "1"}}),
       "Queue"},
      {"no scalar",
       {{"unknown", "1"}},
       MakePod().Node("n").Requests({{"unknown", "2"}}),
       MakePod().Node("n").Requests({{"unknown", "1"}}),
       "Skip"},
      {"nothing is requested of it",
       {{"cpu", "0"}},
       MakePod().Node("n").Requests({{"cpu", "2"}}),
       MakePod().Node("n").Requests({{"cpu", "1"}}),
       "Skip"},
  };
  for (const auto& row : kRows) {
    const PodInfo& pod = Add(MakePod().Requests(row.pod));
    const EventObjects objects{.old_pod = &Add(row.before), .new_pod = &Add(row.after)};
    EXPECT_EQ(Hint(*fit_, {EventResource::kAssignedPod, kUpdatePodScaleDown}, pod, objects), row.want) << row.name;
  }
}

TEST_F(FitHintsTest, AssignedPodScaleDownOnItsNode) {
  const PodInfo& pod = Add(MakePod().Requests({{"cpu", "1"}}));
  MakePod resized = MakePod().Node("n").Requests({{"cpu", "1"}});
  resized.pod.status.container_statuses.emplace_back().name = "c1";
  resized.pod.status.container_statuses[0].allocated_resources = testing_support::Resources({{"cpu", "3"}});
  const EventObjects objects{.old_pod = &Add(resized), .new_pod = &Add(MakePod().Node("n").Requests({{"cpu", "1"}}))};
  EXPECT_EQ(Hint(*fit_, {EventResource::kAssignedPod, kUpdatePodScaleDown}, pod, objects), "Queue");
}

TEST_F(FitHintsTest, NodeChanges) {
  cluster_.device_classes.Add("example.com/dra", "class");
  const struct {
    const char* name;
    MakePod pod;
    std::optional<Amounts> before;  // none: the node is new
    Amounts after;
    const char* want;
  } kRows[] = {
      {"new, fits", MakePod().Requests({{"cpu", "1"}}), {}, {{"cpu", "1"}, {"pods", "1"}}, "Queue"},
      {"new, too small", MakePod().Requests({{"cpu", "1"}}), {}, {{"cpu", "999m"}, {"pods", "1"}}, "Skip"},
      {"new, no pods", MakePod(), {}, {{"cpu", "1"}}, "Skip"},
      {"new, without the resource", MakePod().Requests({{"example.com/a", "1"}}), {}, {{"pods", "1"}}, "Skip"},
      {"new, without it, but a class has it",
       MakePod().Requests({{"example.com/dra", "1"}}),
       {},
       {{"pods", "1"}},
       "Queue"},
      {"new, has too little, a class cannot help",
       MakePod().Requests({{"example.com/dra", "2"}}),
       {},
       {{"pods", "1"}, {"example.com/dra", "1"}},
       "Skip"},
      {"still too small",
       MakePod().Requests({{"cpu", "3"}}),
       {{{"cpu", "1"}, {"pods", "1"}}},
       {{"cpu", "2"}, {"pods", "1"}},
       "Skip"},
      {"more cpu",
       MakePod().Requests({{"cpu", "1"}}),
       {{{"cpu", "1"}, {"pods", "1"}}},
       {{"cpu", "2"}, {"pods", "1"}},
       "Queue"},
      {"more memory",
       MakePod().Requests({{"memory", "1"}}),
       {{{"memory", "1"}, {"pods", "1"}}},
       {{"memory", "2"}, {"pods", "1"}},
       "Queue"},
      {"more ephemeral storage",
       MakePod().Requests({{"ephemeral-storage", "1"}}),
       {{{"ephemeral-storage", "1"}, {"pods", "1"}}},
       {{"ephemeral-storage", "2"}, {"pods", "1"}},
       "Queue"},
      {"more of a scalar resource",
       MakePod().Requests({{"example.com/a", "1"}}),
       {{{"example.com/a", "1"}, {"pods", "1"}}},
       {{"example.com/a", "2"}, {"pods", "1"}},
       "Queue"},
      {"a scalar resource is new",
       MakePod().Requests({{"example.com/a", "1"}}),
       {{{"pods", "1"}}},
       {{"example.com/a", "2"}, {"pods", "1"}},
       "Queue"},
      {"more of another resource",
       MakePod().Requests({{"cpu", "1"}}),
       {{{"cpu", "1"}, {"pods", "1"}}},
       {{"cpu", "1"}, {"memory", "5"}, {"pods", "1"}},
       "Skip"},
      {"less",
       MakePod().Requests({{"cpu", "1"}}),
       {{{"cpu", "3"}, {"pods", "1"}}},
       {{"cpu", "2"}, {"pods", "1"}},
       "Skip"},
      {"more pods",
       MakePod().Requests({{"cpu", "1"}}),
       {{{"cpu", "1"}, {"pods", "1"}}},
       {{"cpu", "1"}, {"pods", "2"}},
       "Queue"},
      {"nothing requested, more cpu",
       MakePod(),
       {{{"cpu", "1"}, {"pods", "1"}}},
       {{"cpu", "2"}, {"pods", "1"}},
       "Skip"},
      {"zero requested",
       MakePod().Requests({{"example.com/a", "0"}}),
       {{{"pods", "1"}}},
       {{"example.com/a", "1"}, {"pods", "1"}},
       "Skip"},
      {"no change, but a class has it",
       MakePod().Requests({{"example.com/dra", "1"}}),
       {{{"pods", "1"}}},
       {{"pods", "1"}},
       "Queue"},
  };
  for (const auto& row : kRows) {
    const PodInfo& pod = Add(row.pod);
    const api::Node after = MakeNode("n").Allocatable(row.after);
    const api::Node before = MakeNode("n").Allocatable(row.before.value_or(Amounts()));
    const EventObjects objects{.old_node = row.before ? &before : nullptr, .new_node = &after};
    const ClusterEvent event{EventResource::kNode, row.before ? kUpdateNodeAllocatable : kAdd};
    EXPECT_EQ(Hint(*fit_, event, pod, objects), row.want) << row.name;
  }
}

TEST_F(FitHintsTest, DeviceClassChanges) {
  const auto device_class = [](const char* name, std::optional<std::string> resource) {
    api::DeviceClass made;
    made.metadata.name = name;
    made.extended_resource_name = std::move(resource);
    return made;
  };
  const api::DeviceClass plain = device_class("gpu", {}), named = device_class("gpu", "example.com/gpu"),
                         other = device_class("gpu", "example.com/other");
  const struct {
    const char* name;
    Amounts pod;
    const api::DeviceClass *before, *after;
    const char* want;
  } kRows[] = {
      {"new", {{"example.com/gpu", "1"}}, nullptr, &named, "Queue"},
      {"new, another resource", {{"example.com/gpu", "1"}}, nullptr, &other, "Skip"},
      {"new, no resource", {{"example.com/gpu", "1"}}, nullptr, &plain, "Skip"},
      {"new, by the name of the class", {{"deviceclass.resource.kubernetes.io/gpu", "1"}}, nullptr, &plain, "Queue"},
      {"same resource", {{"example.com/gpu", "1"}}, &named, &named, "Skip"},
      {"now this resource", {{"example.com/gpu", "1"}}, &other, &named, "Queue"},
      {"now a resource", {{"example.com/gpu", "1"}}, &plain, &named, "Queue"},
      {"now another resource", {{"example.com/gpu", "1"}}, &named, &other, "Skip"},
      {"now none", {{"example.com/gpu", "1"}}, &named, &plain, "Skip"},
      {"updates do not change the class's name",
       {{"deviceclass.resource.kubernetes.io/gpu", "1"}},
       &plain,
       &named,
       "Skip"},
  };
  for (const auto& row : kRows) {
    const PodInfo& pod = Add(MakePod().Requests(row.pod));
    const ClusterEvent event{EventResource::kDeviceClass, row.before == nullptr ? kAdd : kUpdate};
    const EventObjects objects{.old_object = row.before, .new_object = row.after};
    EXPECT_EQ(Hint(*fit_, event, pod, objects), row.want) << row.name;
  }
}

}  // namespace
}  // namespace ksched
