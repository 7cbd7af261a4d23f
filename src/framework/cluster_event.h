// Cluster events: what happened in the cluster, as the scheduling queue and the queueing hints see it.
// Reference: k8s.io/kube-scheduler/framework/types.go, v0.37.2, and pkg/scheduler/framework/{events,types}.go, v1.37.2.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "api/types.h"
#include "base/result.h"
#include "state/pod_store.h"

namespace ksched {

using ActionType = uint32_t;  // bits
inline constexpr ActionType kAdd = 1U << 0;
inline constexpr ActionType kDelete = 1U << 1;
inline constexpr ActionType kUpdateNodeAllocatable = 1U << 2;
inline constexpr ActionType kUpdateNodeLabel = 1U << 3;
inline constexpr ActionType kUpdateNodeTaint = 1U << 4;  // or spec.unschedulable
inline constexpr ActionType kUpdateNodeCondition = 1U << 5;
inline constexpr ActionType kUpdateNodeAnnotation = 1U << 6;
inline constexpr ActionType kUpdateNodeDeclaredFeature = 1U << 7;
inline constexpr ActionType kUpdateNodePreemptionPolicy = 1U << 8;
inline constexpr ActionType kUpdatePodLabel = 1U << 9;
inline constexpr ActionType kUpdatePodScaleDown = 1U << 10;
inline constexpr ActionType kUpdatePodScaleUp = 1U << 11;
inline constexpr ActionType kUpdatePodToleration = 1U << 12;
inline constexpr ActionType kUpdatePodSchedulingGatesEliminated = 1U << 13;
inline constexpr ActionType kUpdatePodGeneratedResourceClaim = 1U << 14;
inline constexpr ActionType kAllActions = (1U << 15) - 1;
inline constexpr ActionType kUpdate = kAllActions & ~(kAdd | kDelete);

enum class EventResource : uint8_t {
  kPod,  // stands for the three that follow, in what a plugin registers
  kAssignedPod,
  kUnscheduledPod,  // a pending pod, other than the one in question
  kTargetPod,       // the pending pod in question itself
  kNode,
  kPersistentVolume,
  kPersistentVolumeClaim,
  kCsiNode,
  kCsiDriver,
  kVolumeAttachment,
  kCsiStorageCapacity,
  kStorageClass,
  kResourceClaim,
  kResourceSlice,
  kDeviceClass,
  kPodGroup,
  kWildCard,
};

struct ClusterEvent {
  EventResource resource = EventResource::kWildCard;
  ActionType action = 0;
  bool operator==(const ClusterEvent&) const = default;
};
inline constexpr ClusterEvent kAssignedPodAdd{EventResource::kAssignedPod, kAdd};
inline constexpr ClusterEvent kAssignedPodDelete{EventResource::kAssignedPod, kDelete};

// Whether an event that came is one of those that `registered` asks for.
bool MatchesEvent(const ClusterEvent& registered, const ClusterEvent& came);

// An object of an event that is neither pod nor node.
using EventObject = std::variant<std::monostate, const api::DeviceClass*, const api::PersistentVolume*,
                                 const api::PersistentVolumeClaim*, const api::StorageClass*, const api::CsiNode*,
                                 const api::CsiDriver*, const api::CsiStorageCapacity*, const api::VolumeAttachment*>;

// The object of an event before and after it; null where there is none (add, delete). Only those of its kind are set.
struct EventObjects {
  const PodInfo* old_pod = nullptr;
  const PodInfo* new_pod = nullptr;
  const api::Node* old_node = nullptr;
  const api::Node* new_node = nullptr;
  EventObject old_object, new_object;

  // Null if there is none, or if it is of another kind.
  template <typename T>
  const T* Old() const {
    const auto* found = std::get_if<const T*>(&old_object);
    return found == nullptr ? nullptr : *found;
  }
  template <typename T>
  const T* New() const {
    const auto* found = std::get_if<const T*>(&new_object);
    return found == nullptr ? nullptr : *found;
  }
};

enum class QueueingHint : uint8_t { kSkip, kQueue };
inline QueueingHint QueueIf(bool queue) { return queue ? QueueingHint::kQueue : QueueingHint::kSkip; }

// Whether the event may make `pod`, which the plugin has rejected, schedulable. A failure counts as kQueue.
using QueueingHintFn = std::function<Result<QueueingHint>(const PodInfo& pod, const EventObjects& objects)>;

struct ClusterEventWithHint {
  ClusterEvent event;
  QueueingHintFn hint;  // empty: always kQueue
};

// Everything that the scheduler hears of: for plugins of which nobody knows what they wait for.
std::vector<ClusterEventWithHint> DefaultEventsToRegister();

// What the update of a pod means, one event per change; a plain update if there is none. `target`: old and new are
// the pending pod in question itself.
std::vector<ClusterEvent> PodUpdateEvents(const PodInfo& old_pod, const PodInfo& new_pod, bool target);
// The same for a node; none if nothing changed that scheduling reads.
std::vector<ClusterEvent> NodeUpdateEvents(const api::Node& old_node, const api::Node& new_node);

}  // namespace ksched
