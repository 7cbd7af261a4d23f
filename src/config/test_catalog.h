// For tests: kube-scheduler's plugins with the extension points that they implement in v1.37.2.
#pragma once

#include <map>
#include <string>

#include "config/expand.h"

namespace ksched::config {

class TestCatalog final : public PluginCatalog {
 public:
  TestCatalog() {
    using E = ExtensionPoint;
    Add("DefaultBinder", {E::kBind});
    Add("DefaultPreemption", {E::kPreEnqueue, E::kPostFilter, E::kPodGroupPostFilter});
    Add("DeferredPodScheduling", {E::kPreFilter, E::kFilter, E::kPermit});
    Add("DynamicResources", {E::kPreEnqueue, E::kPreFilter, E::kFilter, E::kPostFilter, E::kScore, E::kReserve,
                             E::kPreBind, E::kPodGroupPostFilter});
    Add("GangScheduling", {E::kPreEnqueue, E::kPermit});
    Add("ImageLocality", {E::kScore});
    Add("InterPodAffinity", {E::kPreFilter, E::kFilter, E::kPreScore, E::kScore});
    Add("NodeAffinity", {E::kPreFilter, E::kFilter, E::kPreScore, E::kScore});
    Add("NodeDeclaredFeatures", {E::kPreFilter, E::kFilter});
    Add("NodeName", {E::kPreFilter, E::kFilter});
    Add("NodePorts", {E::kPreFilter, E::kFilter});
    Add("NodeResourcesBalancedAllocation", {E::kPreScore, E::kScore});
    Add("NodeResourcesFit", {E::kPreFilter, E::kFilter, E::kPreScore, E::kScore, E::kPlacementScore});
    Add("NodeUnschedulable", {E::kPreFilter, E::kFilter});
    Add("NodeVolumeLimits", {E::kPreFilter, E::kFilter});
    Add("PodGroupPodsCount", {E::kPlacementScore});
    Add("PodTopologySpread", {E::kPreFilter, E::kFilter, E::kPreScore, E::kScore});
    Add("PrioritySort", {E::kQueueSort});
    Add("SchedulingGates", {E::kPreEnqueue});
    Add("TaintToleration", {E::kPreFilter, E::kFilter, E::kPreScore, E::kScore});
    Add("TopologyPlacementGenerator", {E::kPlacementGenerate});
    Add("VolumeBinding", {E::kPreFilter, E::kFilter, E::kPreScore, E::kScore, E::kReserve, E::kPreBind});
    Add("VolumeRestrictions", {E::kPreFilter, E::kFilter});
    Add("VolumeZone", {E::kPreFilter, E::kFilter});
  }

  void Add(const std::string& name, std::initializer_list<ExtensionPoint> points) {
    ExtensionPointMask& mask = masks_[name];
    for (const ExtensionPoint point : points) mask |= MaskOf(point);
  }

  bool Known(std::string_view name) const override { return masks_.contains(std::string(name)); }
  ExtensionPointMask ExtensionPoints(std::string_view name) const override { return masks_.at(std::string(name)); }

 private:
  std::map<std::string, ExtensionPointMask> masks_;
};

}  // namespace ksched::config
