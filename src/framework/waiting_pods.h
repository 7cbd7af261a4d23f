// WaitingPods: pods that have their node and wait until the Permit plugins that asked for it let them go on.
// Reference: pkg/scheduler/framework/runtime/waiting_pods_map.go, v1.37.2.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "framework/plugin.h"
#include "state/pod_store.h"

namespace ksched {

// A plugin that wants a pod to wait, and how long at the most.
struct PermitWait {
  PluginId plugin = kNoPlugin;
  std::string_view plugin_name;  // of the registry, which outlives the pod
  std::chrono::nanoseconds timeout{};
};

class WaitingPods {
 public:
  explicit WaitingPods(ReasonTable& reasons) : reasons_(reasons) {}

  // The pod waits from `now` on. How that ends is kept until somebody asks for it (Wait).
  void Add(PodId pod, const std::vector<PermitWait>& waits, TimeNs now);
  bool Has(PodId pod) const { return pods_.contains(pod); }
  std::vector<PodId> All() const;  // in the order of their ids

  // Nobody will ask for it: as if it had never waited.
  void Remove(PodId pod) { pods_.erase(pod); }
  // `done` is told when the waiting has ended, maybe at once: Success, the rejection of a plugin, or an error.
  void Wait(PodId pod, StatusReceiver& done);

  // What plugins say of a pod that waits. Nothing happens if it does not, or not any more.
  void Allow(PodId pod, PluginId plugin);  // the last one that it waits for lets it go on
  bool Reject(PodId pod, PluginId plugin, std::string_view message);
  // A more important pod takes its place: it is tried again, without being called unschedulable.
  bool Preempt(PodId pod, PluginId plugin, std::string_view message);

  // Rejects those whose time is up.
  void Expire(TimeNs now);
  std::optional<TimeNs> next_deadline() const;

 private:
  struct Pending {
    PermitWait wait;
    TimeNs deadline = 0;
  };
  struct Waiting {
    std::vector<Pending> pending;
    StatusReceiver* done = nullptr;
    std::optional<Status> ended;  // before anybody asked
  };
  bool Stop(PodId pod, Status status);

  ReasonTable& reasons_;
  std::map<PodId, Waiting> pods_;
};

}  // namespace ksched
