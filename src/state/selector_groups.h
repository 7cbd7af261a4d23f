// SelectorGroups: how many pods on each node a selector means, kept true as pods come and go. What a pod's class
// matches is worked out once per class, so that placing a pod costs one addition for each group that it is in, and
// pods that no group selects cost nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "state/pod_selector.h"
#include "state/pod_store.h"

namespace ksched {

using SelectorGroupId = uint32_t;

class SelectorGroups {
 public:
  // Calls its argument with every pod that is on a node.
  using ForEachPod = std::function<void(const std::function<void(const PodInfo&)>&)>;

  // Pods that all of `selectors` mean; without those that are being deleted, if asked for. Counts the pods that are
  // there when it is new.
  SelectorGroupId Use(const std::vector<PodSelector>& selectors, bool skip_terminating, const NamespaceLabels& all,
                      const ForEachPod& pods);
  // A pod came to the node (+1) or left it (-1).
  void Count(const PodInfo& pod, NodeId node, int32_t sign, const NamespaceLabels& all) {
    if (groups_.empty()) return;
    for (const SelectorGroupId id : MembershipOf(*pod.pod_class, all).groups) Add(groups_[id], pod, node, sign);
  }
  // Labels of namespaces changed: counts groups that read them anew, and calls `changed` for every node whose count
  // has changed.
  void NamespacesChanged(const NamespaceLabels& all, const ForEachPod& pods,
                         const std::function<void(NodeId)>& changed);

  // Whether a pod of this class is one that the group counts (terminating or not).
  bool Matches(SelectorGroupId group, const PodClass& pod_class, const NamespaceLabels& all) const;
  int32_t count(SelectorGroupId group, NodeId node) const {
    const std::vector<int32_t>& counts = groups_[group].counts;
    return node < counts.size() ? counts[node] : 0;
  }
  // By NodeId; shorter than the number of nodes if the last ones have none.
  std::span<const int32_t> counts(SelectorGroupId group) const { return groups_[group].counts; }
  uint32_t size() const { return static_cast<uint32_t>(groups_.size()); }  // ids are below this

 private:
  struct Group {
    std::vector<PodSelector> selectors;
    bool skip_terminating = false;
    bool reads_namespaces = false;
    std::vector<int32_t> counts;  // by NodeId
  };
  // The groups that pods of one class are in, as far as they have been looked at.
  struct Membership {
    uint64_t serial = 0;  // of the class
    uint32_t groups_seen = 0;
    boost::container::small_vector<SelectorGroupId, 4> groups;
  };
  Membership& MembershipOf(const PodClass& pod_class, const NamespaceLabels& all);
  static void Add(Group& group, const PodInfo& pod, NodeId node, int32_t sign);
  void Recount(SelectorGroupId id, const NamespaceLabels& all, const ForEachPod& pods);

  std::deque<Group> groups_;
  boost::unordered_flat_map<std::string, SelectorGroupId> ids_;
  std::vector<Membership> memberships_;  // by PodClass::id
  std::string scratch_;
};

}  // namespace ksched
