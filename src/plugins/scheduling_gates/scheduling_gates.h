// Holds pods back that have scheduling gates: they do not enter the active queue before spec.schedulingGates is empty.
// Reference: pkg/scheduler/framework/plugins/schedulinggates, v1.37.2; no differences.
#pragma once

#include <memory>
#include <vector>

#include "framework/registry.h"

namespace ksched {

class SchedulingGates final : public Plugin, public PreEnqueuePlugin, public EnqueueExtensions {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  explicit SchedulingGates(ReasonTable& reasons) : reasons_(reasons) {}

  std::string_view name() const override { return "SchedulingGates"; }
  Status PreEnqueue(const PodInfo& pod) const override;
  std::vector<ClusterEventWithHint> EventsToRegister() const override;

 private:
  ReasonTable& reasons_;
};

}  // namespace ksched
