// EventHandlers: what the scheduler does when the cluster changes: the cache first, then the queue.
// Reference: pkg/scheduler/eventhandlers.go, v1.37.2.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "api/types.h"
#include "scheduler/scheduler.h"

namespace ksched {

// The resource of the events of a kind of object; kWildCard: its changes wake nobody, the next cycle sees them.
template <typename T>
inline constexpr EventResource kResourceOf = EventResource::kWildCard;
template <>
inline constexpr EventResource kResourceOf<api::PersistentVolume> = EventResource::kPersistentVolume;
template <>
inline constexpr EventResource kResourceOf<api::PersistentVolumeClaim> = EventResource::kPersistentVolumeClaim;
template <>
inline constexpr EventResource kResourceOf<api::StorageClass> = EventResource::kStorageClass;
template <>
inline constexpr EventResource kResourceOf<api::CsiNode> = EventResource::kCsiNode;
template <>
inline constexpr EventResource kResourceOf<api::CsiDriver> = EventResource::kCsiDriver;
template <>
inline constexpr EventResource kResourceOf<api::CsiStorageCapacity> = EventResource::kCsiStorageCapacity;
template <>
inline constexpr EventResource kResourceOf<api::VolumeAttachment> = EventResource::kVolumeAttachment;
template <>
inline constexpr EventResource kResourceOf<api::DeviceClass> = EventResource::kDeviceClass;

class EventHandlers {
 public:
  // The handlers hear from the scheduler which pods it forgets: there is one of them.
  explicit EventHandlers(Scheduler& scheduler) : scheduler_(scheduler) {
    scheduler_.OnForgotten([this](PodInfo& pod) { Forgotten(pod); });
  }
  EventHandlers(const EventHandlers&) = delete;
  EventHandlers& operator=(const EventHandlers&) = delete;

  void AddNode(api::Node node);
  void UpdateNode(api::Node node, ClusterState::ImagesOf images = ClusterState::ImagesOf::kNode);
  void DeleteNode(std::string_view name);

  // A pod that is in the store, but neither in the cache nor in the queue.
  void AddPod(PodInfo& pod);
  // The pod has a new version. It may have got a node by that: a binding, ours or someone else's. A version of an
  // assumed pod that says nothing of a node is held until the pod is bound, or not (Forgotten).
  void UpdatePod(PodInfo& pod, api::Pod&& now);
  // The same, but the store has the new version already.
  void PodUpdated(const PodInfo& before, PodInfo& pod);
  // A pod on its node, of which only the status changed that its node does not count.
  void AssignedPodUpdated(const PodInfo& before, const PodInfo& pod);
  // The pod is not assumed any more and was not bound: the version that was held is its own now.
  void Forgotten(PodInfo& pod);
  bool IsAssumed(const PodInfo& pod) const { return scheduler_.cache().IsAssumed(pod.id); }
  // The pod is gone: out of the cache or the queue. It stays in the store.
  void DeletePod(PodInfo& pod);
  // Out of the store too, but not before its binding has ended, if it is binding. The reference ends.
  void RemovePod(PodInfo& pod);

  // Any other object, of one of the tables of state().objects(). The queue hears of it if some plugin has asked for
  // such events.
  template <typename T>
  void PutObject(ObjectTable<T>& table, T object) {
    const std::string ns = object.metadata.ns, name = object.metadata.name;
    const auto before = table.Put(std::move(object));
    const auto now = table.Find(ns, name);
    ObjectChanged(before.get(), now.get());
  }
  // Nothing happens if it is not there.
  template <typename T>
  void RemoveObject(ObjectTable<T>& table, std::string_view ns, std::string_view name) {
    if (const auto before = table.Remove(ns, name)) ObjectChanged<T>(before.get(), nullptr);
  }

 private:
  void AssignedPodAdded(PodInfo& pod);
  void PendingPodUpdated(const PodInfo& before, PodInfo& pod);
  void AssumedPodUpdated(PodInfo& pod, api::Pod&& now);
  void TellLowerPriorities(const PodInfo& before);

  // Of namespaces only labels matter, and to whom they belong is counted.
  void ObjectChanged(const api::Namespace* before, const api::Namespace* now);
  // Which resources nodes have to provide themselves has changed.
  void ObjectChanged(const api::DeviceClass* before, const api::DeviceClass* now);
  template <typename T>
  void ObjectChanged(const T* before, const T* now) {
    if constexpr (kResourceOf<T> != EventResource::kWildCard) TellQueue(before, now);
  }
  template <typename T>
  void TellQueue(const T* before, const T* now) {
    const ActionType action = before == nullptr ? kAdd : now == nullptr ? kDelete : kUpdate;
    if (!scheduler_.ListensTo(kResourceOf<T>, action)) return;
    scheduler_.queue().MoveAllToActiveOrBackoffQueue({kResourceOf<T>, action},
                                                     {.old_object = before, .new_object = now});
  }

  Scheduler& scheduler_;
  std::map<PodId, api::Pod> held_;  // the newest version of assumed pods
};

}  // namespace ksched
