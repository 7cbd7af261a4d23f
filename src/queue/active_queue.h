// ActiveQueue: the pods that can be tried now, in the order of the queue sort plugin.
// Reference: pkg/scheduler/backend/queue/active_queue.go, v1.37.2.
#pragma once

#include <cstddef>

#include "framework/plugin.h"
#include "queue/pod_heap.h"
#include "queue/queued_pod_info.h"

namespace ksched {

// Of two pods, which the scheduler would try first.
struct QueueSortLess {
  const QueueSortPlugin* plugin;
  bool operator()(const QueuedPodInfo& a, const QueuedPodInfo& b) const {
    return plugin->Less(a.sort_key(), b.sort_key());
  }
};

class ActiveQueue {
 public:
  explicit ActiveQueue(const QueueSortPlugin& sort) : heap_(QueueSortLess{&sort}) {}

  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }
  static bool Has(const QueuedPodInfo& info) { return Heap::Has(info); }

  void AddOrFix(QueuedPodInfo& info) { heap_.AddOrFix(info); }
  bool Remove(QueuedPodInfo& info) { return heap_.Remove(info); }
  QueuedPodInfo& Pop() { return heap_.Pop(); }  // only if not empty

 private:
  using Heap = PodHeap<&QueuedPodInfo::Links::in_active, QueueSortLess>;
  Heap heap_;
};

}  // namespace ksched
