// Keeps a pod that names its node in spec.nodeName to that node. Pods in a scheduling cycle rarely do.
// Reference: pkg/scheduler/framework/plugins/nodename, v1.37.2; no differences.
#pragma once

#include <memory>
#include <vector>

#include "framework/registry.h"

namespace ksched {

class NodeName final : public Plugin,
                       public PreFilterPlugin,
                       public FilterPlugin,
                       public EnqueueExtensions,
                       public SignPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  explicit NodeName(ReasonTable& reasons);

  std::string_view name() const override { return "NodeName"; }
  Status PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const override;
  Status Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const override;
  std::vector<ClusterEventWithHint> EventsToRegister() const override;
  bool SignPod(const PodInfo& pod, std::string& signature) const override;

  // The name is no part of the pod's class, and need not be: a pod without one fits everywhere, and to a pod with one
  // PreFilter leaves only the node on which the verdict is the same.
  Dependencies dependencies() const override { return {.filter = 0, .cacheable_filter = true}; }

 private:
  ReasonId other_node_;
};

}  // namespace ksched
