// What the scheduling queue needs to know of the configuration: options, and of each profile the plugins with a say.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "framework/cluster_event.h"
#include "framework/observer.h"
#include "framework/plugin.h"

namespace ksched {

struct QueueOptions {
  int64_t initial_backoff_ns = 1 * kNsPerSecond;
  int64_t max_backoff_ns = 10 * kNsPerSecond;  // 0: no backoff at all
  int64_t max_in_unschedulable_ns = 300 * kNsPerSecond;
  bool pop_from_backoff_q = true;  // feature gate SchedulerPopFromBackoffQ
  Observer* observer = nullptr;    // null: nobody counts
};

// Plugins are borrowed and outlive the queue.
struct QueueProfile {
  std::string scheduler_name;
  const QueueSortPlugin* queue_sort = nullptr;  // that of the first profile orders the whole queue
  std::vector<std::pair<PluginId, const PreEnqueuePlugin*>> pre_enqueue;
  // What each plugin of the extension points PreEnqueue, PreFilter, Filter, Reserve and Permit registers;
  // DefaultEventsToRegister() for one that is no EnqueueExtensions.
  std::vector<std::pair<PluginId, std::vector<ClusterEventWithHint>>> events;
};

}  // namespace ksched
