// Which events may make a pod schedulable that InterPodAffinity has rejected.
#include <algorithm>

#include "plugins/inter_pod_affinity/inter_pod_affinity.h"

namespace ksched {
namespace {

// The reference's hints do not look up the labels of namespaces: a namespaceSelector sees a namespace without any.
class NoNamespaceLabels final : public NamespaceLabels {
 public:
  const api::StringMap* LabelsOf(std::string_view) const override { return nullptr; }
};

bool Means(const PodTerm& term, const PodInfo& pod) {
  return term.selector.Matches(pod.ns(), pod.pod_class->labels, NoNamespaceLabels());
}

// All terms of required affinity, and there is one.
bool MeetsAllAffinity(const ClassTerms& terms, const PodInfo& pod) {
  bool any = false;
  for (const PodTerm& term : terms.terms) {
    if (term.kind != TermKind::kRequiredAffinity) continue;
    if (!Means(term, pod)) return false;
    any = true;
  }
  return any;
}

bool MeetsAnyAntiAffinity(const ClassTerms& terms, const PodInfo& pod) {
  return std::any_of(terms.terms.begin(), terms.terms.end(), [&](const PodTerm& term) {
    return term.kind == TermKind::kRequiredAntiAffinity && Means(term, pod);
  });
}

bool IsUnscheduled(const PodInfo* pod) {
  return pod != nullptr && pod->node_name().empty() && pod->nominated_node_name().empty();
}

const std::string* LabelOf(const api::Node* node, const std::string& key) {
  if (node == nullptr) return nullptr;
  const auto label = node->metadata.labels.find(key);
  return label == node->metadata.labels.end() ? nullptr : &label->second;
}

// The node has come into a domain where the pod may be wanted, or left one where it is not.
bool MayHelp(const PodTerm& term, const EventObjects& objects) {
  const bool anti = term.kind == TermKind::kRequiredAntiAffinity;
  if (!anti && term.kind != TermKind::kRequiredAffinity) return false;
  const std::string* const before = LabelOf(objects.old_node, term.topology_key);
  const std::string* const now = LabelOf(objects.new_node, term.topology_key);
  // Anti-affinity lets pods onto any node without the key; which pods are in its domain, if it has one, nobody asks.
  if (objects.old_node == nullptr) return anti || now != nullptr;
  if (before != nullptr && now != nullptr) return *before != *now;
  return anti ? before != nullptr : now != nullptr;
}

}  // namespace

std::vector<ClusterEventWithHint> InterPodAffinity::EventsToRegister() const {
  return {
      {{EventResource::kAssignedPod, kAdd | kUpdatePodLabel | kDelete},
       [this](const PodInfo& pod, const EventObjects& objects) { return AfterPodChange(pod, objects); }},
      // Terms of pods on nodes may have meant the old labels and not mean the new ones.
      {{EventResource::kTargetPod, kUpdatePodLabel},
       [](const PodInfo&, const EventObjects&) -> Result<QueueingHint> { return QueueingHint::kQueue; }},
      {{EventResource::kNode, kAdd | kUpdateNodeLabel},
       [this](const PodInfo& pod, const EventObjects& objects) { return AfterNodeChange(pod, objects); }},
  };
}

Result<QueueingHint> InterPodAffinity::AfterPodChange(const PodInfo& pod, const EventObjects& objects) const {
  const PodInfo* const before = objects.old_pod;
  const PodInfo* const now = objects.new_pod;
  if (IsUnscheduled(before) || IsUnscheduled(now)) return QueueingHint::kSkip;
  const ClassTerms& own = counts_.Terms(*pod.pod_class);
  if (before == nullptr) return QueueIf(MeetsAllAffinity(own, *now));
  if (now == nullptr) {
    if (MeetsAnyAntiAffinity(own, *before)) return QueueingHint::kQueue;
    return QueueIf(MeetsAnyAntiAffinity(counts_.Terms(*before->pod_class), pod));
  }
  if (!MeetsAllAffinity(own, *before) && MeetsAllAffinity(own, *now)) return QueueingHint::kQueue;
  return QueueIf(MeetsAnyAntiAffinity(own, *before) && !MeetsAnyAntiAffinity(own, *now));
}

Result<QueueingHint> InterPodAffinity::AfterNodeChange(const PodInfo& pod, const EventObjects& objects) const {
  const std::vector<PodTerm>& terms = counts_.Terms(*pod.pod_class).terms;
  return QueueIf(std::any_of(terms.begin(), terms.end(), [&](const PodTerm& term) { return MayHelp(term, objects); }));
}

}  // namespace ksched
