// ClusterFeed: the changes of a watched cluster, one by one, brought to the scheduler. Kinds may come in any order:
// pods before their nodes, nodes that go before their pods.
#pragma once

#include <string_view>

#include "api/objects.h"
#include "scheduler/event_handlers.h"

namespace ksched {

class ClusterFeed {
 public:
  ClusterFeed(ClusterState& state, EventHandlers& handlers) : state_(state), handlers_(handlers) {}

  // The object has come, or has a new version. False if scheduling reads no such kind. Pods that are over count as
  // gone, and one that has the name of another takes its place.
  bool Put(api::Decoded&& decoded);
  // The object is gone. Nothing happens if it is not there.
  void Remove(std::string_view kind, std::string_view ns, std::string_view name);

 private:
  void PutNode(api::Node&& node);
  void PutPod(api::Pod&& pod);
  void RemovePod(PodInfo& pod);

  ClusterState& state_;
  EventHandlers& handlers_;
};

}  // namespace ksched
