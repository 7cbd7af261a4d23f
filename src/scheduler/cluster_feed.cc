#include "scheduler/cluster_feed.h"

#include <type_traits>
#include <utility>

namespace ksched {

bool ClusterFeed::Put(api::Decoded&& decoded) {
  if (auto* node = std::get_if<api::Node>(&decoded.object)) {
    PutNode(std::move(*node));
    return true;
  }
  if (auto* pod = std::get_if<api::Pod>(&decoded.object)) {
    PutPod(std::move(*pod));
    return true;
  }
  bool taken = false;
  VisitTable(state_.objects(), decoded.kind, [&](auto& table) {
    using T = std::remove_const_t<typename std::remove_reference_t<decltype(table)>::Pointer::element_type>;
    T* object = std::get_if<T>(&decoded.object);
    if (object == nullptr) return;
    handlers_.PutObject(table, std::move(*object));
    taken = true;
  });
  return taken;
}

void ClusterFeed::Remove(std::string_view kind, std::string_view ns, std::string_view name) {
  if (kind == "Node") return handlers_.DeleteNode(name);
  if (kind == "Pod") {
    if (PodInfo* pod = state_.pod_store().Find(ns, name)) RemovePod(*pod);
    return;
  }
  VisitTable(state_.objects(), kind, [&](auto& table) { handlers_.RemoveObject(table, ns, name); });
}

void ClusterFeed::PutNode(api::Node&& node) {
  if (state_.FindNode(node.metadata.name)) {
    handlers_.UpdateNode(std::move(node));
  } else {
    handlers_.AddNode(std::move(node));
  }
}

void ClusterFeed::PutPod(api::Pod&& pod) {
  PodInfo* known = state_.pod_store().Find(pod.metadata.ns, pod.metadata.name);
  const bool other = known != nullptr && known->uid() != pod.metadata.uid;
  // A node is for ever: the API server lets no pod go back to waiting.
  const bool unbound =
      known != nullptr && !handlers_.IsAssumed(*known) && !known->node_name().empty() && pod.spec.node_name.empty();
  if (known != nullptr && (other || unbound || api::IsTerminal(pod))) {
    RemovePod(*known);
    known = nullptr;
  }
  if (api::IsTerminal(pod)) return;
  if (known != nullptr) {
    handlers_.UpdatePod(*known, std::move(pod));
  } else {
    handlers_.AddPod(state_.pod_store().Add(std::move(pod)));
  }
}

void ClusterFeed::RemovePod(PodInfo& pod) { handlers_.RemovePod(pod); }

}  // namespace ksched
