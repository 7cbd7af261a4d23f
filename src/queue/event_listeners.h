// EventListeners: which plugins of which profile listen to an event, and with what hint.
// Reference: pkg/scheduler/scheduler.go (buildQueueingHintMap) and scheduling_queue.go, v1.37.2.
//
// The reference unrolls what is registered for Pod into AssignedPod, UnscheduledPod and TargetPod; here MatchesEvent
// takes Pod for all three, which comes to the same. A plugin that registers nothing is moved by no event.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "framework/cluster_event.h"
#include "framework/status.h"
#include "queue/queue_profile.h"

namespace ksched {

// An event that is for every pod, whatever its plugins wait for.
inline constexpr ClusterEvent kWildCardEvent{EventResource::kWildCard, kAllActions};

class EventListeners {
 public:
  struct Hint {
    PluginId plugin;
    const QueueingHintFn* function;  // in the profiles; empty: always kQueue
  };
  struct OfProfile {
    PluginSet plugins;
    std::vector<Hint> hints;
  };
  struct OfEvent {
    PluginSet any_profile;              // the union of all profiles
    std::vector<OfProfile> by_profile;  // by index of the profile
  };

  explicit EventListeners(std::span<const QueueProfile> profiles) : profiles_(profiles) {}

  // Worked out when an event of its kind comes for the first time; the reference stays good.
  const OfEvent& Of(const ClusterEvent& event);

 private:
  OfEvent Make(const ClusterEvent& event) const;

  std::span<const QueueProfile> profiles_;
  std::deque<OfEvent> made_;
  boost::unordered_flat_map<uint64_t, const OfEvent*> by_event_;
};

}  // namespace ksched
