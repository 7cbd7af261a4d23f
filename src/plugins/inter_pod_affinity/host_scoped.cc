// InterPodAffinity with the gate InterPodAffinityHostnameFastPath: terms by kubernetes.io/hostname are answered by what
// is on the node itself. The state counts that, in dry runs too.
#include <algorithm>

#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "plugins/inter_pod_affinity/slots.h"

namespace ksched {

int64_t InterPodAffinity::PodsInGroup(SelectorGroupId group) const {
  int64_t pods = 0;
  for (const NodeId node : state_.order()) pods += state_.selector_groups().count(group, node);
  return pods;
}

bool InterPodAffinity::AnyHostScopedAntiAffinity() const {
  for (TermGroupId id = 0; id < state_.term_groups().size(); ++id) {
    const TermGroups::Group& group = state_.term_groups().group(id);
    if (group.kind != TermKind::kRequiredAntiAffinity || group.key != host_key_ || group.pods == 0) continue;
    const auto has_it = [&](NodeId node) { return group.weight(node) > 0; };
    if (std::any_of(state_.order().begin(), state_.order().end(), has_it)) return true;
  }
  return false;
}

// The first of its kind may go to any node with the label.
bool InterPodAffinity::NodeMeetsAffinity(const Data& data, NodeId node) const {
  if (state_.domain(host_key_, node) == kNoDomain) return false;
  if (state_.selector_groups().count(data.own->all_affinity, node) > 0) return true;
  return data.self_match && data.affinity_pods + data.deltas.Get(kAffinityPodsSlot, 0) <= 0;
}

bool InterPodAffinity::NodeMeetsExistingAntiAffinity(const PodInfo& pod, NodeId node) const {
  if (state_.domain(host_key_, node) == kNoDomain) return true;
  const auto groups = state_.TermGroupsMatching(*pod.pod_class);
  return std::none_of(groups.begin(), groups.end(), [&](TermGroupId id) {
    const TermGroups::Group& group = state_.term_groups().group(id);
    return group.kind == TermKind::kRequiredAntiAffinity && group.key == host_key_ && group.weight(node) > 0;
  });
}

}  // namespace ksched
