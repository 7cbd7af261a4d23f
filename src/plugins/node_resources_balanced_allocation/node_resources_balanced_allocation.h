// Prefers nodes on which the pod brings the shares in use of cpu, memory and other resources closer to each other.
// Reference: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go, v1.37.2. Difference: a resource that
// the pod would get from a DeviceClass is an error (kube-scheduler crashes there).
#pragma once

#include <memory>

#include "framework/registry.h"
#include "plugins/common/resource_scoring.h"

namespace ksched {

class NodeResourcesBalancedAllocation final : public Plugin,
                                              public PreScorePlugin,
                                              public ScorePlugin,
                                              public SignPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);

  std::string_view name() const override { return "NodeResourcesBalancedAllocation"; }
  // Skips pods that ask for none of the resources: they would all go to the same node.
  Status PreScore(CycleState& cycle, const PodInfo& pod, std::span<const NodeId> nodes) const override;
  // 75 where the pod changes nothing, up to 100 where it makes the node more balanced, down to 50 where less.
  Status Score(const CycleState& cycle, const PodInfo& pod, const NodeView& node, int64_t& score) const override;
  bool SignPod(const PodInfo& pod, std::string& signature) const override;

  // What a DeviceClass changes is not among the changes of nodes: whoever caches has to start afresh then.
  Dependencies dependencies() const override {
    return {.filter = 0,
            .score = kRequestedChanged | kAllocatableChanged,
            .cacheable_filter = true,
            .cacheable_score = true};
  }

 private:
  Status ScoreRequests(const ScoredRequests& requests, const NodeView& node, int64_t& score) const;
  NodeResourcesBalancedAllocation(const config::NodeResourcesBalancedAllocationArgs& args,
                                  const PluginContext& context);
  template <typename Amount>
  int64_t Balance(const ScoredRequests& requests, const NodeView& node, Amount amount) const;

  ScoredResources scored_;
  PluginId id_;
  const ResourceNames& resource_names_;
  const DeviceClassLister* device_classes_;  // null: DRAExtendedResource is off
  ReasonId no_resources_;
};

}  // namespace ksched
