// For unit tests: builders of API objects, and a cluster in memory with all that a plugin is given.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/registry.h"
#include "framework/waiting_pods.h"

namespace ksched::testing_support {

// {{"cpu", "500m"}, {"memory", "1Gi"}}. An amount that is not a quantity is a mistake in the test: it counts as -1.
using Pairs = std::vector<std::pair<const char*, const char*>>;
using Amounts = Pairs;

inline api::ResourceList Resources(const Amounts& amounts) {
  api::ResourceList list;
  for (const auto& [name, amount] : amounts) {
    const Result<api::Quantity> quantity = api::Quantity::Parse(amount);
    list[name] = quantity ? *quantity : api::Quantity::FromUnits(-1);
  }
  return list;
}

// MakePod("web-0").Node("n1").Requests({{"cpu", "1"}}): converts to an api::Pod. What a method does not cover is set
// through `pod`. Namespace and scheduler are the defaults.
struct MakePod {
  api::Pod pod;

  explicit MakePod(std::string name = "pod") {
    pod.metadata.uid = "default/" + name;
    pod.metadata.name = std::move(name);
    pod.metadata.ns = "default";
    pod.spec.scheduler_name = "default-scheduler";
  }
  MakePod& Namespace(std::string ns) { return pod.metadata.ns = std::move(ns), *this; }
  MakePod& Label(std::string key, std::string value) {
    return pod.metadata.labels[std::move(key)] = std::move(value), *this;
  }
  MakePod& Priority(int32_t priority) { return pod.spec.priority = priority, *this; }
  MakePod& Node(std::string node) { return pod.spec.node_name = std::move(node), *this; }
  MakePod& NominatedNode(std::string node) { return pod.status.nominated_node_name = std::move(node), *this; }
  MakePod& SchedulingGate(std::string gate) { return pod.spec.scheduling_gates.push_back(std::move(gate)), *this; }

  // One more container with these requests.
  MakePod& Requests(const Amounts& amounts) {
    Container("c" + std::to_string(pod.spec.containers.size() + 1), "");
    pod.spec.containers.back().resources.requests = Resources(amounts);
    return *this;
  }
  MakePod& Container(std::string name, std::string image) {
    api::Container& container = pod.spec.containers.emplace_back();
    container.name = std::move(name);
    container.image = std::move(image);
    return *this;
  }
  MakePod& InitRequests(const Amounts& amounts, bool sidecar = false) {
    api::Container& container = pod.spec.init_containers.emplace_back();
    container.name = "init" + std::to_string(pod.spec.init_containers.size());
    container.resources.requests = Resources(amounts);
    if (sidecar) container.restart_policy = "Always";
    return *this;
  }
  MakePod& PodRequests(const Amounts& amounts) {
    pod.spec.resources.emplace().requests = Resources(amounts);
    return *this;
  }
  MakePod& Overhead(const Amounts& amounts) { return pod.spec.overhead = Resources(amounts), *this; }
  // A host port of the first container (which is made if there is none).
  MakePod& HostPort(int32_t port, std::string protocol = "TCP", std::string ip = "") {
    if (pod.spec.containers.empty()) Container("c1", "");
    api::ContainerPort& added = pod.spec.containers.front().ports.emplace_back();
    added.host_port = added.container_port = port;
    added.protocol = std::move(protocol);
    added.host_ip = std::move(ip);
    return *this;
  }
  MakePod& NodeSelector(const Pairs& labels) {
    for (const auto& [key, value] : labels) pod.spec.node_selector[key] = value;
    return *this;
  }
  api::NodeAffinity& NodeAffinity() {
    if (!pod.spec.affinity) pod.spec.affinity.emplace();
    if (!pod.spec.affinity->node_affinity) pod.spec.affinity->node_affinity.emplace();
    return *pod.spec.affinity->node_affinity;
  }
  MakePod& RequiredNodeAffinity(std::vector<api::NodeSelectorTerm> terms) {
    return NodeAffinity().required = api::NodeSelector{std::move(terms)}, *this;
  }
  MakePod& PreferredNodeAffinity(int32_t weight, api::NodeSelectorTerm term) {
    return NodeAffinity().preferred.push_back({weight, std::move(term)}), *this;
  }
  MakePod& Toleration(std::string key, std::string op, std::string value, std::string effect) {
    pod.spec.tolerations.push_back({std::move(key), std::move(op), std::move(value), std::move(effect), std::nullopt});
    return *this;
  }

  operator api::Pod() const { return pod; }  // NOLINT(google-explicit-constructor)
};

// MakeNode("n1").Allocatable({{"cpu", "4"}, {"pods", "110"}}): converts to an api::Node.
struct MakeNode {
  api::Node node;

  explicit MakeNode(std::string name = "node") {
    node.metadata.uid = name;
    node.metadata.name = std::move(name);
  }
  MakeNode& Allocatable(const Amounts& amounts) {
    node.status.allocatable = node.status.capacity = Resources(amounts);
    return *this;
  }
  MakeNode& Label(std::string key, std::string value) {
    return node.metadata.labels[std::move(key)] = std::move(value), *this;
  }
  MakeNode& Taint(std::string key, std::string value, std::string effect) {
    node.spec.taints.push_back({std::move(key), std::move(value), std::move(effect)});
    return *this;
  }
  MakeNode& Unschedulable(bool unschedulable = true) { return node.spec.unschedulable = unschedulable, *this; }
  MakeNode& Image(std::vector<std::string> names, int64_t size_bytes) {
    node.status.images.push_back({std::move(names), size_bytes});
    return *this;
  }

