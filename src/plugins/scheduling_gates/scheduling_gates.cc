#include "plugins/scheduling_gates/scheduling_gates.h"

namespace ksched {

Result<std::unique_ptr<Plugin>> SchedulingGates::Create(const config::PluginArgs&, const PluginContext& context) {
  return std::unique_ptr<Plugin>(std::make_unique<SchedulingGates>(context.reasons));
}

Status SchedulingGates::PreEnqueue(const PodInfo& pod) const {
  const std::vector<std::string>& gates = pod.pod_class->spec.scheduling_gates;
  if (gates.empty()) return {};
  std::string text = "waiting for scheduling gates: [";
  for (const std::string& gate : gates) {
    if (&gate != &gates.front()) text += ' ';
    text += gate;
  }
  text += ']';
  return Status::UnschedulableAndUnresolvable(reasons_.Intern(text));
}

std::vector<ClusterEventWithHint> SchedulingGates::EventsToRegister() const {
  // Without its gates the pod is always worth another look.
  return {{{EventResource::kTargetPod, kUpdatePodSchedulingGatesEliminated}, nullptr}};
}

}  // namespace ksched
