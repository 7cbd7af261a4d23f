#include "plugins/taint_toleration/taint_toleration.h"

#include "plugins/common/normalize_score.h"
#include "plugins/common/tolerations.h"

namespace ksched {

Result<std::unique_ptr<Plugin>> TaintToleration::Create(const config::PluginArgs&, const PluginContext& context) {
  return std::unique_ptr<Plugin>(std::make_unique<TaintToleration>(
      context.id, context.reasons, context.features.Enabled(config::Gate::kTaintTolerationComparisonOperators)));
}

TaintToleration::TaintToleration(PluginId id, ReasonTable& reasons, bool comparison_operators)
    : id_(id),
      comparison_operators_(comparison_operators),
      untolerated_(reasons.Intern("node(s) had untolerated taint(s)")),
      no_pre_score_(reasons.Intern("failed to read \"PreScoreTaintToleration\" from cycleState: not found")) {}

Status TaintToleration::PreFilter(CycleState&, const PodInfo&, PreFilterResult&) const { return {}; }

Status TaintToleration::Filter(const CycleState&, const PodInfo& pod, const NodeView& node) const {
  if (!KeepsOff(node.node(), pod)) return {};
  return Status::UnschedulableAndUnresolvable(untolerated_);
}

Status TaintToleration::PreScore(CycleState&, const PodInfo&, std::span<const NodeId>) const { return {}; }

Status TaintToleration::Score(const CycleState& cycle, const PodInfo& pod, const NodeView& node, int64_t& score) const {
  if (!cycle.pre_scored.Has(id_))
    return {Code::kError, no_pre_score_};  // the profile does not have it: the reference fails
  score = 0;
  for (const api::Taint& taint : node.node().spec.taints) {
    if (taint.effect != "PreferNoSchedule") continue;
    if (!AnyTolerates(pod.pod_class->spec.tolerations, taint, comparison_operators_)) ++score;
  }
  return {};
}

Status TaintToleration::NormalizeScore(const CycleState&, const PodInfo&, std::span<int64_t> scores) const {
  DefaultNormalizeScore(kMaxNodeScore, /*reverse=*/true, scores);
  return {};
}

std::vector<ClusterEventWithHint> TaintToleration::EventsToRegister() const {
  return {
      {{EventResource::kNode, kAdd | kUpdateNodeTaint},
       [this](const PodInfo& pod, const EventObjects& objects) -> Result<QueueingHint> {
         return AfterNodeChange(pod, objects);
       }},
      // A toleration is only ever added, so it may be the one that the pod lacked.
      {{EventResource::kTargetPod, kUpdatePodToleration}, nullptr},
  };
}

bool TaintToleration::SignPod(const PodInfo& pod, std::string& signature) const {
  AppendSignedTolerations(pod.pod_class->spec.tolerations, signature);
  return true;
}

bool TaintToleration::KeepsOff(const api::Node& node, const PodInfo& pod) const {
  return HasUntoleratedTaint(node.spec.taints, pod.pod_class->spec.tolerations, comparison_operators_);
}

// A node that came, or whose taints have changed, and now lets the pod in.
QueueingHint TaintToleration::AfterNodeChange(const PodInfo& pod, const EventObjects& objects) const {
  const bool kept_off_before = objects.old_node == nullptr || KeepsOff(*objects.old_node, pod);
  return QueueIf(kept_off_before && !KeepsOff(*objects.new_node, pod));
}

}  // namespace ksched
