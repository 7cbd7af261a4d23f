#include "plugins/inter_pod_affinity/inter_pod_affinity.h"

#include <algorithm>

#include "plugins/common/signature.h"
#include "plugins/inter_pod_affinity/slots.h"

namespace ksched {

Result<std::unique_ptr<Plugin>> InterPodAffinity::Create(const config::PluginArgs& args, const PluginContext& context) {
  const auto* given = std::get_if<config::InterPodAffinityArgs>(&args);
  if (given == nullptr) return Error{"want args to be of type InterPodAffinityArgs"};
  return std::unique_ptr<Plugin>(std::make_unique<InterPodAffinity>(*given, context));
}

InterPodAffinity::InterPodAffinity(const config::InterPodAffinityArgs& args, const PluginContext& context)
    : id_(context.id),
      state_(context.state),
      args_(args),
      host_fast_path_(context.features.Enabled(config::Gate::kInterPodAffinityHostnameFastPath)),
      counts_(context.state),
      affinity_(context.reasons.Intern("node(s) didn't match pod affinity rules")),
      anti_affinity_(context.reasons.Intern("node(s) didn't match pod anti-affinity rules")),
      existing_anti_affinity_(context.reasons.Intern("node(s) didn't satisfy existing pods anti-affinity rules")),
      no_pre_filter_(context.reasons.Intern("error reading \"PreFilterInterPodAffinity\" from cycleState: not found")),
      no_pre_score_(context.reasons.Intern("failed to read \"PreScoreInterPodAffinity\" from cycleState: not found")) {
  if (host_fast_path_) host_key_ = state_.UseTopologyKey("kubernetes.io/hostname");
}

Status InterPodAffinity::PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult&) const {
  counts_.Trim();
  const ClassTerms& own = counts_.Compiled(*pod.pod_class);
  auto& data = cycle.Write<Data>(id_);
  data.own = &own;
  data.deltas.Clear();
  data.existing.clear();
  data.host_affinity = own.affinity.size() == 1 && IsHostScoped(own.affinity.front().key);
  data.affinity_pods = data.host_affinity ? PodsInGroup(own.all_affinity) : 0;
  for (const OwnTerm& term : own.affinity) {
    if (data.host_affinity) break;
    counts_.Update(term);
    data.affinity_pods += term.sums->total();
  }
  data.self_match = !own.affinity.empty() && state_.InSelectorGroup(own.all_affinity, *pod.pod_class);
  for (const OwnTerm& term : own.anti_affinity) counts_.Update(term);
  int64_t existing = 0;
  for (const TermGroupId id : state_.TermGroupsMatching(*pod.pod_class)) {
    const TermGroups::Group& group = state_.term_groups().group(id);
    if (group.kind != TermKind::kRequiredAntiAffinity || group.pods == 0 || IsHostScoped(group.key)) continue;
    const DomainSums& sums = counts_.Updated(id);
    existing += sums.total();
    data.existing.push_back({group.key, &sums});
  }
  if (existing == 0 && !own.has_required() && !(host_fast_path_ && AnyHostScopedAntiAffinity())) return Status::Skip();
  std::sort(data.existing.begin(), data.existing.end(),
            [](const ExistingTerm& a, const ExistingTerm& b) { return a.key < b.key; });
  return {};
}

Status InterPodAffinity::AddPod(CycleState& cycle, const PodInfo& pod, const PodInfo& added,
                                const NodeView& node) const {
  return Change(cycle, pod, added, node.id(), +1);
}

Status InterPodAffinity::RemovePod(CycleState& cycle, const PodInfo& pod, const PodInfo& removed,
                                   const NodeView& node) const {
  return Change(cycle, pod, removed, node.id(), -1);
}

