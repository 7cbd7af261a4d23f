// kube-scheduler's metrics, by its names (pkg/scheduler/metrics, v1.37.2): counted by an Observer, with gauges that the
// scheduling thread sets now and then.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "framework/observer.h"
#include "framework/registry.h"
#include "scheduler/scheduler.h"
#include "serve/metrics.h"

namespace ksched::daemon {

class SchedulerMetrics final : public Observer {
 public:
  // Both are borrowed.
  SchedulerMetrics(serve::Registry& metrics, const PluginRegistry& plugins);

  // In the scheduling thread.
  void Ran(ObservedPoint point, const std::string& profile, Code code, std::chrono::nanoseconds took) override;
  void AlgorithmEnded(std::chrono::nanoseconds took) override;
  void AttemptEnded(AttemptResult result, const std::string& profile, std::chrono::nanoseconds took) override;
  void Bound(const BoundPod& pod) override;
  void PermitEnded(Code code, std::chrono::nanoseconds waited) override;
  void PreemptionTried(size_t victims) override;
  void Queued(ObservedQueue queue, const QueueCause& cause) override;
  void Rejected(const std::string& profile, PluginSet plugins, int change) override;
  // What there is at this moment. `leads`: the lease is held; absent: there is none to hold.
  void Take(Scheduler& scheduler, std::optional<bool> leads);

 private:
  template <typename T>
  using Family = serve::Registry::Family<T>;

  const PluginRegistry& plugins_;
  Family<serve::Counter>&attempts_, &preemptions_, &after_flush_, &incoming_;
  Family<serve::Histogram>&attempt_seconds_, &algorithm_seconds_, &victims_, &sli_seconds_, &pod_attempts_,
      &point_seconds_, &permit_seconds_;
  Family<serve::Gauge>&pending_, &queued_, &cache_size_, &unschedulable_, &goroutines_, &master_;
  // Found once, since cycles are many. Only in the scheduling thread.
  std::map<std::tuple<ObservedPoint, Code, std::string>, serve::Histogram*> points_;
};

}  // namespace ksched::daemon
