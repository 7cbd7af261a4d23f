#include "kube/event_series.h"

#include <utility>

namespace ksched::kube {

std::vector<Event> EventSeries::Add(const Event& event) {
  std::string key = EventKey(event);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    Event& first = found->second->event;
    if (first.series) {
      ++first.series->count;
      first.series->last = event.time;
      return {};
    }
    first.series = EventRepeats{.count = 2, .last = event.time};
    return {first};
  }
  std::vector<Event> to_write{event};
  events_.push_back({key, event});
  by_key_.emplace(std::move(key), std::prev(events_.end()));
  if (events_.size() > max_events_) {
    Known& oldest = events_.front();
    if (oldest.event.series) to_write.push_back(std::move(oldest.event));
    by_key_.erase(oldest.key);
    events_.pop_front();
  }
  return to_write;
}

std::vector<Event> EventSeries::Running() const {
  std::vector<Event> running;
  for (const Known& known : events_) {
    if (known.event.series) running.push_back(known.event);
  }
  return running;
}

std::vector<Event> EventSeries::Finish(TimeNs now, TimeNs idle) {
  std::vector<Event> ended;
  for (auto at = events_.begin(); at != events_.end();) {
    Event& event = at->event;
    const TimeNs last = event.series ? event.series->last : event.time;
    if (last >= now - idle) {
      ++at;
      continue;
    }
    if (event.series) ended.push_back(std::move(event));
    by_key_.erase(at->key);
    at = events_.erase(at);
  }
  return ended;
}

}  // namespace ksched::kube
