#include "plugins/pod_topology_spread/pod_topology_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/wrapping.h"
#include "plugins/common/go_arithmetic.h"
#include "plugins/common/go_math.h"

namespace ksched {

Result<std::unique_ptr<Plugin>> PodTopologySpread::Create(const config::PluginArgs& args,
                                                          const PluginContext& context) {
  const auto* given = std::get_if<config::PodTopologySpreadArgs>(&args);
  if (given == nullptr) return Error{"want args to be of type PodTopologySpreadArgs"};
  SpreadDefaults defaults;
  defaults.system = given->defaulting_type == "System";
  defaults.constraints = defaults.system ? SystemDefaultConstraints() : given->default_constraints;
  defaults.match_label_keys = context.features.Enabled(config::Gate::kMatchLabelKeysInPodTopologySpread);
  return std::unique_ptr<Plugin>(std::make_unique<PodTopologySpread>(std::move(defaults), context));
}

PodTopologySpread::PodTopologySpread(SpreadDefaults defaults, const PluginContext& context)
    : id_(context.id),
      state_(context.state),
      signs_(defaults.constraints.empty()),
      table_(std::move(defaults), context.features.Enabled(config::Gate::kTaintTolerationComparisonOperators), state_),
      skewed_(context.reasons.Intern("node(s) didn't match pod topology spread constraints")),
      no_label_(
          context.reasons.Intern("node(s) didn't match pod topology spread constraints (missing required label)")),
      no_pre_filter_(context.reasons.Intern("reading \"PreFilterPodTopologySpread\" from cycleState: not found")),
      no_pre_score_(context.reasons.Intern("error reading \"PreScorePodTopologySpread\" from cycleState: not found")) {}

// ---- hard constraints ----

Status PodTopologySpread::PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult&) const {
  if (!table_.MayHave(*pod.pod_class, SpreadAction::kHard)) return Status::Skip();
  const SpreadTable::Entry& entry = table_.Find(*pod.pod_class, SpreadAction::kHard);
  if (entry.counts == nullptr) return Status::Skip();
  auto& data = cycle.Write<Data>(id_);
  data.hard_counts = entry.counts;
  data.deltas.Clear();
  SpreadCounts& counts = *data.hard_counts;
  counts.Update(state_);
  data.hard.resize(counts.size());
  for (size_t i = 0; i < counts.size(); ++i) {
    const SpreadConstraint& constraint = counts.constraints()[i];
    Hard& hard = data.hard[i];
    hard.key = constraint.key;
    hard.sums = &counts.sums(i);
    hard.allowed = int64_t{constraint.max_skew} - entry.means_self[i];
    hard.too_few_domains = static_cast<int64_t>(hard.sums->num_domains()) < constraint.min_domains;
    // Without any domain it is what the reference starts with; that takes a minDomains that no pod can have.
    constexpr int64_t kNoDomains = std::numeric_limits<int32_t>::max();
    hard.least = hard.too_few_domains ? 0 : std::min(hard.sums->Least(), kNoDomains);
  }
  return {};
}

Status PodTopologySpread::AddPod(CycleState& cycle, const PodInfo& pod, const PodInfo& added,
                                 const NodeView& node) const {
  if (!cycle.pre_filtered.Has(id_)) return {Code::kError, no_pre_filter_};
  Change(cycle, pod, added, node.id(), +1);
  return {};
}

Status PodTopologySpread::RemovePod(CycleState& cycle, const PodInfo& pod, const PodInfo& removed,
                                    const NodeView& node) const {
  if (!cycle.pre_filtered.Has(id_)) return {Code::kError, no_pre_filter_};
  Change(cycle, pod, removed, node.id(), -1);
  return {};
}

// As in the reference, terminating pods count here, and so do all pods for an empty selector, though PreFilter counts
// neither: what is removed may never have been there.
void PodTopologySpread::Change(CycleState& cycle, const PodInfo& pod, const PodInfo& changed, NodeId node,
                               int64_t delta) const {
  if (changed.ns() != pod.ns() || !state_.present(node)) return;
  auto& data = cycle.Write<Data>(id_);
  const SpreadCounts& counts = *data.hard_counts;
  if (!counts.HasAllKeys(state_, node)) return;
  for (uint32_t i = 0; i < counts.size(); ++i) {
    const SpreadConstraint& constraint = counts.constraints()[i];
    if (!constraint.Means(changed.pod_class->labels) || !counts.Includes(i, state_.node(node))) continue;
    data.deltas.Add(i, state_.domain(constraint.key, node), delta);
  }
}

int64_t PodTopologySpread::LeastWithDeltas(const Data& data, uint32_t constraint) {
  const Hard& hard = data.hard[constraint];
  if (hard.too_few_domains) return 0;
  const DomainDeltas::Entry* changed = nullptr;
  bool several = false;
  for (const DomainDeltas::Entry& entry : data.deltas.entries()) {
    if (entry.slot != constraint) continue;
    several = changed != nullptr;
    changed = &entry;
    if (several) break;
  }
  if (changed == nullptr) return hard.least;
  DomainSums& sums = *hard.sums;
  if (!several) return std::min(sums.LeastBut(changed->domain), sums.sum(changed->domain) + changed->delta);
  int64_t least = DomainSums::kNone;
  for (DomainId domain = 0; domain < sums.domain_capacity(); ++domain) {
    if (sums.nodes(domain) > 0) least = std::min(least, sums.sum(domain) + data.deltas.Get(constraint, domain));
  }
  return least;
}

