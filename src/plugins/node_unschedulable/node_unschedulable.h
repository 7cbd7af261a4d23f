// Keeps pods off nodes with spec.unschedulable, unless they tolerate the taint
// node.kubernetes.io/unschedulable:NoSchedule. Reference: pkg/scheduler/framework/plugins/nodeunschedulable, v1.37.2;
// no differences.
#pragma once

#include <memory>
#include <vector>

#include "framework/registry.h"

namespace ksched {

class NodeUnschedulable final : public Plugin,
                                public PreFilterPlugin,
                                public FilterPlugin,
                                public EnqueueExtensions,
                                public SignPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  NodeUnschedulable(ReasonTable& reasons, bool comparison_operators);

  std::string_view name() const override { return "NodeUnschedulable"; }
  Status PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const override;
  Status Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const override;
  std::vector<ClusterEventWithHint> EventsToRegister() const override;
  bool SignPod(const PodInfo& pod, std::string& signature) const override;

  Dependencies dependencies() const override { return {.filter = kNodeClassChanged, .cacheable_filter = true}; }

 private:
  bool ToleratesUnschedulable(const PodInfo& pod) const;
  QueueingHint AfterNodeChange(const EventObjects& objects) const;

  api::Taint unschedulable_taint_;
  bool comparison_operators_;
  ReasonId unschedulable_;
};

}  // namespace ksched
