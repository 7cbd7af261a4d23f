#include "framework/waiting_pods.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "config/go_text.h"

namespace ksched {

void WaitingPods::Add(PodId pod, const std::vector<PermitWait>& waits, TimeNs now) {
  Waiting& waiting = pods_[pod];
  waiting = {};
  for (const PermitWait& wait : waits) waiting.pending.push_back({wait, now + wait.timeout.count()});
}

std::vector<PodId> WaitingPods::All() const {
  std::vector<PodId> pods;
  pods.reserve(pods_.size());
  for (const auto& entry : pods_) pods.push_back(entry.first);
  return pods;
}

void WaitingPods::Wait(PodId pod, StatusReceiver& done) {
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return done.OnStatus({});
  if (!found->second.ended) {
    found->second.done = &done;
    return;
  }
  const Status ended = std::move(*found->second.ended);
  pods_.erase(found);
  done.OnStatus(ended);
}

// The pod is no longer among those that wait when its owner is told, unless nobody has asked yet.
bool WaitingPods::Stop(PodId pod, Status status) {
  const auto found = pods_.find(pod);
  if (found == pods_.end() || found->second.ended) return false;
  StatusReceiver* done = found->second.done;
  if (done == nullptr) {
    found->second.ended = std::move(status);
    found->second.pending.clear();
    return true;
  }
  pods_.erase(found);
  done->OnStatus(status);
  return true;
}

void WaitingPods::Allow(PodId pod, PluginId plugin) {
  const auto found = pods_.find(pod);
  if (found == pods_.end() || found->second.ended) return;
  std::erase_if(found->second.pending, [&](const Pending& one) { return one.wait.plugin == plugin; });
  if (found->second.pending.empty()) Stop(pod, {});
}

bool WaitingPods::Reject(PodId pod, PluginId plugin, std::string_view message) {
  Status status = Status::Unschedulable(reasons_.Intern(message));
  status.set_plugin(plugin);
  return Stop(pod, std::move(status));
}

bool WaitingPods::Preempt(PodId pod, PluginId plugin, std::string_view message) {
  Status status(Code::kError, reasons_.Intern(fmt::format("waiting on permit for pod: {}", message)));
  status.set_plugin(plugin);
  return Stop(pod, std::move(status));
}

void WaitingPods::Expire(TimeNs now) {
  std::vector<std::pair<PodId, PermitWait>> due;
  for (const auto& [pod, waiting] : pods_) {
    const auto first = std::min_element(waiting.pending.begin(), waiting.pending.end(),
                                        [](const Pending& a, const Pending& b) { return a.deadline < b.deadline; });
    if (first != waiting.pending.end() && first->deadline <= now) due.emplace_back(pod, first->wait);
  }
  for (const auto& [pod, wait] : due) {
    Reject(pod, wait.plugin,
           fmt::format("rejected due to timeout after waiting {} at plugin {}",
                       config::FormatDuration(wait.timeout.count()), wait.plugin_name));
  }
}

std::optional<TimeNs> WaitingPods::next_deadline() const {
  std::optional<TimeNs> next;
  for (const auto& entry : pods_) {
    for (const Pending& one : entry.second.pending) next = std::min(next.value_or(one.deadline), one.deadline);
  }
  return next;
}

}  // namespace ksched
