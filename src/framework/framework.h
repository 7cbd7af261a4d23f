// Framework: the plugins of one profile, and how each extension point runs them.
// Reference: pkg/scheduler/framework/runtime/framework.go, v1.37.2.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/expand.h"
#include "framework/plugin.h"
#include "framework/ports.h"
#include "framework/registry.h"
#include "framework/verdict_table.h"
#include "framework/waiting_pods.h"

namespace ksched {

// Pods that are to go to a node once their victims have left: they count when others are judged.
class PodNominator {
 public:
  virtual ~PodNominator() = default;
  // Empty most of the time. Good until the next nomination.
  virtual std::span<const PodId> NominatedPods(const std::string& node_name) const = 0;
  virtual bool AnyNominations() const = 0;
  // The names of all nodes that have some, in any order.
  virtual std::vector<std::string> NominatedNodes() const = 0;
};

// What PreFilter came to.
struct PreFilterOutcome {
  Status status;
  std::optional<std::vector<std::string>> node_names;  // only these nodes; absent: all
  PluginSet narrowed_by;                               // plugins that named nodes
};

template <typename Interface>
struct PluginAt {
  PluginId id = kNoPlugin;
  Interface* plugin = nullptr;
  int64_t weight = 0;  // of score plugins
  Dependencies dependencies;
};
template <typename Interface>
using PluginList = std::vector<PluginAt<Interface>>;

// The world that all profiles of a scheduler share; outlives them.
struct FrameworkContext {
  ClusterState& state;
  ReasonTable& reasons;
  const config::FeatureGates& features;
  const DeviceClassLister& device_classes;
  Ports ports;
  WaitingPods& waiting_pods;
};

class Framework final : public FrameworkHandle {
 public:
  // Creates the plugins of the profile. Errors are the reference's (unknown plugin, bad arguments, ...).
  static Result<std::unique_ptr<Framework>> Create(const config::Profile& profile, const PluginRegistry& registry,
                                                   const FrameworkContext& context);

  const std::string& scheduler_name() const { return scheduler_name_; }
  const config::ExpandedProfile& expanded() const { return expanded_; }
  std::optional<int32_t> percentage_of_nodes_to_score() const { return percentage_of_nodes_to_score_; }
  std::string_view plugin_name(PluginId id) const { return registry_[id].name; }

  // The first plugin that holds the pod back, or Success.
  Status RunPreEnqueue(const PodInfo& pod) const;
  void RunPreFilter(CycleState& cycle, const PodInfo& pod, PreFilterOutcome& outcome) const;
  // The plain form: every Filter plugin in order, the first rejection ends it.
  Status RunFilter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const;
  // One Filter plugin, as RunFilter runs it.
  Status RunFilterPlugin(const PluginAt<const FilterPlugin>& entry, const CycleState& cycle, const PodInfo& pod,
                         const NodeView& node) const;
  // Everything that PreFilter and Filter plugins have against this node, each plugin asked whatever the others say.
  // `cycle` has just begun; then the pod may be reserved there all the same: plugins whose PreFilter has failed count
  // as having skipped.
  std::vector<Status> Violations(CycleState& cycle, const PodInfo& pod, const NodeView& node) const;
  // With the pods of equal or higher priority that are nominated to the node, and without them. State and cycle come
  // back as they were.
  Status RunFilterWithNominatedPods(CycleState& cycle, const PodInfo& pod, NodeId node, bool pods_only) override;
  Status RunAddPod(CycleState& cycle, const PodInfo& pod, const PodInfo& added, NodeId node) const override;
  Status RunRemovePod(CycleState& cycle, const PodInfo& pod, const PodInfo& removed, NodeId node) const override;
  std::span<const PodId> NominatedPods(const std::string& node_name) const override;
  // Who knows the nominations: the queue, when there is one. Outlives the framework's use.
  void set_nominator(const PodNominator& nominator) { nominator_ = &nominator; }
  Status RunPostFilter(CycleState& cycle, const PodInfo& pod, const NodeStatuses& statuses,
                       PostFilterResult& result) const;
  Status RunPreScore(CycleState& cycle, const PodInfo& pod, std::span<const NodeId> nodes) const;
  Status RunReserve(CycleState& cycle, const PodInfo& pod, NodeId node) const;
  void RunUnreserve(CycleState& cycle, const PodInfo& pod, NodeId node) const;
  // Wait: `waits` has the plugins that asked for it.
  Status RunPermit(CycleState& cycle, const PodInfo& pod, NodeId node, std::vector<PermitWait>& waits) const;
  Status RunPreBindPreFlights(CycleState& cycle, const PodInfo& pod, NodeId node) const;
  // PreBind and Bind plugins are run by BindingRun.
  void RunPostBind(CycleState& cycle, const PodInfo& pod, NodeId node) const;
  // What tells pods apart for every plugin that reads them; false if some plugin refuses, or cannot sign.
  bool SignPod(const PodInfo& pod, std::string& signature) const;

