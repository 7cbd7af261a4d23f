// Makes room for a pod that fits nowhere: finds the node on which the fewest and least important pods would have to
// leave, evicts them and nominates the pod to it. Reference: pkg/scheduler/framework/plugins/defaultpreemption,
// v1.37.2; no differences for single pods. Extenders and pod groups have no say.
#pragma once

#include <memory>

#include "framework/registry.h"
#include "preemption/evaluator.h"

namespace ksched {

class DefaultPreemption final : public Plugin,
                                public PreEnqueuePlugin,
                                public PostFilterPlugin,
                                public EnqueueExtensions {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  DefaultPreemption(PreemptionOptions options, const PluginContext& context);

  std::string_view name() const override { return "DefaultPreemption"; }
  // Holds a pod back whose victims are still being evicted.
  Status PreEnqueue(const PodInfo& pod) const override;
  Status PostFilter(CycleState& cycle, const PodInfo& pod, const NodeStatuses& statuses,
                    PostFilterResult& result) override;
  std::vector<ClusterEventWithHint> EventsToRegister() const override;

 private:
  void Evict(const PodInfo& pod, const PostFilterResult& result);
  void ClearLowerNominations(const PodInfo& pod, const std::string& node_name);
  Status WithPrefix(Status status) const;

  ClusterState& state_;
  ReasonTable& reasons_;
  FrameworkHandle& handle_;
  Ports ports_;
  bool asynchronous_;
  ReasonId waiting_;
  PreemptionEvaluator evaluator_;
};

}  // namespace ksched
