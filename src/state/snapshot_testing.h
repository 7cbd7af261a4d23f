// For tests of snapshots: what a state says, as text that is equal for equal states, and random changes of a state.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "state/cluster_state.h"

namespace ksched::snapshot_testing {

inline api::Node Node(const std::string& name, int zone, int cpu) {
  api::Node node;
  node.metadata.name = name;
  if (zone > 0) node.metadata.labels["topology.kubernetes.io/zone"] = "z" + std::to_string(zone);
  node.metadata.labels["host"] = name;
  node.status.allocatable["cpu"] = api::Quantity::FromUnits(cpu);
  node.status.allocatable["pods"] = api::Quantity::FromUnits(110);
  if (cpu % 2 == 0) node.status.allocatable["example.com/gpu-" + std::to_string(cpu % 3)] = api::Quantity::FromUnits(4);
  return node;
}

inline api::LabelSelector Labels(const char* key, const std::string& value) {
  api::LabelSelector selector;
  selector.match_labels[key] = value;
  return selector;
}

// A pod of one of a few kinds: plain, with host port, with a claim, with a term.
inline api::Pod Pod(const std::string& name, const std::string& node, int kind) {
  api::Pod pod;
  pod.metadata.ns = kind % 2 == 0 ? "default" : "other";
  pod.metadata.name = name;
  pod.metadata.uid = "uid-" + name;
  pod.metadata.labels["app"] = "app-" + std::to_string(kind % 3);
  pod.spec.node_name = node;
  api::Container& container = pod.spec.containers.emplace_back();
  container.resources.requests["cpu"] = api::Quantity::FromMilli(100 * (kind + 1));
  if (kind == 1) container.resources.requests["example.com/gpu-0"] = api::Quantity::FromUnits(1);
  if (kind == 2) container.ports.push_back({8080, 8080, "TCP", "", ""});
  if (kind == 3) pod.spec.volumes.emplace_back().claim_name = "claim";
  if (kind == 4) {
    api::PodAffinityTerm term;
    term.topology_key = "topology.kubernetes.io/zone";
    term.label_selector = Labels("app", "app-1");
    pod.spec.affinity.emplace().pod_anti_affinity.emplace().required.push_back(term);
  }
  return pod;
}
inline constexpr int kKindsOfPods = 5;

// Everything that scheduling can see of a state, nodes and pods by name. `groups`: takes groups into use first.
class Description {
 public:
  // `exact`: with the numbers of nodes and the order of the pods on each; without, states that have come to be in
  // another way are alike too.
  Description(ClusterState& state, bool exact) : state_(state), exact_(exact) {
    state.TakeSnapshot();
    for (const char* app : {"app-0", "app-1", "app-2"}) {
      groups_.push_back(state.UseSelectorGroup({PodSelector{{"default"}, {}, Labels("app", app)}}, true));
    }
    PodSelector everywhere{{}, Labels("team", "red"), api::LabelSelector()};
    groups_.push_back(state.UseSelectorGroup({everywhere}, false));
    zone_ = state.UseTopologyKey("topology.kubernetes.io/zone");
    for (NodeId node = 0; node < state.node_capacity(); ++node) DescribeNode(node);
    DescribeObjects();
    if (!exact) std::sort(lines_.begin(), lines_.end());
    if (exact) {
      std::string order = "order:";
      for (const NodeId node : state.order()) {
        order += " " + state.node_name(node) + "/" + std::to_string(state.name_rank()[node]);
      }
      lines_.push_back(order);
    }
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  void DescribeNode(NodeId node) {
    if (!exact_ && !state_.present(node) && state_.pods(node).empty()) return;
    std::string line = state_.node_name(node) + (state_.present(node) ? " there" : " not there");
    if (exact_) line += " #" + std::to_string(node);
    const auto add = [&line](const char* what, int64_t value) {
      line += std::string(" ") + what + std::to_string(value);
    };
    for (const char* name : {"cpu", "memory", "example.com/gpu-0", "example.com/gpu-1", "example.com/gpu-2"}) {
      const ResourceId id = state_.resource_names().Intern(name);
      if (state_.present(node)) add("has", state_.allocatable(node, id));
      add("asked", state_.requested(node, id));
    }
    add("nonzero", state_.nonzero_requested_milli_cpu(node));
    if (exact_) add("port", state_.used_ports(node).Conflicts({"0.0.0.0", "TCP", 8080}) ? 1 : 0);
    for (const SelectorGroupId group : groups_) add("group", state_.selector_groups().count(group, node));
    int64_t terms = 0;
    for (TermGroupId id = 0; id < state_.term_groups().size(); ++id)
      terms += state_.term_groups().group(id).weight(node);
    add("terms", terms);
    if (state_.present(node)) {
      add("pods", state_.allowed_pods(node));
      const DomainId domain = state_.domain(zone_, node);
      line += domain == kNoDomain ? " nowhere" : " in " + std::string(state_.topology().value(zone_, domain));
      line += state_.in_snapshot(node) ? " seen" : " unseen";
      DescribeImages(node, line);
    }
    DescribePods(node, line);
    lines_.push_back(std::move(line));
  }
  void DescribeImages(NodeId node, std::string& line) const {
    if (!exact_) return;  // how many have an image is what it was when the node was last looked at
    for (const char* name : {"app:1", "db:1"}) {
      const Image* image = state_.image_table().Find(name);
      for (const NodeImage& on_node : state_.images(node)) {
        if (image == nullptr || on_node.id != image->id) continue;
        line += std::string(" ") + name + "=" + std::to_string(image->size_bytes) + "*" +
                std::to_string(on_node.node_count);
      }
    }
  }
  void DescribePods(NodeId node, std::string& line) const {
    std::vector<std::string> pods;
    for (const PodId id : state_.pods(node)) {
      const PodInfo& pod = state_.pod_store().Get(id);
      pods.push_back(" " + pod.Key() + "@" + pod.node_name() + ":" + std::to_string(pod.pod_class->priority) +
                     (pod.deleting() ? "-" : "") + (pod.preempted() ? "!" : "") +
                     std::to_string(pod.start_time().value_or(0)) + (exact_ ? "," + std::to_string(pod.arrival) : ""));
    }
    if (!exact_) std::sort(pods.begin(), pods.end());
    for (const std::string& pod : pods) line += pod;
  }
  void DescribeObjects() {
    for (const auto& [key, claim] : state_.objects().claims.all()) {
      lines_.push_back("claim " + key.first + "/" + key.second + " " + claim->spec.volume_name);
    }
    for (const auto& [key, ns] : state_.objects().namespaces.all()) {
      lines_.push_back("namespace " + key.second + " " + std::to_string(ns->metadata.labels.size()));
    }
  }

  ClusterState& state_;
  bool exact_;
  std::vector<SelectorGroupId> groups_;
  TopologyKeyId zone_ = 0;
  std::vector<std::string> lines_;
};

// Changes a state as a watch does, one step at a time.
class RandomChanges {
 public:
  RandomChanges(ClusterState& state, uint32_t seed) : state_(state), random_(seed) {}

