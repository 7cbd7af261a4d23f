#include "state/term_groups.h"

#include <utility>

namespace ksched {
namespace {

void AddTerms(const std::optional<api::PodAffinity>& affinity, bool required, TermKind kind, const std::string& ns,
              std::vector<PodTerm>& terms) {
  if (!affinity) return;
  if (required) {
    for (const api::PodAffinityTerm& term : affinity->required) {
      terms.push_back({kind, 1, term.topology_key, MakePodSelector(term, ns)});
    }
    return;
  }
  for (const api::WeightedPodAffinityTerm& weighted : affinity->preferred) {
    terms.push_back({kind, weighted.weight, weighted.term.topology_key, MakePodSelector(weighted.term, ns)});
  }
}

}  // namespace

std::vector<PodTerm> TermsOf(const PodClass& pod_class) {
  std::vector<PodTerm> terms;
  if (!pod_class.spec.affinity) return terms;
  const api::Affinity& affinity = *pod_class.spec.affinity;
  AddTerms(affinity.pod_affinity, true, TermKind::kRequiredAffinity, pod_class.ns, terms);
  AddTerms(affinity.pod_anti_affinity, true, TermKind::kRequiredAntiAffinity, pod_class.ns, terms);
  AddTerms(affinity.pod_affinity, false, TermKind::kPreferredAffinity, pod_class.ns, terms);
  AddTerms(affinity.pod_anti_affinity, false, TermKind::kPreferredAntiAffinity, pod_class.ns, terms);
  return terms;
}

TermGroupId TermGroups::Use(PodTerm&& term, TopologyKeyId key) {
  scratch_.assign(1, static_cast<char>('0' + static_cast<int>(term.kind)));
  scratch_.append(reinterpret_cast<const char*>(&key), sizeof key);
  AppendKey(term.selector, scratch_);
  const auto [entry, added] = ids_.try_emplace(scratch_, size());
  if (added) {
    Group& group = groups_.emplace_back();
    group.kind = term.kind;
    group.key = key;
    group.selector = std::move(term.selector);
  }
  return entry->second;
}

void TermGroups::Add(Group& group, NodeId node, int32_t weight, int32_t sign) {
  if (group.weights.size() <= node) group.weights.resize(node + 1, 0);
  group.weights[node] += int64_t{weight} * sign;
  group.pods += sign;
}

std::span<const TermGroupId> TermGroups::Matching(const PodClass& incoming, const NamespaceLabels& all) {
  if (groups_.empty()) return {};
  PerClass<TermGroupId>& slot = Slot(matching_, incoming);
  for (; slot.seen < size(); ++slot.seen) {
    if (groups_[slot.seen].selector.Matches(incoming.ns, incoming.labels, all)) slot.groups.push_back(slot.seen);
  }
  return {slot.groups.data(), slot.groups.size()};
}

}  // namespace ksched
