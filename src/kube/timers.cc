#include "kube/timers.h"

#include <algorithm>
#include <vector>

namespace ksched::kube {

Timers::Id Timers::After(std::chrono::milliseconds delay, std::function<void()> call) {
  timers_.emplace(++last_id_, Timer{.due = SteadyClock::now() + delay, .call = std::move(call)});
  return last_id_;
}

void Timers::Cancel(Id id) { timers_.erase(id); }

std::optional<Timers::SteadyClock::time_point> Timers::next() const {
  if (timers_.empty()) return std::nullopt;
  const auto earlier = [](const auto& a, const auto& b) { return a.second.due < b.second.due; };
  return std::min_element(timers_.begin(), timers_.end(), earlier)->second.due;
}

bool Timers::RunDue(SteadyClock::time_point now) {
  std::vector<std::pair<SteadyClock::time_point, Id>> due;
  for (const auto& [id, timer] : timers_) {
    if (timer.due <= now) due.emplace_back(timer.due, id);
  }
  std::sort(due.begin(), due.end());
  for (const auto& [time, id] : due) {
    const auto found = timers_.find(id);
    if (found == timers_.end()) continue;  // cancelled by one before it
    const std::function<void()> call = std::move(found->second.call);
    timers_.erase(found);
    call();
  }
  return !due.empty();
}

}  // namespace ksched::kube
