// Keeps pods off nodes where a host port that they ask for is taken: the same port and protocol on the same address,
// where 0.0.0.0 is every address.
// Reference: pkg/scheduler/framework/plugins/nodeports, v1.37.2; one difference: README.md.
#pragma once

#include <memory>
#include <vector>

#include "framework/registry.h"

namespace ksched {

class NodePorts final : public Plugin,
                        public PreFilterPlugin,
                        public FilterPlugin,
                        public EnqueueExtensions,
                        public SignPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  NodePorts(PluginId id, ReasonTable& reasons);

  std::string_view name() const override { return "NodePorts"; }
  Status PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const override;
  Status Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const override;
  std::vector<ClusterEventWithHint> EventsToRegister() const override;
  bool SignPod(const PodInfo& pod, std::string& signature) const override;

  Dependencies dependencies() const override { return {.filter = kPortsChanged, .cacheable_filter = true}; }

 private:
  PluginId id_;
  ReasonId no_free_ports_, no_pre_filter_;
};

}  // namespace ksched
