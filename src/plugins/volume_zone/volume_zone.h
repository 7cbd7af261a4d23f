// Keeps a pod off nodes in other zones and regions than the labels of its claims' PersistentVolumes say.
// Reference: pkg/scheduler/framework/plugins/volumezone, v1.37.2; no differences.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/registry.h"

namespace ksched {

class VolumeZone final : public Plugin,
                         public PreFilterPlugin,
                         public FilterPlugin,
                         public EnqueueExtensions,
                         public SignPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  explicit VolumeZone(const PluginContext& context);

  std::string_view name() const override { return "VolumeZone"; }
  Status PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const override;
  Status Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const override;
  std::vector<ClusterEventWithHint> EventsToRegister() const override;
  bool SignPod(const PodInfo& pod, std::string& signature) const override;

  // Pods on the node do not matter.
  Dependencies dependencies() const override { return {.filter = kNodeClassChanged | kNodeObjectChanged}; }

 private:
  // A label of a volume: nodes have to have one of the values under `key`.
  struct Topology {
    const char* key = nullptr;        // one of four
    std::vector<std::string> values;  // sorted, unique
    bool operator==(const Topology&) const = default;
  };
  struct Data;

  static void AppendTopologies(const api::PersistentVolume& volume, std::vector<Topology>& topologies);
  // What the volumes of the pod ask for; not Success: why they say nothing.
  Status Find(const PodInfo& pod, std::vector<Topology>& topologies) const;
  Status Reject(const std::string& reason) const;
  static QueueingHint AfterVolumeChange(const EventObjects& objects);

  PluginId id_;
  const ClusterState& state_;
  ReasonTable& reasons_;
  ReasonId other_zone_;
};

}  // namespace ksched
