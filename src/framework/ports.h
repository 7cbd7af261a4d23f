// The ports: what the engine does to the world goes through these. Live, they write to the API server; in a
// simulation, into memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "state/pod_store.h"

namespace ksched {

// Called once when something is over: before the call that began it returns, or later in the same thread.
using ResultCallback = std::function<void(const Result<void>&)>;

// Binds a pod to a node. Called by DefaultBinder.
class Binder {
 public:
  virtual ~Binder() = default;
  virtual void Bind(const PodInfo& pod, const std::string& node, ResultCallback done) = 0;
};

// Deletes the victims of a preemption.
class Evictor {
 public:
  virtual ~Evictor() = default;
  // Some victims, whose deletion has not begun, have to leave the node for the preemptor. This may go on when the call
  // has returned.
  virtual void Evict(std::span<const PodId> victims, const PodInfo& preemptor, const std::string& node) = 0;
  // Whether victims leave after the call has returned.
  virtual bool asynchronous() const { return false; }
  // Whether the deletions for this pod have not all been sent: it is held back until they are.
  virtual bool IsPreempting(const PodInfo& /*preemptor*/) const { return false; }
};

// What a failed cycle says about its pod.
struct FailureUpdate {
  std::string_view reason;  // Unschedulable or SchedulerError
  std::string_view message;
  bool nominates = false;  // whether status.nominatedNodeName is to be set (also to "")
  std::string_view nominated_node;
};

// Writes the pod's PodScheduled condition and nominated node. Nobody waits for it: what fails is written anew after the
// pod's next cycle.
class StatusWriter {
 public:
  virtual ~StatusWriter() = default;
  virtual void Write(const PodInfo& pod, const FailureUpdate& update) = 0;
  // Clears status.nominatedNodeName of a pod whose place a more important one has taken.
  virtual void ClearNomination(const PodInfo& pod) = 0;
  // Sets status.nominatedNodeName of a pod that is about to be bound there, but not at once: for who makes nodes.
  virtual void Expect(const PodInfo& /*pod*/, const std::string& /*node*/) {}
};

// Events about pods, for people: Scheduled, FailedScheduling.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void Scheduled(const PodInfo& pod, const std::string& node) = 0;
  virtual void FailedScheduling(const PodInfo& pod, std::string_view message) = 0;
};

// Objects as VolumeBinding has assumed them for a pod: volumes that are reserved for its claims, and claims with the
// node for which their volumes are to be made.
struct VolumeChanges {
  std::vector<std::shared_ptr<const api::PersistentVolume>> volumes;
  std::vector<std::shared_ptr<const api::PersistentVolumeClaim>> claims;
};

// The resourceVersions that they got when they were written, in their order.
struct VolumeVersions {
  std::vector<uint64_t> volumes, claims;
};
// Whether all claims are bound by now; an error: they will not be.
using VolumesBound = std::function<Result<bool>(const VolumeVersions&)>;

// Writes them one after the other, and then asks `bound` every second until the answer is yes, or time is up. After a
// failure what was assumed is undone; what is written stays.
class VolumeWriter {
 public:
  virtual ~VolumeWriter() = default;
  virtual void Bind(const PodInfo& pod, VolumeChanges changes, std::chrono::seconds timeout, VolumesBound bound,
                    ResultCallback done) = 0;
  // Ends the waiting for this pod's claims: the callback hears of an error soon. Nothing happens if there is none.
  virtual void Cancel(const PodInfo& /*pod*/) {}
};

struct Ports {
  Binder* binder = nullptr;
  Evictor* evictor = nullptr;
  StatusWriter* status_writer = nullptr;
  EventSink* event_sink = nullptr;
  VolumeWriter* volume_writer = nullptr;  // null: nobody binds volumes, they stay assumed (a simulation)
};

}  // namespace ksched
