#include "kube/event_series.h"

#include <string>
#include <utility>

namespace ksched::kube {

std::vector<EventPtr> EventSeries::Add(Event event) {
  std::string key = EventKey(event);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    EventPtr& first = *found->second;
    Event counted = *first;
    counted.series = EventRepeats{.count = first->series ? first->series->count + 1 : 2, .last = event.time};
    const bool is_second = !first->series;
    first = std::make_shared<const Event>(std::move(counted));
    return is_second ? std::vector{first} : std::vector<EventPtr>();
  }
  std::vector<EventPtr> to_write{std::make_shared<const Event>(std::move(event))};
  events_.push_back(to_write.front());
  by_key_.emplace(std::move(key), std::prev(events_.end()));
  if (events_.size() > max_events_) {
    const EventPtr oldest = std::move(events_.front());
    if (oldest->series) to_write.push_back(oldest);
    by_key_.erase(EventKey(*oldest));
    events_.pop_front();
  }
  return to_write;
}

std::vector<EventPtr> EventSeries::Running() const {
  std::vector<EventPtr> running;
  for (const EventPtr& event : events_) {
    if (event->series) running.push_back(event);
  }
  return running;
}

std::vector<EventPtr> EventSeries::Finish(TimeNs now, TimeNs idle) {
  std::vector<EventPtr> ended;
  for (auto at = events_.begin(); at != events_.end();) {
    const EventPtr event = *at;
    const TimeNs last = event->series ? event->series->last : event->time;
    if (last >= now - idle) {
      ++at;
      continue;
    }
    if (event->series) ended.push_back(event);
    by_key_.erase(EventKey(*event));
    at = events_.erase(at);
  }
  return ended;
}

}  // namespace ksched::kube
