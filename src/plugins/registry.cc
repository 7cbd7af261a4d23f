#include "plugins/registry.h"

#include <initializer_list>

#include "plugins/default_binder/default_binder.h"
#include "plugins/default_preemption/default_preemption.h"
#include "plugins/dynamic_resources/dynamic_resources.h"
#include "plugins/image_locality/image_locality.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "plugins/node_affinity/node_affinity.h"
#include "plugins/node_declared_features/node_declared_features.h"
#include "plugins/node_name/node_name.h"
#include "plugins/node_ports/node_ports.h"
#include "plugins/node_resources_balanced_allocation/node_resources_balanced_allocation.h"
#include "plugins/node_resources_fit/node_resources_fit.h"
#include "plugins/node_unschedulable/node_unschedulable.h"
#include "plugins/node_volume_limits/node_volume_limits.h"
#include "plugins/pod_topology_spread/pod_topology_spread.h"
#include "plugins/priority_sort/priority_sort.h"
#include "plugins/scheduling_gates/scheduling_gates.h"
#include "plugins/taint_toleration/taint_toleration.h"
#include "plugins/volume_binding/volume_binding.h"
#include "plugins/volume_restrictions/volume_restrictions.h"
#include "plugins/volume_zone/volume_zone.h"

namespace ksched {
namespace {

constexpr config::ExtensionPointMask Points(std::initializer_list<config::ExtensionPoint> points) {
  config::ExtensionPointMask mask = 0;
  for (const config::ExtensionPoint point : points) mask |= config::MaskOf(point);
  return mask;
}

}  // namespace

PluginRegistry MakeRegistry() {
  using enum config::ExtensionPoint;
  const PluginFactory not_there_yet = nullptr;
  return {
      {"SchedulingGates", Points({kPreEnqueue}), SchedulingGates::Create},
      {"PrioritySort", Points({kQueueSort}), PrioritySort::Create},
      {"NodeName", Points({kPreFilter, kFilter}), NodeName::Create},
      {"NodeUnschedulable", Points({kPreFilter, kFilter}), NodeUnschedulable::Create},
      {"TaintToleration", Points({kPreFilter, kFilter, kPreScore, kScore}), TaintToleration::Create},
      {"NodeAffinity", Points({kPreFilter, kFilter, kPreScore, kScore}), NodeAffinity::Create},
      {"NodePorts", Points({kPreFilter, kFilter}), NodePorts::Create},
      {"DeferredPodScheduling", Points({kPreFilter, kFilter, kPermit}), not_there_yet},
      {"NodeResourcesFit", Points({kPreFilter, kFilter, kPreScore, kScore, kPlacementScore}), NodeResourcesFit::Create},
      {"VolumeRestrictions", Points({kPreFilter, kFilter}), VolumeRestrictions::Create},
      {"NodeVolumeLimits", Points({kPreFilter, kFilter}), NodeVolumeLimits::Create},
      {"VolumeBinding", Points({kPreFilter, kFilter, kPreScore, kScore, kReserve, kPreBind}), VolumeBinding::Create},
      {"VolumeZone", Points({kPreFilter, kFilter}), VolumeZone::Create},
      {"PodTopologySpread", Points({kPreFilter, kFilter, kPreScore, kScore}), PodTopologySpread::Create},
      {"InterPodAffinity", Points({kPreFilter, kFilter, kPreScore, kScore}), InterPodAffinity::Create},
      {"DynamicResources",
       Points({kPreEnqueue, kPreFilter, kFilter, kPostFilter, kScore, kReserve, kPreBind, kPodGroupPostFilter}),
       DynamicResources::Create},
      {"DefaultPreemption", Points({kPreEnqueue, kPostFilter, kPodGroupPostFilter}), DefaultPreemption::Create},
      {"NodeResourcesBalancedAllocation", Points({kPreScore, kScore}), NodeResourcesBalancedAllocation::Create},
      {"ImageLocality", Points({kScore}), ImageLocality::Create},
      {"DefaultBinder", Points({kBind}), DefaultBinder::Create},
      {"NodeDeclaredFeatures", Points({kPreFilter, kFilter}), NodeDeclaredFeatures::Create},
      {"GangScheduling", Points({kPreEnqueue, kPermit}), not_there_yet},
      {"TopologyPlacementGenerator", Points({kPlacementGenerate}), not_there_yet},
      {"PodGroupPodsCount", Points({kPlacementScore}), not_there_yet},
  };
}

}  // namespace ksched
