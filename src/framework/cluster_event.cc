#include "framework/cluster_event.h"

#include "state/kept_objects.h"

namespace ksched {
namespace {

bool IsWildCard(const ClusterEvent& event) {
  return event.resource == EventResource::kWildCard && event.action == kAllActions;
}

bool MatchesResource(EventResource registered, EventResource came) {
  if (registered == EventResource::kWildCard || registered == came) return true;
  return registered == EventResource::kPod &&
         (came == EventResource::kAssignedPod || came == EventResource::kUnscheduledPod ||
          came == EventResource::kTargetPod);
}

// Whether some resource is requested less in `b` than in `a`, or not at all any more.
bool RequestsFall(const api::ResourceList& a, const api::ResourceList& b) {
  for (const auto& [name, amount] : a) {
    const auto found = b.find(name);
    if (found == b.end() || amount.MilliValue() > found->second.MilliValue()) return true;
  }
  return false;
}

}  // namespace

bool MatchesEvent(const ClusterEvent& registered, const ClusterEvent& came) {
  if (IsWildCard(registered)) return true;
  // What came must not be less specific than what was asked for: "some update" is no label update, while a label update
  // is an update. The reference compares the numbers, and so what is registered with bits of several kinds may match.
  return MatchesResource(registered.resource, came.resource) && (registered.action & came.action) != 0 &&
         came.action <= registered.action;
}

std::vector<ClusterEvent> PodUpdateEvents(const PodInfo& old_pod, const PodInfo& new_pod, bool target) {
  const EventResource resource = !new_pod.node_name().empty() ? EventResource::kAssignedPod
                                 : target                     ? EventResource::kTargetPod
                                                              : EventResource::kUnscheduledPod;
  std::vector<ClusterEvent> events;
  const auto add_if = [&](bool changed, ActionType action) {
    if (changed) events.push_back({resource, action});
  };
  const PodClass& before = *old_pod.pod_class;
  const PodClass& after = *new_pod.pod_class;
  // Pods of one class differ in nothing that is compared here.
  if (before.serial != after.serial) {
    add_if(before.labels != after.labels, kUpdatePodLabel);
    add_if(RequestsFall(before.assigned_request_list, after.assigned_request_list), kUpdatePodScaleDown);
    add_if(RequestsFall(after.assigned_request_list, before.assigned_request_list), kUpdatePodScaleUp);
    add_if(after.spec.scheduling_gates.empty() && !before.spec.scheduling_gates.empty(),
           kUpdatePodSchedulingGatesEliminated);
    // Tolerations can only be added, so that their number tells.
    add_if(before.spec.tolerations.size() != after.spec.tolerations.size(), kUpdatePodToleration);
  }
  if (events.empty()) events.push_back({resource, kUpdate});
  return events;
}

std::vector<ClusterEvent> NodeUpdateEvents(const api::Node& old_node, const api::Node& new_node) {
  std::vector<ClusterEvent> events;
  const auto add_if = [&](bool changed, ActionType action) {
    if (changed) events.push_back({EventResource::kNode, action});
  };
  // A cordoned node helps nobody, so only the way back is an event.
  add_if(old_node.spec.unschedulable && !new_node.spec.unschedulable, kUpdateNodeTaint);
  add_if(old_node.status.allocatable != new_node.status.allocatable, kUpdateNodeAllocatable);
  add_if(old_node.metadata.labels != new_node.metadata.labels, kUpdateNodeLabel);
  add_if(old_node.spec.taints != new_node.spec.taints, kUpdateNodeTaint);
  add_if(HashOfConditions(old_node.status) != HashOfConditions(new_node.status), kUpdateNodeCondition);
  add_if(HashOfAnnotations(old_node) != HashOfAnnotations(new_node), kUpdateNodeAnnotation);
  add_if(old_node.spec.pod_preemption_policy != new_node.spec.pod_preemption_policy, kUpdateNodePreemptionPolicy);
  add_if(old_node.status.declared_features != new_node.status.declared_features, kUpdateNodeDeclaredFeature);
  return events;
}

std::vector<ClusterEventWithHint> DefaultEventsToRegister() {
  std::vector<ClusterEventWithHint> events;
  // The reference's list (framework.UnrollWildCardResource): VolumeAttachment and ResourceSlice are not in it.
  for (EventResource resource :
       {EventResource::kAssignedPod, EventResource::kUnscheduledPod, EventResource::kTargetPod, EventResource::kNode,
        EventResource::kPersistentVolume, EventResource::kPersistentVolumeClaim, EventResource::kCsiNode,
        EventResource::kCsiDriver, EventResource::kCsiStorageCapacity, EventResource::kStorageClass,
        EventResource::kResourceClaim, EventResource::kDeviceClass}) {
    events.push_back({{resource, kAllActions}, nullptr});
  }
  return events;
}

}  // namespace ksched
