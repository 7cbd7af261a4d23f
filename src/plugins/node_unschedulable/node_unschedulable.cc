#include "plugins/node_unschedulable/node_unschedulable.h"

#include "plugins/common/tolerations.h"

namespace ksched {

Result<std::unique_ptr<Plugin>> NodeUnschedulable::Create(const config::PluginArgs&, const PluginContext& context) {
  return std::unique_ptr<Plugin>(std::make_unique<NodeUnschedulable>(
      context.reasons, context.features.Enabled(config::Gate::kTaintTolerationComparisonOperators)));
}

NodeUnschedulable::NodeUnschedulable(ReasonTable& reasons, bool comparison_operators)
    : unschedulable_taint_{.key = "node.kubernetes.io/unschedulable", .value = "", .effect = "NoSchedule"},
      comparison_operators_(comparison_operators),
      unschedulable_(reasons.Intern("node(s) were unschedulable")) {}

Status NodeUnschedulable::PreFilter(CycleState&, const PodInfo&, PreFilterResult&) const { return {}; }

Status NodeUnschedulable::Filter(const CycleState&, const PodInfo& pod, const NodeView& node) const {
  if (!node.node().spec.unschedulable || ToleratesUnschedulable(pod)) return {};
  return Status::UnschedulableAndUnresolvable(unschedulable_);
}

std::vector<ClusterEventWithHint> NodeUnschedulable::EventsToRegister() const {
  return {
      {{EventResource::kNode, kAdd | kUpdateNodeTaint},
       [this](const PodInfo&, const EventObjects& objects) -> Result<QueueingHint> {
         return AfterNodeChange(objects);
       }},
      // The old tolerations do not matter: with the right one, the pod would not have been rejected here.
      {{EventResource::kTargetPod, kUpdatePodToleration},
       [this](const PodInfo&, const EventObjects& objects) -> Result<QueueingHint> {
         return QueueIf(ToleratesUnschedulable(*objects.new_pod));
       }},
  };
}

bool NodeUnschedulable::SignPod(const PodInfo& pod, std::string& signature) const {
  AppendSignedTolerations(pod.pod_class->spec.tolerations, signature);
  return true;
}

bool NodeUnschedulable::ToleratesUnschedulable(const PodInfo& pod) const {
  return AnyTolerates(pod.pod_class->spec.tolerations, unschedulable_taint_, comparison_operators_);
}

// A node that came and takes pods, or takes pods again.
QueueingHint NodeUnschedulable::AfterNodeChange(const EventObjects& objects) const {
  const bool closed_before = objects.old_node == nullptr || objects.old_node->spec.unschedulable;
  return QueueIf(closed_before && !objects.new_node->spec.unschedulable);
}

}  // namespace ksched
