// Observer: hears what the scheduler does, to count and to time it. Nobody observes a simulation: a null pointer, and
// no clock is read. Reference: pkg/scheduler/metrics, v1.37.2.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "framework/cluster_event.h"
#include "framework/status.h"

namespace ksched {

// What runs all plugins of an extension point, as metrics name it.
enum class ObservedPoint : uint8_t {
  kPreEnqueue,
  kPreFilter,
  kFilter,
  kPostFilter,
  kPreScore,
  kScore,
  kReserve,
  kUnreserve,
  kPermit,
  kPreBindPreFlight,
  kPreBind,
  kBind,
  kPostBind,
};
std::string_view PointName(ObservedPoint point);

enum class ObservedQueue : uint8_t { kActive, kBackoff, kUnschedulable };

// Why a pod gets into a queue: an event of the cluster, or what it is called.
struct QueueCause {
  std::string_view name;
  const ClusterEvent* event = nullptr;  // where name is empty
};
// "AssignedPodDelete", "ScheduleAttemptFailure".
std::string LabelOf(const QueueCause& cause);

enum class AttemptResult : uint8_t { kScheduled, kUnschedulable, kError };

struct BoundPod {
  uint32_t attempts = 0;
  std::chrono::nanoseconds waited{-1};  // since it first got into the active queue; below 0: not known
  bool after_flush = false;             // it had been tried again because time was up, not because of an event
};

// Called in the scheduler's thread. `profile` is its scheduler name.
class Observer {
 public:
  using Time = std::chrono::steady_clock::time_point;

  virtual ~Observer() = default;
  virtual void Ran(ObservedPoint point, const std::string& profile, Code code, std::chrono::nanoseconds took) = 0;
  // Filtering and scoring, with what follows when no node fits.
  virtual void AlgorithmEnded(std::chrono::nanoseconds took) = 0;
  // A pod was bound, or not: `took` is since the beginning of its cycle.
  virtual void AttemptEnded(AttemptResult result, const std::string& profile, std::chrono::nanoseconds took) = 0;
  virtual void Bound(const BoundPod& pod) = 0;
  virtual void PermitEnded(Code code, std::chrono::nanoseconds waited) = 0;
  virtual void PreemptionTried(size_t victims) = 0;
  virtual void Queued(ObservedQueue queue, const QueueCause& cause) = 0;
  // The plugins that turned down a pod which is in a queue: one more, or one less.
  virtual void Rejected(const std::string& profile, PluginSet plugins, int change) = 0;

  static Time Now() { return std::chrono::steady_clock::now(); }
};

// Runs something that ends with a Status, and tells of it.
template <typename Run>
Status Observe(Observer* observer, ObservedPoint point, const std::string& profile, Run&& run) {
  if (observer == nullptr) return run();
  const Observer::Time began = Observer::Now();
  Status status = run();
  observer->Ran(point, profile, status.code(), Observer::Now() - began);
  return status;
}

}  // namespace ksched
