// Which events are repetitions of earlier ones: client-go's event cache (tools/events, v0.37.2). The second of a kind
// makes a series of the first, which is told at once; those after it are counted, and told every half an hour and when
// the series has ended. What is not repeated within six minutes is forgotten.
// Difference: memory is bounded. Of too many events the oldest are forgotten; a repetition is then a new event.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "base/string_map.h"
#include "kube/event_body.h"

namespace ksched::kube {

// Shared by those that remember an event and those that write it; a change makes another one.
using EventPtr = std::shared_ptr<const Event>;

class EventSeries {
 public:
  explicit EventSeries(size_t max_events) : max_events_(max_events) {}

  // What is to be written now that this has happened (at event.time): the event itself; or the first of its kind, with
  // a series; or nothing. Behind it, the last of a series that had to be forgotten.
  std::vector<EventPtr> Add(Event event);

  // The series that there are, to be told again: servers delete events after an hour.
  std::vector<EventPtr> Running() const;
  // Forgets what had its last repetition `idle` ago, and gives those that are series, to be told for the last time.
  std::vector<EventPtr> Finish(TimeNs now, TimeNs idle);

  size_t size() const { return events_.size(); }

 private:
  const size_t max_events_;
  std::list<EventPtr> events_;  // the oldest first
  StringMap<std::list<EventPtr>::iterator> by_key_;
};

}  // namespace ksched::kube
