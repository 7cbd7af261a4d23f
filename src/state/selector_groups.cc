#include "state/selector_groups.h"

#include <algorithm>

namespace ksched {

SelectorGroupId SelectorGroups::Use(const std::vector<PodSelector>& selectors, bool skip_terminating,
                                    const NamespaceLabels& all, const ForEachPod& pods) {
  scratch_.assign(1, skip_terminating ? 'r' : 'a');
  for (const PodSelector& selector : selectors) AppendKey(selector, scratch_);
  const auto [entry, added] = ids_.try_emplace(scratch_, size());
  if (!added) return entry->second;
  const SelectorGroupId id = entry->second;
  Group& group = groups_.emplace_back();
  group.selectors = selectors;
  group.skip_terminating = skip_terminating;
  group.reads_namespaces = std::any_of(selectors.begin(), selectors.end(),
                                       [](const PodSelector& s) { return s.namespace_selector.has_value(); });
  Recount(id, all, pods);
  return id;
}

bool SelectorGroups::Matches(SelectorGroupId id, const PodClass& pod_class, const NamespaceLabels& all) const {
  const std::vector<PodSelector>& selectors = groups_[id].selectors;
  return std::all_of(selectors.begin(), selectors.end(), [&](const PodSelector& selector) {
    return selector.Matches(pod_class.ns, pod_class.labels, all);
  });
}

SelectorGroups::Membership& SelectorGroups::MembershipOf(const PodClass& pod_class, const NamespaceLabels& all) {
  if (memberships_.size() <= pod_class.id) memberships_.resize(pod_class.id + 1);
  Membership& membership = memberships_[pod_class.id];
  if (membership.serial != pod_class.serial) {
    membership = Membership();
    membership.serial = pod_class.serial;
  }
  for (; membership.groups_seen < size(); ++membership.groups_seen) {
    if (Matches(membership.groups_seen, pod_class, all)) membership.groups.push_back(membership.groups_seen);
  }
  return membership;
}

void SelectorGroups::Add(Group& group, const PodInfo& pod, NodeId node, int32_t sign) {
  if (group.skip_terminating && pod.deleting()) return;
  if (group.counts.size() <= node) group.counts.resize(node + 1, 0);
  group.counts[node] += sign;
}

// Asks each class once: `pods` gives those of one class again and again.
void SelectorGroups::Recount(SelectorGroupId id, const NamespaceLabels& all, const ForEachPod& pods) {
  Group& group = groups_[id];
  std::fill(group.counts.begin(), group.counts.end(), 0);
  boost::unordered_flat_map<uint64_t, bool> matches;  // by the serial of the class
  pods([&](const PodInfo& pod) {
    const auto [entry, added] = matches.try_emplace(pod.pod_class->serial, false);
    if (added) entry->second = Matches(id, *pod.pod_class, all);
    if (entry->second) Add(group, pod, pod.node, +1);
  });
}

void SelectorGroups::NamespacesChanged(const NamespaceLabels& all, const ForEachPod& pods,
                                       const std::function<void(NodeId)>& changed) {
  bool any = false;
  for (SelectorGroupId id = 0; id < size(); ++id) {
    Group& group = groups_[id];
    if (!group.reads_namespaces) continue;
    any = true;
    std::vector<int32_t> before = group.counts;
    Recount(id, all, pods);
    before.resize(group.counts.size(), 0);
    for (NodeId node = 0; node < before.size(); ++node) {
      if (before[node] != group.counts[node]) changed(node);
    }
  }
  if (any) memberships_.clear();
}

}  // namespace ksched