  void Step() {
    switch (Choose(12)) {
      case 0:
      case 1:
        return PutNode();
      case 2:
        if (Choose(2) == 0) state_.RemoveNode(NodeName());
        return;
      case 3:
        return PutObject();
      case 4:
      case 5:
        return RemovePod();
      case 6:
        return MovePod();
      case 7:
        return ChangePod();
      case 8:
        state_.TakeSnapshot();
        return;
      case 9:
        return TryOut();
      default:
        return AddPod();
    }
  }
  const std::vector<PodId>& pods() const { return pods_; }

 private:
  int Choose(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  std::string NodeName() { return "n" + std::to_string(Choose(150)); }
  PodInfo& Any(size_t& at) {
    at = static_cast<size_t>(Choose(static_cast<int>(pods_.size())));
    return state_.pod_store().Get(pods_[at]);
  }
  void PutNode() {
    api::Node node = Node(NodeName(), Choose(4), 1 + Choose(8));
    if (Choose(2) == 0) node.status.images.push_back({{"app:1"}, 10 + Choose(3)});
    if (Choose(3) == 0) node.status.images.push_back({{"db:1"}, 20});
    if (Choose(4) == 0) node.spec.taints.push_back({"k", "v", "NoSchedule"});
    state_.UpdateNode(std::move(node));
  }
  void PutObject() {
    if (Choose(3) == 0) {
      api::Namespace ns;
      ns.metadata.name = Choose(2) == 0 ? "default" : "other";
      if (Choose(2) == 0) ns.metadata.labels["team"] = "red";
      if (Choose(5) == 0) {
        state_.objects().namespaces.Remove("", ns.metadata.name);
      } else {
        state_.objects().namespaces.Put(std::move(ns));
      }
      state_.NamespacesChanged();
      return;
    }
    api::PersistentVolumeClaim claim;
    claim.metadata.ns = "default";
    claim.metadata.name = "claim-" + std::to_string(Choose(300));
    claim.spec.volume_name = "v" + std::to_string(Choose(100));
    if (Choose(4) == 0) {
      state_.objects().claims.Remove("default", claim.metadata.name);
    } else {
      state_.objects().claims.Put(std::move(claim));
    }
  }
  void AddPod() {
    const bool pending = Choose(8) == 0;
    api::Pod pod = Pod("p" + std::to_string(++names_), pending ? "" : NodeName(), Choose(kKindsOfPods));
    if (pending) pod.status.nominated_node_name = NodeName();
    PodInfo& info = state_.pod_store().Add(std::move(pod));
    if (!pending) state_.AddPod(info);
    pods_.push_back(info.id);
  }
  void RemovePod() {
    if (pods_.empty()) return;
    size_t at = 0;
    PodInfo& pod = Any(at);
    if (pod.node != kNoNode) state_.RemovePod(pod);
    state_.pod_store().Remove(pod.id);
    pods_[at] = pods_.back();
    pods_.pop_back();
  }
  // As an assumed pod, or one that waited, gets its node.
  void MovePod() {
    if (pods_.empty() || state_.node_capacity() == 0) return;
    size_t at = 0;
    PodInfo& pod = Any(at);
    if (pod.node != kNoNode) state_.RemovePod(pod);
    const auto node = static_cast<NodeId>(Choose(static_cast<int>(state_.node_capacity())));
    pod.node_name_of = &state_.node_name(node);
    state_.AddPodTo(pod, node);
  }
  void ChangePod() {
    if (pods_.empty()) return;
    size_t at = 0;
    PodInfo& pod = Any(at);
    if (Choose(2) == 0) {
      state_.pod_store().Change(pod, [this](PodFacts& facts) {
        facts.start_time = ++names_;
        facts.preempted = Choose(2) == 0;
        if (Choose(3) == 0) facts.nominated_node_name = Choose(2) == 0 ? "" : NodeName();
      });
      return;
    }
    const bool counted = pod.node != kNoNode;
    if (counted) state_.RemovePod(pod);
    api::Pod now = Pod(pod.name(), pod.node_name(), Choose(kKindsOfPods));
    now.metadata.ns = pod.ns();
    if (Choose(3) == 0) now.metadata.deletion_timestamp = 1;
    state_.pod_store().Update(pod.id, std::move(now));
    if (counted) state_.AddPod(pod);
  }
  // What is rolled back has not been.
  void TryOut() {
    const auto mark = state_.SetMark();
    for (int i = 0; i < 3 && !pods_.empty(); ++i) {
      size_t at = 0;
      PodInfo& pod = Any(at);
      if (pod.node != kNoNode) state_.RemovePod(pod);
    }
    state_.Rollback(mark);
  }

  ClusterState& state_;
  std::mt19937 random_;
  std::vector<PodId> pods_;
  int names_ = 0;
};

}  // namespace ksched::snapshot_testing
