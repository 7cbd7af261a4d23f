#include "kube/timers.h"

#include <vector>

namespace ksched::kube {

Timers::Id Timers::After(std::chrono::milliseconds delay, std::function<void()> call) {
  const SteadyClock::time_point due = SteadyClock::now() + delay;
  timers_.emplace(++last_id_, Timer{.due = due, .call = std::move(call)});
  order_.emplace(due, last_id_);
  return last_id_;
}

void Timers::Cancel(Id id) {
  const auto found = timers_.find(id);
  if (found == timers_.end()) return;
  order_.erase({found->second.due, id});
  timers_.erase(found);
}

std::optional<Timers::SteadyClock::time_point> Timers::next() const {
  if (order_.empty()) return std::nullopt;
  return order_.begin()->first;
}

bool Timers::RunDue(SteadyClock::time_point now) {
  std::vector<Id> due;
  for (auto at = order_.begin(); at != order_.end() && at->first <= now; ++at) due.push_back(at->second);
  for (const Id id : due) {
    const auto found = timers_.find(id);
    if (found == timers_.end()) continue;  // cancelled by one before it
    const std::function<void()> call = std::move(found->second.call);
    Cancel(id);
    call();
  }
  return !due.empty();
}

}  // namespace ksched::kube
