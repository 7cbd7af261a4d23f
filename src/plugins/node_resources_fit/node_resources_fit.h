// Keeps pods off nodes that have too little left of what they request (cpu, memory, ephemeral storage, extended and
// other scalar resources, number of pods), and scores nodes by how much of them is taken.
// Reference: pkg/scheduler/framework/plugins/noderesources/fit.go, v1.37.2. Differences: a pod that would get an
// extended resource from a DeviceClass is an error on nodes that do not have the resource themselves, because there is
// no DynamicResources yet; insufficient scalar resources are sorted by name.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "framework/registry.h"
#include "plugins/common/resource_scoring.h"
#include "plugins/node_resources_fit/strategy.h"

namespace ksched {

class NodeResourcesFit final : public Plugin,
                               public PreFilterPlugin,
                               public FilterPlugin,
                               public PreScorePlugin,
                               public ScorePlugin,
                               public EnqueueExtensions,
                               public SignPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);

  std::string_view name() const override { return "NodeResourcesFit"; }
  Status PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const override;
  Status Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const override;
  Status PreScore(CycleState& cycle, const PodInfo& pod, std::span<const NodeId> nodes) const override;
  Status Score(const CycleState& cycle, const PodInfo& pod, const NodeView& node, int64_t& score) const override;
  std::vector<ClusterEventWithHint> EventsToRegister() const override;
  bool SignPod(const PodInfo& pod, std::string& signature) const override;

  // What a DeviceClass changes is not among the changes of nodes: whoever caches has to start afresh then.
  Dependencies dependencies() const override {
    return {.filter = kRequestedChanged | kAllocatableChanged,
            .score = kRequestedChanged | kAllocatableChanged,
            .cacheable_filter = true,
            .cacheable_score = true};
  }

 private:
  Status ScoreRequests(const ScoredRequests& requests, const NodeView& node, int64_t& score) const;
  using Names = std::set<std::string, std::less<>>;
  struct State;
  struct ScalarRequest;

  NodeResourcesFit(const config::NodeResourcesFitArgs& args, std::unique_ptr<FitStrategy> strategy,
                   const PluginContext& context);
  bool IsIgnored(std::string_view resource) const;
  ReasonId InsufficientReason(State& state, ResourceId resource) const;

  Names ignored_resources_, ignored_resource_groups_;
  std::unique_ptr<FitStrategy> strategy_;
  ScoredResources scored_;
  PluginId id_;
  const ResourceNames& resource_names_;
  ReasonTable& reasons_;
  const DeviceClassLister* device_classes_;  // null: DRAExtendedResource is off
  bool in_place_resize_;                     // InPlacePodVerticalScaling
  ReasonId too_many_pods_, insufficient_cpu_, insufficient_memory_, insufficient_ephemeral_storage_, no_resources_,
      no_pre_filter_;
};

}  // namespace ksched
