#include "framework/observer.h"

#include <array>
#include <bit>

namespace ksched {
namespace {

constexpr std::array<std::string_view, 13> kPoints = {
    "PreEnqueue", "PreFilter", "Filter",           "PostFilter", "PreScore", "Score",   "Reserve",
    "Unreserve",  "Permit",    "PreBindPreFlight", "PreBind",    "Bind",     "PostBind"};

constexpr std::array<std::string_view, 17> kResources = {"Pod",
                                                         "AssignedPod",
                                                         "UnscheduledPod",
                                                         "TargetPod",
                                                         "Node",
                                                         "PersistentVolume",
                                                         "PersistentVolumeClaim",
                                                         "storage.k8s.io/CSINode",
                                                         "storage.k8s.io/CSIDriver",
                                                         "storage.k8s.io/VolumeAttachment",
                                                         "storage.k8s.io/CSIStorageCapacity",
                                                         "storage.k8s.io/StorageClass",
                                                         "resource.k8s.io/ResourceClaim",
                                                         "resource.k8s.io/ResourceSlice",
                                                         "resource.k8s.io/DeviceClass",
                                                         "scheduling.k8s.io/PodGroup",
                                                         "*"};

// By bit.
constexpr std::array<std::string_view, 15> kActions = {"Add",
                                                       "Delete",
                                                       "UpdateNodeAllocatable",
                                                       "UpdateNodeLabel",
                                                       "UpdateNodeTaint",
                                                       "UpdateNodeCondition",
                                                       "UpdateNodeAnnotation",
                                                       "UpdateNodeDeclaredFeature",
                                                       "UpdateNodePreemptionPolicy",
                                                       "UpdatePodLabel",
                                                       "UpdatePodScaleDown",
                                                       "UpdatePodScaleUp",
                                                       "UpdatePodToleration",
                                                       "UpdatePodSchedulingGatesEliminated",
                                                       "UpdatePodGeneratedResourceClaim"};

std::string_view ActionName(ActionType action) {
  if (action == kAllActions) return "All";
  if (action == kUpdate) return "Update";
  return std::popcount(action) == 1 ? kActions[static_cast<size_t>(std::countr_zero(action))] : "";
}

}  // namespace

std::string_view PointName(ObservedPoint point) { return kPoints[static_cast<size_t>(point)]; }

std::string LabelOf(const QueueCause& cause) {
  if (cause.event == nullptr) return std::string(cause.name);
  std::string label(kResources[static_cast<size_t>(cause.event->resource)]);
  return label += ActionName(cause.event->action);
}

}  // namespace ksched
