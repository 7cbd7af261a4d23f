#include "plugins/inter_pod_affinity/affinity_counts.h"

#include <algorithm>

namespace ksched {
namespace {

// Sums that are kept, times nodes: each takes sixteen bytes.
constexpr size_t kMaxAmounts = size_t{1} << 23;

// The selector as a term of the pod that is to be placed means it.
PodSelector Incoming(PodSelector selector) {
  selector.listed_namespaces = selector.namespace_selector.has_value();
  return selector;
}

}  // namespace

ClassTerms& AffinityCounts::Slot(const PodClass& pod_class) {
  if (!pod_class.spec.affinity) return none_;
  if (classes_.size() <= pod_class.id) classes_.resize(pod_class.id + 1);
  std::unique_ptr<ClassTerms>& slot = classes_[pod_class.id];
  if (slot == nullptr) slot = std::make_unique<ClassTerms>();
  if (slot->serial != pod_class.serial) {
    *slot = ClassTerms();
    slot->serial = pod_class.serial;
    slot->terms = TermsOf(pod_class);
    for (const PodTerm& term : slot->terms) {
      if (term.kind != TermKind::kRequiredAntiAffinity) continue;
      slot->required_anti.push_back(state_.UseTopologyKey(term.topology_key));
    }
  }
  return *slot;
}

OwnTerm AffinityCounts::MakeOwn(TopologyKeyId key, SelectorGroupId group, int32_t weight) {
  std::unique_ptr<DomainSums>& sums = group_sums_[{group, key}];
  if (sums == nullptr) {
    sums = std::make_unique<DomainSums>();
    ++sums_;
  }
  return {key, group, sums.get(), weight};
}

const ClassTerms& AffinityCounts::Compiled(const PodClass& pod_class) {
  ClassTerms& made = Slot(pod_class);
  if (made.compiled) return made;
  made.compiled = true;
  std::vector<PodSelector> all;
  std::vector<TopologyKeyId> keys;
  for (const PodTerm& term : made.terms) {
    const TopologyKeyId key = state_.UseTopologyKey(term.topology_key);
    PodSelector selector = Incoming(term.selector);
    if (term.kind == TermKind::kRequiredAffinity) {
      all.push_back(std::move(selector));
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
      continue;
    }
    const SelectorGroupId group = state_.UseSelectorGroup({std::move(selector)}, /*skip_terminating=*/false);
    if (term.kind == TermKind::kRequiredAntiAffinity) {
      made.anti_affinity.push_back(MakeOwn(key, group, 0));
    } else {
      const int32_t weight = term.kind == TermKind::kPreferredAffinity ? term.weight : -term.weight;
      made.preferred.push_back(MakeOwn(key, group, weight));
    }
  }
  if (all.empty()) return made;
  made.all_affinity = state_.UseSelectorGroup(all, /*skip_terminating=*/false);
  for (const TopologyKeyId key : keys) made.affinity.push_back(MakeOwn(key, made.all_affinity, 0));
  return made;
}

const PodEffects& AffinityCounts::Effects(const PodClass& incoming, const PodClass& changed) {
  if (effects_.size() <= changed.id) effects_.resize(changed.id + 1);
  PodEffects& effects = effects_[changed.id];
  const uint64_t version = state_.objects().namespaces.version();
  if (effects.serial == changed.serial && effects.incoming_serial == incoming.serial &&
      effects.namespaces_version == version) {
    return effects;
  }
  effects = {changed.serial, incoming.serial, version, false, {}, {}};
  const ClassTerms& own = Compiled(incoming);
  effects.affinity = !own.affinity.empty() && state_.InSelectorGroup(own.all_affinity, changed);
  for (uint32_t i = 0; i < own.anti_affinity.size(); ++i) {
    if (state_.InSelectorGroup(own.anti_affinity[i].group, changed)) effects.anti_affinity.push_back(i);
  }
  const ClassTerms& theirs = Terms(changed);
  size_t position = 0;
  for (const PodTerm& term : theirs.terms) {
    if (term.kind != TermKind::kRequiredAntiAffinity) continue;
    const TopologyKeyId key = theirs.required_anti[position++];
    if (term.selector.Matches(incoming.ns, incoming.labels, state_.objects())) effects.existing.push_back(key);
  }
  return effects;
}

void AffinityCounts::Update(const OwnTerm& term) {
  term.sums->Update(state_, term.key, [&](NodeId node) {
    ++nodes_asked_;
    return std::optional<int64_t>(state_.selector_groups().count(term.group, node));
  });
}

DomainSums& AffinityCounts::Updated(TermGroupId id) {
  if (term_sums_.size() <= id) term_sums_.resize(id + 1);
  std::unique_ptr<DomainSums>& sums = term_sums_[id];
  if (sums == nullptr) {
    sums = std::make_unique<DomainSums>();
    ++sums_;
  }
  const TermGroups::Group& group = state_.term_groups().group(id);
  sums->Update(state_, group.key, [&](NodeId node) {
    ++nodes_asked_;
    return std::optional<int64_t>(group.weight(node));
  });
  return *sums;
}

void AffinityCounts::Trim() {
  if (sums_ * state_.node_capacity() <= kMaxAmounts) return;
  classes_.clear();
  group_sums_.clear();
  term_sums_.clear();
  sums_ = 0;
}

}  // namespace ksched