Status PodTopologySpread::Filter(const CycleState& cycle, const PodInfo&, const NodeView& node) const {
  if (!cycle.pre_filtered.Has(id_)) return {Code::kError, no_pre_filter_};
  const auto& data = cycle.Read<Data>(id_);
  const bool changed = !data.deltas.empty();
  for (uint32_t i = 0; i < data.hard.size(); ++i) {
    const Hard& hard = data.hard[i];
    const DomainId domain = state_.domain(hard.key, node.id());
    if (domain == kNoDomain) return Status::UnschedulableAndUnresolvable(no_label_);
    int64_t count = hard.sums->sum(domain), least = hard.least;
    if (changed) {
      count += data.deltas.Get(i, domain);
      least = LeastWithDeltas(data, i);
    }
    if (count - least > hard.allowed) return Status::Unschedulable(skewed_);
  }
  return {};
}

// ---- soft constraints ----

// A missing label counts as the value "".
uint32_t PodTopologySpread::NumDomainsAmong(std::span<const NodeId> nodes, size_t constraint, Data& data) const {
  const TopologyKeyId key = data.soft_counts->constraints()[constraint].key;
  Soft& soft = data.soft[constraint];
  soft.seen.resize(std::max<size_t>(soft.seen.size(), state_.topology().num_domains(key)), 0);
  uint32_t domains = 0;
  bool without_label = false, empty_value = false;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (data.ignored[i] != 0) continue;
    const DomainId domain = state_.domain(key, nodes[i]);
    if (domain == kNoDomain) {
      without_label = true;
    } else if (soft.seen[domain] != data.pre_scores) {
      soft.seen[domain] = data.pre_scores;
      ++domains;
      empty_value |= state_.topology().value(key, domain).empty();
    }
  }
  soft.without_label =
      empty_value && !data.soft_counts->needs_all_keys() ? data.soft_counts->CountWithoutLabel(constraint, state_) : 0;
  return domains + (without_label && !empty_value ? 1 : 0);
}

Status PodTopologySpread::PreScore(CycleState& cycle, const PodInfo& pod, std::span<const NodeId> nodes) const {
  if (state_.num_nodes() == 0 || !table_.MayHave(*pod.pod_class, SpreadAction::kSoft)) return Status::Skip();
  const SpreadTable::Entry& entry = table_.Find(*pod.pod_class, SpreadAction::kSoft);
  if (entry.counts == nullptr) return Status::Skip();
  auto& data = cycle.Write<Data>(id_);
  data.soft_counts = entry.counts;
  SpreadCounts& counts = *data.soft_counts;
  counts.Update(state_);
  if (data.soft.size() < counts.size()) data.soft.resize(counts.size());
  if (++data.pre_scores == 0) {  // the numbers start anew
    for (Soft& soft : data.soft) soft.seen.assign(soft.seen.size(), 0);
    data.pre_scores = 1;
  }
  data.ignored.assign(nodes.size(), 0);
  size_t num_ignored = 0;
  for (size_t i = 0; counts.needs_all_keys() && i < nodes.size(); ++i) {
    if (counts.HasAllKeys(state_, nodes[i])) continue;
    data.ignored[i] = 1;
    ++num_ignored;
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    // Constraints with more domains weigh more: else the small counts of their domains would hardly show.
    const size_t size =
        counts.constraints()[i].is_hostname ? nodes.size() - num_ignored : NumDomainsAmong(nodes, i, data);
    data.soft[i].weight = GoLog(static_cast<double>(size + 2));
  }
  return {};
}

Status PodTopologySpread::Score(const CycleState& cycle, const PodInfo&, const NodeView& node, int64_t& score) const {
  if (!cycle.pre_scored.Has(id_)) return {Code::kError, no_pre_score_};
  const auto& data = cycle.Read<Data>(id_);
  const SpreadCounts& counts = *data.soft_counts;
  score = 0;
  if (counts.needs_all_keys() && !counts.HasAllKeys(state_, node.id())) return {};
  double sum = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const SpreadConstraint& constraint = counts.constraints()[i];
    const DomainId domain = state_.domain(constraint.key, node.id());
    if (domain == kNoDomain) continue;
    int64_t count = 0;
    if (constraint.is_hostname) {
      count = counts.CountOn(i, state_, node.id());
    } else {
      count = counts.sums(i).sum(domain);
      // To the reference, nodes without the label are in the domain of the value "".
      const int64_t without_label = data.soft[i].without_label;
      if (without_label != 0 && state_.topology().value(constraint.key, domain).empty()) count += without_label;
    }
    sum += static_cast<double>(count) * data.soft[i].weight + static_cast<double>(constraint.max_skew - 1);
  }
  score = TruncateToInt64(std::round(sum));
  return {};
}

Status PodTopologySpread::NormalizeScore(const CycleState& cycle, const PodInfo&, std::span<int64_t> scores) const {
  if (!cycle.pre_scored.Has(id_)) return {Code::kError, no_pre_score_};
  const auto& data = cycle.Read<Data>(id_);
  int64_t least = std::numeric_limits<int64_t>::max(), greatest = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (data.ignored[i] != 0) continue;
    least = std::min(least, scores[i]);
    greatest = std::max(greatest, scores[i]);
  }
  for (size_t i = 0; i < scores.size(); ++i) {
    if (data.ignored[i] != 0) {
      scores[i] = 0;
    } else if (greatest == 0) {
      scores[i] = kMaxNodeScore;
    } else {
      scores[i] = WrapDiv(WrapMul(kMaxNodeScore, WrapSub(WrapAdd(greatest, least), scores[i])), greatest);
    }
  }
  return {};
}

// What spreads depends on the pods of all nodes: such pods are not signed.
bool PodTopologySpread::SignPod(const PodInfo& pod, std::string&) const {
  return signs_ && pod.pod_class->spec.topology_spread_constraints.empty();
}

}  // namespace ksched