  const PluginList<const PreEnqueuePlugin>& pre_enqueue() const { return pre_enqueue_; }
  const QueueSortPlugin& queue_sort() const { return *queue_sort_.front().plugin; }
  const PluginList<const FilterPlugin>& filters() const { return filters_; }
  const PluginList<const ScorePlugin>& scorers() const { return scorers_; }
  const PluginList<PreBindPlugin>& pre_binders() const { return pre_binders_; }
  const PluginList<BindPlugin>& binders() const { return binders_; }
  // The plugins that may read what they know of the cycle when it is over: from Reserve on.
  PluginSet binding_plugins() const { return binding_plugins_; }
  WaitingPods& waiting_pods() override { return context_.waiting_pods; }
  bool has_filters() const { return !filters_.empty(); }
  bool has_post_filters() const { return !post_filters_.empty(); }
  bool has_scorers() const { return !scorers_.empty(); }
  // The events of each plugin that may move a pod that it has rejected.
  std::vector<std::pair<PluginId, std::vector<ClusterEventWithHint>>> QueueingHints() const;

  std::string PluginNames(PluginSet plugins) const;  // sorted, joined by blanks
  // An error of a plugin, with what the framework says of it: `running X plugin "Name": message`.
  Status ErrorStatus(std::string_view before, PluginId plugin, std::string_view between, const Status& status) const;
  // What a plugin's rejection or error comes to.
  Status FailureOf(std::string_view running, PluginId plugin, const Status& status) const {
    return status.IsRejected() ? SetPlugin(status, plugin) : ErrorStatus(running, plugin, "", status);
  }
  ReasonTable& reasons() const { return context_.reasons; }
  ClusterState& state() const { return context_.state; }

 private:
  Framework(const PluginRegistry& registry, const FrameworkContext& context) : registry_(registry), context_(context) {}
  Result<void> CreatePlugins(const config::Profile& profile);
  Result<void> WirePlugins();
  template <typename Interface>
  Result<void> Wire(config::ExtensionPoint point, PluginList<Interface>& list);
  Status NothingLeft(PluginSet narrowed_by) const;
  using ExtensionMethod = Status (PreFilterExtensions::*)(CycleState&, const PodInfo&, const PodInfo&,
                                                          const NodeView&) const;
  Status RunExtensions(std::string_view name, ExtensionMethod method, CycleState& cycle, const PodInfo& pod,
                       const PodInfo& changed, NodeId node) const;
  Status AddNominatedPods(CycleState& cycle, const PodInfo& pod, NodeId node, bool& any);
  Status RunFilters(const PluginList<const FilterPlugin>& list, const CycleState& cycle, const PodInfo& pod,
                    const NodeView& node) const;
  Status SetPlugin(Status status, PluginId plugin) const {
    status.set_plugin(plugin);
    return status;
  }

  const PluginRegistry& registry_;
  FrameworkContext context_;
  std::string scheduler_name_;
  config::ExpandedProfile expanded_;
  std::optional<int32_t> percentage_of_nodes_to_score_;
  std::vector<std::unique_ptr<Plugin>> plugins_;  // by PluginId; null where the profile does not have it

  PluginList<const PreEnqueuePlugin> pre_enqueue_;
  PluginList<const QueueSortPlugin> queue_sort_;
  PluginList<const PreFilterPlugin> pre_filters_;
  PluginList<const FilterPlugin> filters_;
  PluginList<PostFilterPlugin> post_filters_;
  PluginList<const PreScorePlugin> pre_scorers_;
  PluginList<const ScorePlugin> scorers_;
  PluginList<ReservePlugin> reservers_;
  PluginList<PermitPlugin> permitters_;
  PluginList<PreBindPlugin> pre_binders_;
  PluginList<BindPlugin> binders_;
  PluginList<PostBindPlugin> post_binders_;
  PluginSet binding_plugins_;
  PluginList<const PreFilterExtensions> extensions_;
  PluginList<const FilterPlugin> pod_filters_;  // those whose verdict may change when pods come and go
  const PodNominator* nominator_ = nullptr;
};

}  // namespace ksched
