// Keeps pods off nodes with NoSchedule or NoExecute taints that they do not tolerate, and prefers nodes with fewer
// PreferNoSchedule taints that they do not tolerate.
// Reference: pkg/scheduler/framework/plugins/tainttoleration, v1.37.2; no differences.
#pragma once

#include <memory>
#include <vector>

#include "framework/registry.h"

namespace ksched {

class TaintToleration final : public Plugin,
                              public PreFilterPlugin,
                              public FilterPlugin,
                              public PreScorePlugin,
                              public ScorePlugin,
                              public EnqueueExtensions,
                              public SignPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  TaintToleration(PluginId id, ReasonTable& reasons, bool comparison_operators);

  std::string_view name() const override { return "TaintToleration"; }
  Status PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const override;
  Status Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const override;
  Status PreScore(CycleState& cycle, const PodInfo& pod, std::span<const NodeId> nodes) const override;
  // The number of PreferNoSchedule taints that the pod does not tolerate.
  Status Score(const CycleState& cycle, const PodInfo& pod, const NodeView& node, int64_t& score) const override;
  bool normalizes() const override { return true; }
  Status NormalizeScore(const CycleState& cycle, const PodInfo& pod, std::span<int64_t> scores) const override;
  std::vector<ClusterEventWithHint> EventsToRegister() const override;
  bool SignPod(const PodInfo& pod, std::string& signature) const override;

  Dependencies dependencies() const override {
    return {.filter = kNodeClassChanged, .score = kNodeClassChanged, .cacheable_filter = true, .cacheable_score = true};
  }

 private:
  bool KeepsOff(const api::Node& node, const PodInfo& pod) const;
  QueueingHint AfterNodeChange(const PodInfo& pod, const EventObjects& objects) const;

  PluginId id_;
  bool comparison_operators_;
  ReasonId untolerated_, no_pre_score_;
};

}  // namespace ksched
