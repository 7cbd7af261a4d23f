// UnschedulablePods: the pods that wait for an event that helps, and the gated ones.
// Reference: pkg/scheduler/backend/queue/unschedulable_entities.go, v1.37.2.
//
// Pods are in groups of those that the same plugins turned down: what an event is to them is the same question for all,
// so that an event which no plugin of theirs listens to costs nothing per pod. Groups are in the order of their first
// pod, the pods of a group in the order in which they came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/status.h"
#include "queue/queued_pod_info.h"

namespace ksched {

class UnschedulablePods {
 public:
  // What the pods of one group have in common.
  struct Group {
    uint16_t profile = UINT16_MAX;
    PluginSet rejectors;
    PluginId gating_plugin = kNoPlugin;
    bool operator==(const Group&) const = default;
  };

  size_t size() const { return size_; }
  size_t num_gated() const { return num_gated_; }
  static bool Has(const QueuedPodInfo& info) { return info.links.unschedulable_group != QueuedPodInfo::kNowhere; }

  // To be called, too, whenever the plugins of a pod that is here have changed.
  void AddOrUpdate(QueuedPodInfo& info);
  bool Remove(QueuedPodInfo& info);

  // visit(QueuedPodInfo&) for every pod of the groups that `wanted(const Group&)` is true for. Nothing may be added or
  // removed meanwhile.
  template <typename Wanted, typename Visit>
  void ForEach(Wanted&& wanted, Visit&& visit) const {
    for (const List& list : lists_) {
      if (list.first == nullptr || !wanted(list.group)) continue;
      for (QueuedPodInfo* info = list.first; info != nullptr; info = info->links.unschedulable_next) visit(*info);
    }
  }

 private:
  struct List {
    Group group;
    QueuedPodInfo* first = nullptr;
    QueuedPodInfo* last = nullptr;
  };
  uint32_t ListOf(const Group& group);

  std::vector<List> lists_;  // few; they stay when they are empty
  size_t size_ = 0, num_gated_ = 0;
};

}  // namespace ksched
