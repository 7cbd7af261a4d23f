// Keeps a pod off nodes where it would need more volumes of a CSI driver than the node's CSINode allows, and off nodes
// without a driver that must be there (CSIDriver: preventPodSchedulingIfMissing).
// Reference: pkg/scheduler/framework/plugins/nodevolumelimits, v1.37.2. Of several drivers that are missing it names
// any; here it is the first by the pod's volumes.
#pragma once

#include <memory>
#include <vector>

#include "framework/registry.h"
#include "plugins/node_volume_limits/attachable_volumes.h"

namespace ksched {

class NodeVolumeLimits final : public Plugin,
                               public PreFilterPlugin,
                               public FilterPlugin,
                               public EnqueueExtensions,
                               public SignPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  explicit NodeVolumeLimits(const PluginContext& context);

  std::string_view name() const override { return "NodeVolumeLimits"; }
  Status PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const override;
  Status Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const override;
  std::vector<ClusterEventWithHint> EventsToRegister() const override;
  bool SignPod(const PodInfo& pod, std::string& signature) const override;

 private:
  struct Data;

  void Find(const PodInfo& pod, Data& data) const;
  Status MissingDriver(std::span<const AttachableVolume> added, const api::CsiNode* csi_node) const;
  // Whether the node takes them, next to those of its pods and of its VolumeAttachments.
  Status CheckLimits(std::span<const AttachableVolume> added, const api::CsiNode& csi_node, const NodeView& node) const;

  PluginId id_;
  const ClusterState& state_;
  ReasonTable& reasons_;
  bool limit_scaling_;
  std::unique_ptr<AttachableVolumes> volumes_;           // what it keeps does not change answers
  std::unique_ptr<std::vector<AttachableVolume>> used_;  // room for a node's volumes
  ReasonId too_many_;
};

}  // namespace ksched