  operator api::Node() const { return node; }  // NOLINT(google-explicit-constructor)
};

// {key, op, values} of a node selector.
inline api::NodeSelectorTerm MatchExpressions(std::vector<api::NodeSelectorRequirement> requirements) {
  return {.match_expressions = std::move(requirements), .match_fields = {}};
}
inline api::NodeSelectorTerm MatchFields(std::vector<api::NodeSelectorRequirement> requirements) {
  return {.match_expressions = {}, .match_fields = std::move(requirements)};
}

// What something that may take its time ended with; nothing: it has not yet.
struct StatusKeeper final : public StatusReceiver {
  std::optional<Status> status;
  void OnStatus(const Status& ended) override { status = ended; }
};

class FakeDeviceClasses final : public DeviceClassLister {
 public:
  void Add(const std::string& resource, std::string device_class) {
    classes_[resource].metadata.name = std::move(device_class);
    classes_[resource].extended_resource_name = resource;
  }
  const api::DeviceClass* ForExtendedResource(std::string_view resource) const override {
    const auto found = classes_.find(resource);
    return found == classes_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, api::DeviceClass, std::less<>> classes_;
};

// A ClusterState and what else a plugin is given. Objects are added in the order in which the scheduler would see them.
class TestCluster {
 public:
  explicit TestCluster(ResourceFeatures features = {}) : state(features) {}

  NodeView AddNode(api::Node node) {
    const NodeId id = state.AddNode(std::move(node));
    state.TakeSnapshot();
    return View(id);
  }
  // Pending, or on spec.nodeName.
  PodInfo& AddPod(api::Pod pod) {
    PodInfo& info = state.pod_store().Add(std::move(pod));
    if (info.node_name().empty()) return info;
    state.AddPod(info);
    state.TakeSnapshot();
    return info;
  }
  NodeView View(NodeId id) const { return {state, id}; }
  NodeView View(std::string_view name) const { return {state, *state.FindNode(name)}; }

  PluginContext Context(PluginId id = 0) {
    return {.id = id,
            .state = state,
            .reasons = reasons,
            .features = features,
            .device_classes = device_classes,
            .ports = {}};
  }
  // The plugin, or null: then `error` says why.
  template <typename T>
  std::unique_ptr<T> Create(const config::PluginArgs& args = {}) {
    Result<std::unique_ptr<Plugin>> plugin = T::Create(args, Context());
    error = plugin ? "" : plugin.error().message;
    return plugin ? std::unique_ptr<T>(static_cast<T*>(std::move(plugin).value().release())) : nullptr;
  }

  // "Success", "Unschedulable: Too many pods, Insufficient cpu", "Skip".
  std::string Text(const Status& status) const {
    std::string text(CodeName(status.code()));
    if (!status.reasons().empty()) text += ": " + status.Message(reasons);
    return text;
  }
  // What Filter says, PreFilter first if the plugin has it.
  template <typename T>
  std::string Filter(const T& plugin, const PodInfo& pod, NodeView node) {
    if constexpr (std::is_base_of_v<PreFilterPlugin, T>) {
      cycle.StartCycle();
      PreFilterResult result;
      const Status status = plugin.PreFilter(cycle, pod, result);
      cycle.pre_filtered.Insert(0);
      if (!status.ok()) return "PreFilter " + Text(status);
    }
    return Text(plugin.Filter(cycle, pod, node));
  }
  // Raw scores of all nodes in the snapshot's order, PreScore first if the plugin has it. Empty if that is no success:
  // then `error` says what it was.
  template <typename T>
  std::vector<int64_t> Scores(const T& plugin, const PodInfo& pod) {
    error.clear();
    std::vector<int64_t> scores;
    cycle.StartCycle();
    Status status;
    if constexpr (std::is_base_of_v<PreScorePlugin, T>) status = plugin.PreScore(cycle, pod, state.order());
    cycle.pre_scored.Insert(0);
    for (const NodeId node : state.order()) {
      if (status.ok()) status = plugin.Score(cycle, pod, View(node), scores.emplace_back());
    }
    if (status.ok()) return scores;
    error = Text(status);
    return {};
  }

  ClusterState state;
  ReasonTable reasons;
  WaitingPods waiting_pods{reasons};
  config::FeatureGates features;
  FakeDeviceClasses device_classes;
  CycleState cycle;
  std::string error;
};

// What the plugin's hint for this event says: "Queue", "Skip", an error's message, or "not registered".
inline std::string Hint(const EnqueueExtensions& plugin, const ClusterEvent& event, const PodInfo& pod,
                        const EventObjects& objects) {
  for (const ClusterEventWithHint& registered : plugin.EventsToRegister()) {
    if (!MatchesEvent(registered.event, event)) continue;
    if (!registered.hint) return "Queue";
    const Result<QueueingHint> hint = registered.hint(pod, objects);
    if (!hint) return hint.error().message;
    return *hint == QueueingHint::kQueue ? "Queue" : "Skip";
  }
  return "not registered";
}

}  // namespace ksched::testing_support
