#include "plugins/default_binder/default_binder.h"

#include "framework/port_result.h"

namespace ksched {

Result<std::unique_ptr<Plugin>> DefaultBinder::Create(const config::PluginArgs&, const PluginContext& context) {
  if (context.ports.binder == nullptr) return Error{"DefaultBinder: there is nothing to bind pods with here"};
  return std::unique_ptr<Plugin>(
      std::make_unique<DefaultBinder>(context.state, context.reasons, *context.ports.binder));
}

void DefaultBinder::Bind(CycleState&, const PodInfo& pod, NodeId node, StatusReceiver& done) {
  binder_.Bind(pod, state_.node_name(node), TellStatus(done, reasons_));
}

}  // namespace ksched
