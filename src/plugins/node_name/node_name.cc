#include "plugins/node_name/node_name.h"

#include "plugins/common/signature.h"

namespace ksched {

Result<std::unique_ptr<Plugin>> NodeName::Create(const config::PluginArgs&, const PluginContext& context) {
  return std::unique_ptr<Plugin>(std::make_unique<NodeName>(context.reasons));
}

NodeName::NodeName(ReasonTable& reasons)
    : other_node_(reasons.Intern("node(s) didn't match the requested node name")) {}

Status NodeName::PreFilter(CycleState&, const PodInfo& pod, PreFilterResult& result) const {
  if (!pod.node_name().empty()) result.node_names = {pod.node_name()};
  return {};
}

Status NodeName::Filter(const CycleState&, const PodInfo& pod, const NodeView& node) const {
  if (pod.node_name().empty() || pod.node_name() == node.name()) return {};
  return Status::UnschedulableAndUnresolvable(other_node_);
}

std::vector<ClusterEventWithHint> NodeName::EventsToRegister() const {
  return {{{EventResource::kNode, kAdd}, nullptr}};
}

bool NodeName::SignPod(const PodInfo& pod, std::string& signature) const {
  AppendSigned("v1.Pod.Spec.NodeName", signature);
  AppendSigned(pod.node_name(), signature);
  return true;
}

}  // namespace ksched
