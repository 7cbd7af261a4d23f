// BackoffQueue: pods that wait for a moment after a failed attempt, longer from failure to failure.
// Reference: pkg/scheduler/backend/queue/backoff_queue.go, v1.37.2.
//
// Two heaps: pods that plugins turned down, which may be popped early when nothing else is left, and pods whose attempt
// ended in an error, which have to wait in any case (their backoff protects the API server).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "queue/pod_heap.h"
#include "queue/queue_profile.h"
#include "queue/queued_pod_info.h"

namespace ksched {

class BackoffQueue {
 public:
  BackoffQueue(const Clock& clock, const QueueOptions& options, const QueueSortPlugin& sort);

  // When the pod's backoff ends, kNoTime if it has none. With pop_from_backoff_q this is a whole second, rounded down:
  // pods of one second are ordered as in the active queue, and leave together.
  TimeNs BackoffTime(QueuedPodInfo& info) const;
  // A pod is still backing off in the second in which its backoff ends (without the gate: at that very moment).
  bool IsBackingOff(QueuedPodInfo& info) const;
  // initial x 2^(count-1), at most the maximum; 0 for count 0.
  int64_t BackoffDuration(uint32_t count) const;

  size_t size() const { return backoff_.size(); }
  size_t error_size() const { return error_backoff_.size(); }
  static bool Has(const QueuedPodInfo& info) { return Heap::Has(info) || ErrorHeap::Has(info); }

  // A pod that no plugin turned down goes among those in error.
  void Add(QueuedPodInfo& info);
  // Puts a pod that is here where it belongs now.
  void Fix(QueuedPodInfo& info);
  bool Remove(QueuedPodInfo& info);
  QueuedPodInfo& Pop() { return backoff_.Pop(); }  // only if size() > 0
  // Takes out a pod whose backoff has ended; null if there is none. Those in error come last.
  QueuedPodInfo* PopCompleted();

 private:
  // `sort` settles ties; null: nothing does.
  struct Less {
    const BackoffQueue* queue;
    const QueueSortPlugin* sort;
    bool operator()(QueuedPodInfo& a, QueuedPodInfo& b) const;
  };
  using Heap = PodHeap<&QueuedPodInfo::Links::in_backoff, Less>;
  using ErrorHeap = PodHeap<&QueuedPodInfo::Links::in_error_backoff, Less>;

  TimeNs AlignToSecond(TimeNs time) const;

  const Clock& clock_;
  const int64_t initial_ns_, max_ns_;
  const bool align_;
  Heap backoff_;
  ErrorHeap error_backoff_;
};

}  // namespace ksched
