// Calls that are due later, within HttpClient::Poll.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace ksched::kube {

class Timers {
 public:
  using SteadyClock = std::chrono::steady_clock;
  using Id = uint64_t;  // never 0

  // `call` once, when `delay` is over. It may start and cancel timers and requests, but not Poll.
  Id After(std::chrono::milliseconds delay, std::function<void()> call);
  // Ids that were called are fine, and so is 0.
  void Cancel(Id id);

  std::optional<SteadyClock::time_point> next() const;  // nothing: no timer runs
  // Calls what is due, but not what that starts anew. Whether there was something.
  bool RunDue(SteadyClock::time_point now);

 private:
  struct Timer {
    SteadyClock::time_point due;
    std::function<void()> call;
  };

  std::map<Id, Timer> timers_;
  std::set<std::pair<SteadyClock::time_point, Id>> order_;  // of timers_
  Id last_id_ = 0;
};

}  // namespace ksched::kube
