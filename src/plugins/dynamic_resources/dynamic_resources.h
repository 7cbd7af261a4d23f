// Pods with resource claims, or with an extended resource that a DeviceClass provides, end their cycle with an error
// that says so: allocating devices is not there yet. All other pods get what the reference gives them: nothing.
// Reference: pkg/scheduler/framework/plugins/dynamicresources, v1.37.2.
#pragma once

#include <memory>
#include <vector>

#include "framework/registry.h"

namespace ksched {

class DynamicResources final : public Plugin,
                               public PreEnqueuePlugin,
                               public PreFilterPlugin,
                               public FilterPlugin,
                               public PostFilterPlugin,
                               public ScorePlugin,
                               public ReservePlugin,
                               public PreBindPlugin,
                               public EnqueueExtensions {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  explicit DynamicResources(const PluginContext& context);

  std::string_view name() const override { return "DynamicResources"; }
  // Lets every pod in: what is not supported is said in a cycle.
  Status PreEnqueue(const PodInfo&) const override { return {}; }
  Status PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const override;
  Status Filter(const CycleState&, const PodInfo&, const NodeView&) const override { return {}; }
  Status PostFilter(CycleState& cycle, const PodInfo& pod, const NodeStatuses& statuses,
                    PostFilterResult& result) override;
  Status Score(const CycleState&, const PodInfo&, const NodeView&, int64_t& score) const override {
    score = 0;  // without claims there is nothing to prefer
    return {};
  }
  Status Reserve(CycleState&, const PodInfo&, NodeId) override { return {}; }
  void Unreserve(CycleState&, const PodInfo&, NodeId) override {}
  Status PreBindPreFlight(CycleState&, const PodInfo&, NodeId) override { return Status::Skip(); }
  void PreBind(CycleState&, const PodInfo&, NodeId, StatusReceiver& done) override { done.OnStatus({}); }
  // It rejects nobody.
  std::vector<ClusterEventWithHint> EventsToRegister() const override { return {}; }
  Dependencies dependencies() const override {
    return {.filter = 0, .score = 0, .cacheable_filter = true, .cacheable_score = true};
  }

 private:
  PluginId id_;
  bool enabled_, extended_resources_;
  ReasonTable& reasons_;
  ReasonId not_found_;
  const DeviceClassLister& device_classes_;
};

}  // namespace ksched
