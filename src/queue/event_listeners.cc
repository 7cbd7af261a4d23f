#include "queue/event_listeners.h"

#include <utility>

namespace ksched {

EventListeners::OfEvent EventListeners::Make(const ClusterEvent& event) const {
  OfEvent result;
  result.by_profile.resize(profiles_.size());
  for (size_t i = 0; i < profiles_.size(); ++i) {
    OfProfile& listeners = result.by_profile[i];
    for (const auto& [plugin, events] : profiles_[i].events) {
      for (const ClusterEventWithHint& registered : events) {
        if (!MatchesEvent(registered.event, event)) continue;
        listeners.plugins.Insert(plugin);
        listeners.hints.push_back({plugin, &registered.hint});
      }
    }
    result.any_profile |= listeners.plugins;
  }
  return result;
}

const EventListeners::OfEvent& EventListeners::Of(const ClusterEvent& event) {
  const uint64_t key = uint64_t{event.action} << 8 | static_cast<uint64_t>(event.resource);
  if (auto found = by_event_.find(key); found != by_event_.end()) return *found->second;
  made_.push_back(Make(event));
  by_event_.emplace(key, &made_.back());
  return made_.back();
}

}  // namespace ksched
