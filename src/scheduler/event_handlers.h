// EventHandlers: what the scheduler does when the cluster changes: the cache first, then the queue.
// Reference: pkg/scheduler/eventhandlers.go, v1.37.2.
#pragma once

#include <string_view>

#include "api/types.h"
#include "scheduler/scheduler.h"

namespace ksched {

class EventHandlers {
 public:
  explicit EventHandlers(Scheduler& scheduler) : scheduler_(scheduler) {}

  void AddNode(api::Node node);
  void UpdateNode(api::Node node, ClusterState::ImagesOf images = ClusterState::ImagesOf::kNode);
  void DeleteNode(std::string_view name);

  // A pod that is in the store, but neither in the cache nor in the queue.
  void AddPod(PodInfo& pod);
  // The pod has a new version. It may have got a node by that: a binding, ours or someone else's.
  void UpdatePod(PodInfo& pod, api::Pod&& now);
  // The same where the store has the new version already.
  void PodUpdated(const PodInfo& before, PodInfo& pod);
  // A pod on its node, of which only the status changed that its node does not count.
  void AssignedPodUpdated(const PodInfo& before, const PodInfo& pod);
  // The pod is gone: out of the cache or the queue. It stays in the store.
  void DeletePod(PodInfo& pod);

  // Objects that matter through what plugins read of them: they are in ClusterState (or out of it) already.
  void DeviceClassChanged(const api::DeviceClass* before, const api::DeviceClass* now);
  // The queue hears of it if some plugin has asked for such events.
  template <typename T>
  void ObjectChanged(EventResource resource, const T* before, const T* now) {
    const ActionType action = before == nullptr ? kAdd : now == nullptr ? kDelete : kUpdate;
    if (!scheduler_.ListensTo(resource, action)) return;
    scheduler_.queue().MoveAllToActiveOrBackoffQueue({resource, action}, {.old_object = before, .new_object = now});
  }

 private:
  void AssignedPodAdded(PodInfo& pod);
  void PendingPodUpdated(const PodInfo& before, PodInfo& pod);
  void TellLowerPriorities(const PodInfo& before);

  Scheduler& scheduler_;
};

}  // namespace ksched
