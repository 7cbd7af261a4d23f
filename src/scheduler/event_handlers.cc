#include "scheduler/event_handlers.h"

#include <utility>

namespace ksched {

// ---- nodes ----

void EventHandlers::AddNode(api::Node node) {
  ClusterState& state = scheduler_.state();
  const NodeId id = state.AddNode(std::move(node));
  scheduler_.queue().MoveAllToActiveOrBackoffQueue({EventResource::kNode, kAdd}, {.new_node = &state.node(id)});
}

void EventHandlers::UpdateNode(api::Node node, ClusterState::ImagesOf images) {
  ClusterState& state = scheduler_.state();
  const std::string name = node.metadata.name;
  const NodePtr before = state.UpdateNode(std::move(node), images);
  const api::Node& now = state.node(*state.FindNode(name));
  if (before == nullptr) return;
  for (const ClusterEvent& event : NodeUpdateEvents(*before, now)) {
    scheduler_.queue().MoveAllToActiveOrBackoffQueue(event, {.old_node = before.get(), .new_node = &now});
  }
}

void EventHandlers::DeleteNode(std::string_view name) {
  ClusterState& state = scheduler_.state();
  const auto id = state.FindNode(name);
  if (!id) return;
  scheduler_.queue().MoveAllToActiveOrBackoffQueue({EventResource::kNode, kDelete}, {.old_node = &state.node(*id)});
  state.RemoveNode(name);
}

// ---- pods ----

void EventHandlers::AddPod(PodInfo& pod) {
  if (!pod.node_name().empty()) {
    AssignedPodAdded(pod);
  } else if (scheduler_.Handles(pod)) {
    scheduler_.queue().Add(pod.id);
  } else if (scheduler_.OnlyNominates(pod)) {
    scheduler_.queue().AddNominatedPod(pod.id);
  }
}

void EventHandlers::AssignedPodAdded(PodInfo& pod) {
  scheduler_.cache().AddPod(pod);
  scheduler_.queue().MoveAllToActiveOrBackoffQueue(kAssignedPodAdd, {.new_pod = &pod});
}

void EventHandlers::UpdatePod(PodInfo& pod, api::Pod&& now) {
  PodStore& store = scheduler_.state().pod_store();
  const bool assumed = scheduler_.cache().IsAssumed(pod.id);
  if (assumed && now.spec.node_name.empty()) return AssumedPodUpdated(pod, std::move(now));
  held_.erase(pod.id);
  // What the node counts is what the pod was before.
  const bool counted = pod.node != kNoNode;
  if (counted) scheduler_.cache().RemovePod(pod);
  const PodInfo before = store.Update(pod.id, std::move(now));
  if (!counted || assumed) {
    PodUpdated(before, pod);
    return;
  }
  scheduler_.cache().AddPod(pod);
  AssignedPodUpdated(before, pod);
}

// Until the cluster says where an assumed pod is, it is what we assumed it to be. But one whose deletion has begun will
// not be bound: what it would take is free at once, and the binding fails later.
void EventHandlers::AssumedPodUpdated(PodInfo& pod, api::Pod&& now) {
  const bool leaving = now.metadata.deletion_timestamp.has_value() && !pod.deleting();
  held_[pod.id] = std::move(now);
  if (!leaving) return;
  const PodInfo assumed = pod;
  // One that waits for Permit fails at once; in PreBind and Bind it will fail by itself.
  if (!scheduler_.waiting_pods().Reject(pod.id, kNoPlugin, "removed")) {
    scheduler_.cache().ForgetPod(pod);
    Forgotten(pod);
  }
  scheduler_.queue().MoveAllToActiveOrBackoffQueue(kAssignedPodDelete, {.old_pod = &assumed});
}

void EventHandlers::Forgotten(PodInfo& pod) {
  auto held = held_.extract(pod.id);
  if (!held.empty()) scheduler_.state().pod_store().Update(pod.id, std::move(held.mapped()));
}

void EventHandlers::AssignedPodUpdated(const PodInfo& before, const PodInfo& pod) {
  for (const ClusterEvent& event : PodUpdateEvents(before, pod, false)) {
    scheduler_.queue().MoveAllToActiveOrBackoffQueue(event, {.old_pod = &before, .new_pod = &pod});
  }
}

void EventHandlers::PodUpdated(const PodInfo& before, PodInfo& pod) {
  if (!pod.node_name().empty()) {
    AssignedPodAdded(pod);
    if (scheduler_.Handles(before)) scheduler_.queue().Delete(pod.id);
    if (scheduler_.OnlyNominates(before)) scheduler_.queue().DeleteNominatedPodIfExists(pod.id);
  } else if (scheduler_.Handles(before)) {
    PendingPodUpdated(before, pod);
  } else if (scheduler_.OnlyNominates(before)) {
    scheduler_.queue().AddNominatedPod(pod.id);
  }
}

void EventHandlers::PendingPodUpdated(const PodInfo& before, PodInfo& pod) {
  scheduler_.queue().Update(before, pod.id);
  if (!before.nominated_node_name().empty() && before.nominated_node_name() != pod.nominated_node_name()) {
    TellLowerPriorities(before);
  }
}

// Pods of no higher priority have counted this one as if it were on its nominated node: that ends.
void EventHandlers::TellLowerPriorities(const PodInfo& before) {
  const int32_t priority = before.priority();
  scheduler_.queue().MoveAllToActiveOrBackoffQueue(
      kAssignedPodDelete, {.old_pod = &before},
      [priority](const PodInfo& other) { return other.priority() <= priority; });
}

void EventHandlers::DeletePod(PodInfo& pod) {
  held_.erase(pod.id);
  if (!pod.node_name().empty()) {
    if (IsAssumed(pod)) scheduler_.queue().Delete(pod.id);
    scheduler_.cache().RemovePod(pod);
    scheduler_.queue().MoveAllToActiveOrBackoffQueue(kAssignedPodDelete, {.old_pod = &pod});
    return;
  }
  if (scheduler_.OnlyNominates(pod)) scheduler_.queue().DeleteNominatedPodIfExists(pod.id);
  if (!scheduler_.Handles(pod)) return;
  scheduler_.queue().Delete(pod.id);
  if (!pod.nominated_node_name().empty()) TellLowerPriorities(pod);
}

void EventHandlers::RemovePod(PodInfo& pod) {
  const PodId id = pod.id;
  DeletePod(pod);
  if (!scheduler_.RemoveWhenBound(id)) scheduler_.state().pod_store().Remove(id);
}

// ---- others ----

void EventHandlers::ObjectChanged(const api::Namespace* before, const api::Namespace* now) {
  const bool same = before != nullptr && now != nullptr && before->metadata.labels == now->metadata.labels;
  if (!same) scheduler_.state().NamespacesChanged();
}

void EventHandlers::ObjectChanged(const api::DeviceClass* before, const api::DeviceClass* now) {
  scheduler_.ClearClassCaches();
  TellQueue(before, now);
}

}  // namespace ksched
