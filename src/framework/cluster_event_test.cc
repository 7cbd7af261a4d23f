#include "framework/cluster_event.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ksched {

// So that gtest can print one.
void PrintTo(const ClusterEvent& event, std::ostream* out) {
  *out << "{resource " << static_cast<int>(event.resource) << ", action " << event.action << "}";
}

namespace {

using ::testing::ElementsAreArray;

TEST(MatchesEvent, Table) {
  using enum EventResource;
  struct Row {
    const char* name;
    ClusterEvent registered, came;
    bool matches;
  };
  const Row rows[] = {
      {"the same", {kNode, kAdd}, {kNode, kAdd}, true},
      {"another action", {kNode, kAdd}, {kNode, kDelete}, false},
      {"another resource", {kNode, kAdd}, {kPersistentVolume, kAdd}, false},
      {"one of several actions", {kNode, kAdd | kUpdateNodeLabel}, {kNode, kUpdateNodeLabel}, true},
      {"a specific update is an update", {kNode, kUpdate}, {kNode, kUpdateNodeTaint}, true},
      {"an update is no specific update", {kTargetPod, kUpdatePodLabel}, {kTargetPod, kUpdate}, false},
      {"a plain update", {kTargetPod, kUpdate}, {kTargetPod, kUpdate}, true},
      {"all actions", {kNode, kAllActions}, {kNode, kDelete}, true},
      {"Pod is the assigned pod", {kPod, kDelete}, {kAssignedPod, kDelete}, true},
      {"Pod is the unscheduled pod", {kPod, kDelete}, {kUnscheduledPod, kDelete}, true},
      {"Pod is the target pod", {kPod, kUpdate}, {kTargetPod, kUpdatePodLabel}, true},
      {"Pod is no node", {kPod, kAdd}, {kNode, kAdd}, false},
      {"the assigned pod is not every pod", {kAssignedPod, kUpdate}, {kTargetPod, kUpdatePodLabel}, false},
      {"wildcard takes everything", {kWildCard, kAllActions}, {kNode, kAdd}, true},
      {"wildcard takes the wildcard", {kWildCard, kAllActions}, {kWildCard, kAllActions}, true},
      {"any resource, one action", {kWildCard, kAdd}, {kNode, kAdd}, true},
      {"any resource, another action", {kWildCard, kAdd}, {kNode, kDelete}, false},
      {"what came as wildcard is for wildcards only", {kNode, kAllActions}, {kWildCard, kAllActions}, false},
  };
  for (const Row& row : rows) EXPECT_EQ(MatchesEvent(row.registered, row.came), row.matches) << row.name;
}

api::Container ContainerWith(const char* resource, int64_t milli) {
  api::Container container;
  container.resources.requests[resource] = api::Quantity::FromMilli(milli);
  return container;
}

TEST(PodUpdateEvents, Table) {
  using Edit = std::function<void(api::Pod&)>;
  struct Row {
    const char* name;
    Edit before, after;
    std::vector<ActionType> actions;
  };
  const auto cpu = [](int64_t milli) {
    return [milli](api::Pod& pod) { pod.spec.containers = {ContainerWith("cpu", milli)}; };
  };
  const Edit nothing = [](api::Pod&) {};
  const Row rows[] = {
      {"nothing that matters", nothing, [](api::Pod& pod) { pod.status.nominated_node_name = "n"; }, {kUpdate}},
      {"another priority", nothing, [](api::Pod& pod) { pod.spec.priority = 5; }, {kUpdate}},
      {"a label", nothing, [](api::Pod& pod) { pod.metadata.labels["a"] = "b"; }, {kUpdatePodLabel}},
      {"a request lower", cpu(500), cpu(400), {kUpdatePodScaleDown}},
      {"a request higher", cpu(400), cpu(500), {kUpdatePodScaleUp}},
      {"a request gone", cpu(400), [](api::Pod& pod) { pod.spec.containers = {{}}; }, {kUpdatePodScaleDown}},
      {"a request new", nothing, cpu(400), {kUpdatePodScaleUp}},
      {"one lower, another new",
       cpu(500),
       [](api::Pod& pod) {
         pod.spec.containers = {ContainerWith("cpu", 400), ContainerWith("memory", 1000)};
       },
       {kUpdatePodScaleDown, kUpdatePodScaleUp}},
      {"less than a thousandth is no change",
       [](api::Pod& pod) {
         pod.spec.containers = {{}};
         pod.spec.containers[0].resources.requests["cpu"] = api::Quantity::FromNano(1'500'000);
       },
       [](api::Pod& pod) {
         pod.spec.containers = {{}};
         pod.spec.containers[0].resources.requests["cpu"] = api::Quantity::FromNano(1'600'000);
       },
       {kUpdate}},
      {"one gate of two gone",
       [](api::Pod& pod) {
         pod.spec.scheduling_gates = {"a", "b"};
       },
       [](api::Pod& pod) { pod.spec.scheduling_gates = {"a"}; },
       {kUpdate}},
      {"all gates gone",
       [](api::Pod& pod) {
         pod.spec.scheduling_gates = {"a", "b"};
       },
       nothing,
       {kUpdatePodSchedulingGatesEliminated}},
      {"a toleration",
       nothing,
       [](api::Pod& pod) { pod.spec.tolerations.push_back({.key = "k"}); },
       {kUpdatePodToleration}},
      {"all at once, in order",
       [](api::Pod& pod) {
         pod.spec.scheduling_gates = {"a"};
         pod.spec.containers = {ContainerWith("cpu", 500)};
       },
       [](api::Pod& pod) {
         pod.metadata.labels["a"] = "b";
         pod.spec.containers = {ContainerWith("memory", 1000)};
         pod.spec.tolerations.push_back({.key = "k"});
       },
       {kUpdatePodLabel, kUpdatePodScaleDown, kUpdatePodScaleUp, kUpdatePodSchedulingGatesEliminated,
        kUpdatePodToleration}},
  };
  for (const Row& row : rows) {
    ResourceNames names;
    PodStore pods(names, {});
    api::Pod before, after;
    before.metadata.name = after.metadata.name = "p";
    row.before(before);
    row.after(after);
    const PodId id = pods.Add(std::move(before)).id;
    const PodInfo old_pod = pods.Update(id, std::move(after));
    std::vector<ClusterEvent> expected;
    for (ActionType action : row.actions) expected.push_back({EventResource::kTargetPod, action});
    EXPECT_THAT(PodUpdateEvents(old_pod, pods.Get(id), true), ElementsAreArray(expected)) << row.name;
  }
}

TEST(PodUpdateEvents, WhoseEventItIs) {
  ResourceNames names;
  PodStore pods(names, {});
  const auto resource_of = [&](const char* node_name, bool target) {
    api::Pod pod;
    pod.metadata.name = "p";
    pod.spec.node_name = node_name;
    const PodInfo& info = pods.Add(std::move(pod));
    const EventResource resource = PodUpdateEvents(info, info, target)[0].resource;
    pods.Remove(info.id);
    return resource;
  };
  EXPECT_EQ(resource_of("", true), EventResource::kTargetPod);
  EXPECT_EQ(resource_of("", false), EventResource::kUnscheduledPod);
  EXPECT_EQ(resource_of("n", false), EventResource::kAssignedPod);
  EXPECT_EQ(resource_of("n", true), EventResource::kAssignedPod);
}

TEST(NodeUpdateEvents, Table) {
  using Edit = std::function<void(api::Node&)>;
  struct Row {
    const char* name;
    Edit before, after;
    std::vector<ActionType> actions;
  };
  const Edit nothing = [](api::Node&) {};
  const Edit cordoned = [](api::Node& node) { node.spec.unschedulable = true; };
  const auto ready = [](const char* status) {
    return [status](api::Node& node) { node.status.conditions = {{"Ready", status}}; };
  };
  const Row rows[] = {
      {"nothing", nothing, nothing, {}},
      {"capacity alone",
       nothing,
       [](api::Node& node) { node.status.capacity["cpu"] = api::Quantity::FromUnits(1); },
       {}},
      {"images",
       nothing,
       [](api::Node& node) {
         node.status.images.push_back({{"a"}, 1});
       },
       {}},
      {"cordoned", nothing, cordoned, {}},
      {"uncordoned", cordoned, nothing, {kUpdateNodeTaint}},
      {"allocatable",
       nothing,
       [](api::Node& node) { node.status.allocatable["cpu"] = api::Quantity::FromUnits(1); },
       {kUpdateNodeAllocatable}},
      {"the same amount",
       [](api::Node& node) { node.status.allocatable["cpu"] = api::Quantity::FromUnits(1); },
       [](api::Node& node) { node.status.allocatable["cpu"] = api::Quantity::FromMilli(1000); },
       {}},
      {"label", nothing, [](api::Node& node) { node.metadata.labels["a"] = ""; }, {kUpdateNodeLabel}},
      {"taint",
       nothing,
       [](api::Node& node) {
         node.spec.taints.push_back({"a", "", "NoSchedule"});
       },
       {kUpdateNodeTaint}},
      {"taints in another order",
       [](api::Node& node) {
         node.spec.taints = {{"a", "", "NoSchedule"}, {"b", "", "NoSchedule"}};
       },
       [](api::Node& node) {
         node.spec.taints = {{"b", "", "NoSchedule"}, {"a", "", "NoSchedule"}};
       },
       {kUpdateNodeTaint}},
      {"a condition's status", ready("True"), ready("False"), {kUpdateNodeCondition}},
      {"a condition gone", ready("True"), nothing, {kUpdateNodeCondition}},
      {"conditions in another order",
       [](api::Node& node) {
         node.status.conditions = {{"Ready", "True"}, {"DiskPressure", "False"}};
       },
       [](api::Node& node) {
         node.status.conditions = {{"DiskPressure", "False"}, {"Ready", "True"}};
       },
       {}},
      {"annotation", nothing, [](api::Node& node) { node.metadata.annotations["a"] = "b"; }, {kUpdateNodeAnnotation}},
      {"preemption policy",
       nothing,
       [](api::Node& node) { node.spec.pod_preemption_policy = "{}"; },
       {kUpdateNodePreemptionPolicy}},
      {"declared features",
       nothing,
       [](api::Node& node) { node.status.declared_features = {"F"}; },
       {kUpdateNodeDeclaredFeature}},
      {"uncordoned and tainted, in order",
       cordoned,
       [](api::Node& node) {
         node.metadata.labels["a"] = "b";
         node.status.allocatable["cpu"] = api::Quantity::FromUnits(1);
         node.spec.taints.push_back({"a", "", "NoSchedule"});
       },
       {kUpdateNodeTaint, kUpdateNodeAllocatable, kUpdateNodeLabel, kUpdateNodeTaint}},
  };
  for (const Row& row : rows) {
    api::Node before, after;
    row.before(before);
    row.after(after);
    std::vector<ClusterEvent> expected;
    for (ActionType action : row.actions) expected.push_back({EventResource::kNode, action});
    EXPECT_THAT(NodeUpdateEvents(before, after), ElementsAreArray(expected)) << row.name;
  }
}

}  // namespace
}  // namespace ksched
