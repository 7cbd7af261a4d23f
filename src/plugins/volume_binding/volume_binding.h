// Binds claims while their pod is scheduled: keeps the pod off nodes where its bound volumes cannot be used, or where
// there is no volume for its other claims and none can be made; prefers nodes whose storage is used as the profile's
// shape says; assumes what was chosen.
// Reference: pkg/scheduler/framework/plugins/volumebinding, v1.37.2. Differences: see README.md.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "framework/registry.h"
#include "plugins/volume_binding/binder.h"
#include "plugins/volume_binding/capacity_score.h"

namespace ksched {

class VolumeBinding final : public Plugin,
                            public PreFilterPlugin,
                            public FilterPlugin,
                            public PreScorePlugin,
                            public ScorePlugin,
                            public ReservePlugin,
                            public PreBindPlugin,
                            public EnqueueExtensions,
                            public SignPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  VolumeBinding(const config::VolumeBindingArgs& args, const PluginContext& context);

  std::string_view name() const override { return "VolumeBinding"; }
  // Rejects a pod whose claims are not there, are going or lost, belong to another pod, or should be bound already.
  Status PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const override;
  Status Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const override;
  Status PreScore(CycleState& cycle, const PodInfo& pod, std::span<const NodeId> nodes) const override;
  Status Score(const CycleState& cycle, const PodInfo& pod, const NodeView& node, int64_t& score) const override;
  Status Reserve(CycleState& cycle, const PodInfo& pod, NodeId node) override;
  void Unreserve(CycleState& cycle, const PodInfo& pod, NodeId node) override;
  Status PreBindPreFlight(CycleState& cycle, const PodInfo& pod, NodeId node) override;
  void PreBind(CycleState& cycle, const PodInfo& pod, NodeId node, StatusReceiver& done) override;
  std::vector<ClusterEventWithHint> EventsToRegister() const override;
  bool SignPod(const PodInfo& pod, std::string& signature) const override;

  // Pods on the node do not matter.
  Dependencies dependencies() const override { return {.filter = kNodeClassChanged | kNodeObjectChanged}; }

 private:
  struct Data;

  // PreFilter has run: without it the reference fails at every later point.
  bool HasData(const CycleState& cycle) const { return cycle.pre_filtered.Has(id_) || cycle.skip_filter.Has(id_); }
  Status CheckClaims(const PodInfo& pod) const;
  Status NoVolumesFound(NodeId node) const;

  PluginId id_;
  const ClusterState& state_;
  ReasonTable& reasons_;
  VolumeWriter* writer_;
  std::chrono::seconds bind_timeout_;
  std::optional<CapacityScore> score_;    // absent: the gate is off
  std::unique_ptr<VolumeBinder> binder_;  // keeps an index of volumes, which no answer depends on
  ReasonId node_conflict_, bind_conflict_, not_enough_space_, volume_missing_, unbound_immediate_, no_pre_filter_;
};

}  // namespace ksched
