// Keeps a pod off nodes where another pod has the same GCE, AWS, Ceph or iSCSI disk in a way that does not go together,
// and off all nodes while another pod uses a claim that only one pod may have (ReadWriteOncePod).
// Reference: pkg/scheduler/framework/plugins/volumerestrictions, v1.37.2; no differences.
#pragma once

#include <memory>
#include <vector>

#include "framework/registry.h"

namespace ksched {

class VolumeRestrictions final : public Plugin,
                                 public PreFilterPlugin,
                                 public PreFilterExtensions,
                                 public FilterPlugin,
                                 public EnqueueExtensions,
                                 public SignPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  explicit VolumeRestrictions(const PluginContext& context);

  std::string_view name() const override { return "VolumeRestrictions"; }
  // Rejects a pod with a claim that does not exist.
  Status PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const override;
  const PreFilterExtensions* extensions() const override { return this; }
  Status AddPod(CycleState& cycle, const PodInfo& pod, const PodInfo& added, const NodeView& node) const override;
  Status RemovePod(CycleState& cycle, const PodInfo& pod, const PodInfo& removed, const NodeView& node) const override;
  Status Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const override;
  std::vector<ClusterEventWithHint> EventsToRegister() const override;
  bool SignPod(const PodInfo& pod, std::string& signature) const override;

 private:
  struct Data;

  PluginId id_;
  const ClusterState& state_;
  ReasonTable& reasons_;
  ReasonId disk_conflict_, claim_in_use_, no_pre_filter_;
};

}  // namespace ksched
