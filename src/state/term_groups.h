// TermGroups: the terms of (anti-)affinity that pods on nodes have, each once however many pods have it, with how much
// of it is on each node. An incoming pod asks for the groups whose term means it.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "state/pod_selector.h"
#include "state/pod_store.h"
#include "state/topology.h"

namespace ksched {

using TermGroupId = uint32_t;
enum class TermKind : uint8_t { kRequiredAffinity, kRequiredAntiAffinity, kPreferredAffinity, kPreferredAntiAffinity };

// One term of a pod.
struct PodTerm {
  TermKind kind = TermKind::kRequiredAffinity;
  int32_t weight = 1;  // of preferred terms
  std::string topology_key;
  PodSelector selector;
};
// All terms of pods of a class: required affinity, required anti-affinity, preferred affinity, preferred
// anti-affinity, each in the pod's order.
std::vector<PodTerm> TermsOf(const PodClass& pod_class);

class TermGroups {
 public:
  struct Group {
    TermKind kind = TermKind::kRequiredAffinity;
    TopologyKeyId key = 0;
    PodSelector selector;
    std::vector<int64_t> weights;  // by NodeId: the sum over its pods; may be shorter than the number of nodes
    int64_t pods = 0;              // how many pods have it, on nodes that are there or not
    int64_t weight(NodeId node) const { return node < weights.size() ? weights[node] : 0; }
  };

  // A pod came to the node (+1) or left it (-1). `use_key` numbers a topology key.
  template <typename UseKey>
  void Count(const PodInfo& pod, NodeId node, int32_t sign, UseKey&& use_key) {
    if (!pod.pod_class->spec.affinity) return;
    Membership& membership = Slot(own_, *pod.pod_class);
    if (membership.seen == 0) {
      membership.seen = 1;
      Enroll(*pod.pod_class, membership, use_key);
    }
    for (const auto& [group, weight] : membership.groups) Add(groups_[group], node, weight, sign);
  }
  // Labels of namespaces changed: which groups mean a pod is open again.
  void NamespacesChanged() { matching_.clear(); }

  // The groups, of all kinds, whose term means pods of this class. Good until the next call.
  std::span<const TermGroupId> Matching(const PodClass& incoming, const NamespaceLabels& all);

  const Group& group(TermGroupId id) const { return groups_[id]; }
  uint32_t size() const { return static_cast<uint32_t>(groups_.size()); }  // ids are below this

 private:
  // What was worked out for one class.
  template <typename T>
  struct PerClass {
    uint64_t serial = 0;  // of the class
    uint32_t seen = 0;    // groups that were looked at, or 1 once all is known
    boost::container::small_vector<T, 2> groups;
  };
  using Membership = PerClass<std::pair<TermGroupId, int32_t>>;

  template <typename T>
  static PerClass<T>& Slot(std::vector<PerClass<T>>& table, const PodClass& pod_class) {
    if (table.size() <= pod_class.id) table.resize(pod_class.id + 1);
    PerClass<T>& slot = table[pod_class.id];
    if (slot.serial != pod_class.serial) {
      slot = PerClass<T>();
      slot.serial = pod_class.serial;
    }
    return slot;
  }
  template <typename UseKey>
  void Enroll(const PodClass& pod_class, Membership& membership, UseKey&& use_key) {
    for (PodTerm& term : TermsOf(pod_class)) {
      const TopologyKeyId key = use_key(term.topology_key);
      const int32_t weight = term.weight;
      membership.groups.emplace_back(Use(std::move(term), key), weight);
    }
  }
  TermGroupId Use(PodTerm&& term, TopologyKeyId key);
  static void Add(Group& group, NodeId node, int32_t weight, int32_t sign);

  std::deque<Group> groups_;
  boost::unordered_flat_map<std::string, TermGroupId> ids_;
  std::vector<Membership> own_;                  // by PodClass::id: the terms of the class itself
  std::vector<PerClass<TermGroupId>> matching_;  // by PodClass::id: groups that mean it
  std::string scratch_;
};

}  // namespace ksched
