// PodTopologySpread: what may make a pod schedulable that it has rejected.

#include <algorithm>

#include "plugins/pod_topology_spread/pod_topology_spread.h"

namespace ksched {
namespace {

using Constraints = std::vector<SpreadConstraint>;

// Whether the pod counts for the spreading of pods like `pod`.
bool IsInvolved(const PodInfo& other, const PodInfo& pod) {
  return !(other.node_name().empty() && other.nominated_node_name().empty()) && other.ns() == pod.ns();
}

bool AnyMeans(const Constraints& constraints, const PodInfo& pod) {
  return std::ranges::any_of(constraints, [&](const auto& one) { return one.Means(pod.pod_class->labels); });
}

// Whether a constraint means the pod now and did not before, or the other way round.
bool MeaningChanged(const Constraints& constraints, const PodInfo& before, const PodInfo& after) {
  return std::ranges::any_of(constraints, [&](const auto& one) {
    return one.Means(before.pod_class->labels) != one.Means(after.pod_class->labels);
  });
}

bool HasAllKeys(const Constraints& constraints, const api::Node* node) {
  return node != nullptr && std::ranges::all_of(constraints, [node](const auto& one) {
           return node->metadata.labels.contains(one.topology_key);
         });
}

bool ChangesDomain(const Constraints& constraints, const api::Node& before, const api::Node& after) {
  return std::ranges::any_of(constraints, [&](const auto& one) {  // both have the label
    return before.metadata.labels.find(one.topology_key)->second !=
           after.metadata.labels.find(one.topology_key)->second;
  });
}

}  // namespace

std::vector<ClusterEventWithHint> PodTopologySpread::EventsToRegister() const {
  return {
      {{EventResource::kAssignedPod, kAdd | kUpdatePodLabel | kDelete},
       [this](const PodInfo& pod, const EventObjects& objects) { return AfterAssignedPodChange(pod, objects); }},
      {{EventResource::kTargetPod, kUpdatePodToleration | kUpdatePodLabel},
       [this](const PodInfo& pod, const EventObjects& objects) { return AfterTargetPodChange(pod, objects); }},
      {{EventResource::kNode, kAdd | kDelete | kUpdateNodeLabel | kUpdateNodeTaint},
       [this](const PodInfo& pod, const EventObjects& objects) { return AfterNodeChange(pod, objects); }},
  };
}

const std::vector<SpreadConstraint>& PodTopologySpread::HardConstraintsOf(const PodInfo& pod) const {
  static const std::vector<SpreadConstraint> kNoConstraints;
  if (!table_.MayHave(*pod.pod_class, SpreadAction::kHard)) return kNoConstraints;
  const SpreadTable::Entry& entry = table_.Find(*pod.pod_class, SpreadAction::kHard);
  return entry.counts == nullptr ? kNoConstraints : entry.counts->constraints();
}

// A pod that came, went, or got other labels, and that one of the constraints means.
Result<QueueingHint> PodTopologySpread::AfterAssignedPodChange(const PodInfo& pod, const EventObjects& objects) const {
  const PodInfo *before = objects.old_pod, *after = objects.new_pod;
  if (after != nullptr && !IsInvolved(*after, pod)) return QueueingHint::kSkip;
  if (before != nullptr && !IsInvolved(*before, pod)) return QueueingHint::kSkip;
  const Constraints& constraints = HardConstraintsOf(pod);
  if (before != nullptr && after != nullptr) return QueueIf(MeaningChanged(constraints, *before, *after));
  return QueueIf(AnyMeans(constraints, after != nullptr ? *after : *before));
}

// More tolerations, where they decide which nodes take part; labels that make constraints mean the pod, or not.
Result<QueueingHint> PodTopologySpread::AfterTargetPodChange(const PodInfo& pod, const EventObjects& objects) const {
  const PodInfo &before = *objects.old_pod, &after = *objects.new_pod;
  const Constraints& constraints = HardConstraintsOf(pod);
  if (before.pod_class->spec.tolerations != after.pod_class->spec.tolerations &&
      std::ranges::any_of(constraints, [](const auto& one) { return one.honors_taints; })) {
    return QueueingHint::kQueue;
  }
  return QueueIf(MeaningChanged(constraints, before, after));
}

// A node that takes part now or did before, unless all stays the same: its domains and its taints.
Result<QueueingHint> PodTopologySpread::AfterNodeChange(const PodInfo& pod, const EventObjects& objects) const {
  const Constraints& constraints = HardConstraintsOf(pod);
  const api::Node *before = objects.old_node, *after = objects.new_node;
  const bool was_in = HasAllKeys(constraints, before), is_in = HasAllKeys(constraints, after);
  if (before == nullptr || after == nullptr) return QueueIf(was_in || is_in);
  if (was_in != is_in) return QueueingHint::kQueue;
  return QueueIf(is_in && (ChangesDomain(constraints, *before, *after) || before->spec.taints != after->spec.taints));
}

}  // namespace ksched
