// Binds the pod to the node that was chosen: live through the API server, in a simulation into memory.
// Reference: pkg/scheduler/framework/plugins/defaultbinder, v1.37.2; no differences.
#pragma once

#include <memory>

#include "framework/registry.h"

namespace ksched {

class DefaultBinder final : public Plugin, public BindPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  DefaultBinder(const ClusterState& state, ReasonTable& reasons, Binder& binder)
      : state_(state), reasons_(reasons), binder_(binder) {}

  std::string_view name() const override { return "DefaultBinder"; }
  void Bind(CycleState& cycle, const PodInfo& pod, NodeId node, StatusReceiver& done) override;

 private:
  const ClusterState& state_;
  ReasonTable& reasons_;
  Binder& binder_;
};

}  // namespace ksched