Status InterPodAffinity::Change(CycleState& cycle, const PodInfo& pod, const PodInfo& changed, NodeId node,
                                int sign) const {
  if (!cycle.pre_filtered.Has(id_)) return {Code::kError, no_pre_filter_};
  auto& data = cycle.Write<Data>(id_);
  const PodEffects& effects = counts_.Effects(*pod.pod_class, *changed.pod_class);
  const auto add = [&](uint32_t slot, TopologyKeyId key) {
    const DomainId domain = state_.domain(key, node);
    if (domain == kNoDomain) return false;
    data.deltas.Add(slot, domain, sign);
    return true;
  };
  if (effects.affinity && data.host_affinity) data.deltas.Add(kAffinityPodsSlot, 0, sign);
  for (uint32_t i = 0; effects.affinity && !data.host_affinity && i < data.own->affinity.size(); ++i) {
    if (add(kAffinitySlot + i, data.own->affinity[i].key)) data.deltas.Add(kAffinityPodsSlot, 0, sign);
  }
  for (const uint32_t i : effects.anti_affinity) add(kAntiAffinitySlot + i, data.own->anti_affinity[i].key);
  for (const TopologyKeyId key : effects.existing) {
    if (IsHostScoped(key) || !add(kExistingSlot + key, key)) continue;
    const bool known = std::any_of(data.existing.begin(), data.existing.end(),
                                   [&](const ExistingTerm& term) { return term.key == key; });
    if (!known) data.existing.push_back({key, nullptr});
  }
  return {};
}

Status InterPodAffinity::Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const {
  if (!cycle.pre_filtered.Has(id_)) return {Code::kError, no_pre_filter_};  // the profile does not have it
  const Data& data = cycle.Read<Data>(id_);
  if (!MeetsAffinity(data, node.id())) return Status::UnschedulableAndUnresolvable(affinity_);
  if (!MeetsAntiAffinity(data, node.id())) return Status::Unschedulable(anti_affinity_);
  if (!MeetsExistingAntiAffinity(data, node.id()) ||
      (host_fast_path_ && !NodeMeetsExistingAntiAffinity(pod, node.id()))) {
    return Status::Unschedulable(existing_anti_affinity_);
  }
  return {};
}

// In the domain of every term there is a pod that all terms mean; it may be another one in each. Where there is none in
// the whole cluster, the pod is the first of its kind: any node will do that has all keys, if they mean the pod itself.
bool InterPodAffinity::MeetsAffinity(const Data& data, NodeId node) const {
  if (data.host_affinity) return NodeMeetsAffinity(data, node);
  bool all = true;
  for (uint32_t i = 0; i < data.own->affinity.size(); ++i) {
    const OwnTerm& term = data.own->affinity[i];
    const DomainId domain = state_.domain(term.key, node);
    if (domain == kNoDomain) return false;
    all &= term.sums->sum(domain) + data.deltas.Get(kAffinitySlot + i, domain) > 0;
  }
  return all || (data.self_match && data.affinity_pods + data.deltas.Get(kAffinityPodsSlot, 0) == 0);
}

bool InterPodAffinity::MeetsAntiAffinity(const Data& data, NodeId node) const {
  for (uint32_t i = 0; i < data.own->anti_affinity.size(); ++i) {
    const OwnTerm& term = data.own->anti_affinity[i];
    const DomainId domain = state_.domain(term.key, node);
    if (domain == kNoDomain) continue;
    const int64_t pods = IsHostScoped(term.key)
                             ? state_.selector_groups().count(term.group, node)
                             : term.sums->sum(domain) + data.deltas.Get(kAntiAffinitySlot + i, domain);
    if (pods > 0) return false;
  }
  return true;
}

bool InterPodAffinity::MeetsExistingAntiAffinity(const Data& data, NodeId node) const {
  for (size_t i = 0; i < data.existing.size();) {
    const TopologyKeyId key = data.existing[i].key;
    const DomainId domain = state_.domain(key, node);
    int64_t count = domain == kNoDomain ? 0 : data.deltas.Get(kExistingSlot + key, domain);
    for (; i < data.existing.size() && data.existing[i].key == key; ++i) {
      if (domain != kNoDomain && data.existing[i].sums != nullptr) count += data.existing[i].sums->sum(domain);
    }
    if (count > 0) return false;
  }
  return true;
}

bool InterPodAffinity::SignPod(const PodInfo& pod, std::string& signature) const {
  const auto& affinity = pod.pod_class->spec.affinity;
  if (affinity && (affinity->pod_affinity || affinity->pod_anti_affinity)) return false;
  if (args_.ignore_preferred_terms_of_existing_pods) return true;
  AppendSigned("v1.Pod.Labels", signature);
  AppendSigned(static_cast<int64_t>(pod.pod_class->labels.size()), signature);
  for (const auto& [key, value] : pod.pod_class->labels) {
    AppendSigned(key, signature);
    AppendSigned(value, signature);
  }
  return true;
}

}  // namespace ksched
