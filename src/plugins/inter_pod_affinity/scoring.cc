// How InterPodAffinity scores.
#include <algorithm>

#include "plugins/inter_pod_affinity/inter_pod_affinity.h"

namespace ksched {

int64_t InterPodAffinity::ScoreWeight(TermKind kind) const {
  switch (kind) {
    case TermKind::kRequiredAffinity:
      return args_.hard_pod_affinity_weight;
    case TermKind::kPreferredAffinity:
      return 1;
    case TermKind::kPreferredAntiAffinity:
      return -1;
    case TermKind::kRequiredAntiAffinity:
      break;
  }
  return 0;
}

// Skips if no term, of either side, means a pod in any domain.
Status InterPodAffinity::PreScore(CycleState& cycle, const PodInfo& pod, std::span<const NodeId>) const {
  if (!cycle.pre_filtered.Has(id_)) counts_.Trim();
  const ClassTerms& own = counts_.Compiled(*pod.pod_class);
  if (args_.ignore_preferred_terms_of_existing_pods && own.preferred.empty()) return Status::Skip();
  auto& data = cycle.Write<Data>(id_);
  data.scored.clear();
  for (const OwnTerm& term : own.preferred) {
    counts_.Update(term);
    if (term.sums->total() != 0) data.scored.push_back({term.key, term.sums, term.weight});
  }
  for (const TermGroupId id : state_.TermGroupsMatching(*pod.pod_class)) {
    const TermGroups::Group& group = state_.term_groups().group(id);
    const int64_t weight = ScoreWeight(group.kind);
    if (weight == 0 || group.pods == 0) continue;
    const DomainSums& sums = counts_.Updated(id);
    if (sums.total() != 0) data.scored.push_back({group.key, &sums, weight});
  }
  if (data.scored.empty()) return Status::Skip();
  std::sort(data.scored.begin(), data.scored.end(),
            [](const ScoredTerm& a, const ScoredTerm& b) { return a.key < b.key; });
  return {};
}

Status InterPodAffinity::Score(const CycleState& cycle, const PodInfo&, const NodeView& node, int64_t& score) const {
  if (!cycle.pre_scored.Has(id_)) return {Code::kError, no_pre_score_};  // the profile does not have it
  const std::vector<ScoredTerm>& terms = cycle.Read<Data>(id_).scored;
  score = 0;
  for (size_t i = 0; i < terms.size();) {
    const TopologyKeyId key = terms[i].key;
    const DomainId domain = state_.domain(key, node.id());
    for (; i < terms.size() && terms[i].key == key; ++i) {
      if (domain != kNoDomain) score += terms[i].weight * terms[i].sums->sum(domain);
    }
  }
  return {};
}

// The lowest becomes 0, the highest 100; if they are the same, all become 0.
Status InterPodAffinity::NormalizeScore(const CycleState&, const PodInfo&, std::span<int64_t> scores) const {
  if (scores.empty()) return {};
  const auto [lowest, highest] = std::minmax_element(scores.begin(), scores.end());
  const int64_t low = *lowest, range = *highest - *lowest;
  for (int64_t& score : scores) {
    const double part = range > 0 ? static_cast<double>(score - low) / static_cast<double>(range) : 0;
    score = static_cast<int64_t>(static_cast<double>(kMaxNodeScore) * part);
  }
  return {};
}

}  // namespace ksched
