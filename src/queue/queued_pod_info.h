// QueuedPodInfo: a pending pod and its history in the scheduling queue.
// Reference: pkg/scheduler/framework/types.go (QueuedPodInfo, QueueingParams), v1.37.2.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "base/clock.h"
#include "framework/plugin.h"
#include "framework/status.h"
#include "state/pod_store.h"

namespace ksched {

// Earlier than any time; stands for "none".
inline constexpr TimeNs kNoTime = std::numeric_limits<TimeNs>::min();

struct QueuedPodInfo {
  PodId id = kNoPod;
  const PodInfo* pod = nullptr;  // in the PodStore; always the newest version

  TimeNs timestamp = 0;                              // when it came (back) to the queue
  uint32_t attempts = 0;                             // how often it was popped
  std::optional<TimeNs> initial_attempt_timestamp;   // when it first got into the active queue
  uint32_t unschedulable_count = 0;                  // attempts that a plugin ended
  uint32_t consecutive_errors_count = 0;             // attempts that ended in an error since the last of those
  TimeNs backoff_expiration = kNoTime;               // a cache: kNoTime until it is first asked for
  PluginSet unschedulable_plugins, pending_plugins;  // who turned it down in its last attempt, or at PreEnqueue
  PluginId gating_plugin = kNoPlugin;                // the PreEnqueue plugin that holds it back
  TimeNs flush_timestamp = kNoTime;                  // of its last flush of leftovers, since it last came back
  bool was_flushed_from_unschedulable = false;       // such a flush, and no event, moved it last

  bool gated() const { return gating_plugin != kNoPlugin; }
  PluginSet rejectors() const {
    PluginSet all = unschedulable_plugins;
    all |= pending_plugins;
    return all;
  }
  // To be called when an attempt has failed, before this attempt's plugins are set: what turned the pod down earlier
  // is of no interest any more.
  void ClearRejectors() {
    unschedulable_plugins.Clear();
    pending_plugins.Clear();
    gating_plugin = kNoPlugin;
  }
  // The priority is that of when the queue was last told of the pod, so that a pod that has changed in the store
  // cannot put a heap out of order before the queue hears of it.
  QueueSortKey sort_key() const { return {links.priority, timestamp}; }

  // For the queue alone. A pod is in at most one place, but for a corner of the reference (see
  // SchedulingQueue::Update).
  static constexpr uint32_t kNowhere = UINT32_MAX;
  struct Links {
    uint16_t profile = UINT16_MAX;  // index of its profile; UINT16_MAX: none handles it
    int32_t priority = 0;
    uint32_t in_active = kNowhere, in_backoff = kNowhere, in_error_backoff = kNowhere;  // positions in heaps
    uint32_t unschedulable_group = kNowhere;
    QueuedPodInfo* unschedulable_previous = nullptr;
    QueuedPodInfo* unschedulable_next = nullptr;
    bool in_flight = false;
    uint64_t first_event = 0;  // of those that came while it was in flight
    QueuedPodInfo* in_flight_previous = nullptr;
    QueuedPodInfo* in_flight_next = nullptr;
  } links;
};

}  // namespace ksched
