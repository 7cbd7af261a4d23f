#include "plugins/node_ports/node_ports.h"

#include <set>

#include "plugins/common/signature.h"

namespace ksched {
namespace {

bool Fits(const std::vector<HostPort>& wanted, const UsedHostPorts& used) {
  for (const HostPort& port : wanted) {
    if (used.Conflicts(port)) return false;
  }
  return true;
}

QueueingHint AfterAssignedPodDeleted(const PodInfo& pod, const PodInfo& deleted) {
  // A pod that was on no node, and was not about to be, held no ports.
  if (deleted.node_name().empty() && deleted.nominated_node_name().empty()) return QueueingHint::kSkip;
  UsedHostPorts freed;
  for (const HostPort& port : deleted.pod_class->host_ports) freed.Add(port);
  return Fits(pod.pod_class->host_ports, freed) ? QueueingHint::kSkip : QueueingHint::kQueue;
}

void CollectHostPorts(const std::vector<api::Container>& containers, std::set<int32_t>& ports) {
  for (const api::Container& container : containers) {
    for (const api::ContainerPort& port : container.ports) {
      if (port.host_port != 0) ports.insert(port.host_port);
    }
  }
}

}  // namespace

Result<std::unique_ptr<Plugin>> NodePorts::Create(const config::PluginArgs&, const PluginContext& context) {
  return std::unique_ptr<Plugin>(std::make_unique<NodePorts>(context.id, context.reasons));
}

NodePorts::NodePorts(PluginId id, ReasonTable& reasons)
    : id_(id),
      no_free_ports_(reasons.Intern("node(s) didn't have free ports for the requested pod ports")),
      no_pre_filter_(reasons.Intern("reading \"PreFilterNodePorts\" from cycleState: not found")) {}

Status NodePorts::PreFilter(CycleState&, const PodInfo& pod, PreFilterResult&) const {
  return pod.pod_class->host_ports.empty() ? Status::Skip() : Status();
}

Status NodePorts::Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const {
  if (!cycle.pre_filtered.Has(id_))
    return {Code::kError, no_pre_filter_};  // the profile does not have it: the reference fails
  if (Fits(pod.pod_class->host_ports, node.used_ports())) return {};
  return Status::Unschedulable(no_free_ports_);
}

std::vector<ClusterEventWithHint> NodePorts::EventsToRegister() const {
  return {
      // A pod's ports never change, so its own updates do not matter.
      {{EventResource::kAssignedPod, kDelete},
       [](const PodInfo& pod, const EventObjects& objects) -> Result<QueueingHint> {
         return AfterAssignedPodDeleted(pod, *objects.old_pod);
       }},
      {{EventResource::kNode, kAdd}, nullptr},
  };
}

// The reference signs the numbers of all host ports, also of init containers that end, without addresses or protocols.
bool NodePorts::SignPod(const PodInfo& pod, std::string& signature) const {
  std::set<int32_t> ports;
  CollectHostPorts(pod.pod_class->spec.containers, ports);
  CollectHostPorts(pod.pod_class->spec.init_containers, ports);
  AppendSigned("v1.Pod.Spec.HostPorts()", signature);
  AppendSigned(static_cast<int64_t>(ports.size()), signature);
  for (const int32_t port : ports) AppendSigned(int64_t{port}, signature);
  return true;
}

}  // namespace ksched
