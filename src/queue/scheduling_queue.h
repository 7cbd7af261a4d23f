// SchedulingQueue: the pending pods, and which of them is next.
// Reference: pkg/scheduler/backend/queue/scheduling_queue.go, v1.37.2 (single pods; no pod groups).
//
//   active queue     pods that can be tried now, in the order of the queue sort plugin
//   backoff queue    pods that wait for a moment after a failure (apart: those that failed with an error)
//   unschedulable    pods that wait for an event that helps, and gated pods
//   in flight        pods that were popped and are not done, with the events that came meanwhile
//   nominator        which pods are nominated to run on which node
//
// Not thread-safe: its owner serialises the calls. Pods are numbers and records of the PodStore: an update is made in
// the store first, then the queue is told. A pod stays in the store as long as it is in a queue or in flight: Delete
// and Done come before PodStore::Remove. Nothing here waits: the owner calls the flushes at every whole second and
// every 30 seconds (live: of the wall clock).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "framework/cluster_event.h"
#include "queue/active_queue.h"
#include "queue/backoff_queue.h"
#include "queue/event_listeners.h"
#include "queue/in_flight.h"
#include "queue/nominator.h"
#include "queue/queue_profile.h"
#include "queue/queued_pod_info.h"
#include "queue/unschedulable_pods.h"
#include "state/pod_store.h"

namespace ksched {

class SchedulingQueue {
 public:
  // Which unschedulable pods an event is for; empty: all of them.
  using PreCheck = std::function<bool(const PodInfo&)>;

  // There is at least one profile. Everything that is borrowed outlives the queue.
  SchedulingQueue(PodStore& pods, const Clock& clock, const QueueOptions& options, std::vector<QueueProfile> profiles);
  SchedulingQueue(const SchedulingQueue&) = delete;
  SchedulingQueue& operator=(const SchedulingQueue&) = delete;

  // ---- pods come, change and go ----

  // A new pending pod, in no queue and not in flight. Its nomination (status.nominatedNodeName) counts from now on.
  void Add(PodId pod);
  // The pod has changed in the store from `old_pod`. Where it waits in the active or a backoff queue it is put where it
  // belongs now; in unschedulable the change may move it; in flight the change is noted as events; in no queue it is
  // added.
  void Update(const PodInfo& old_pod, PodId pod);
  // The pod is gone, or bound by someone else: out of its queue, and its nomination ends. In flight it stays until
  // Done.
  void Delete(PodId pod);

  // ---- a scheduling attempt ----

  // Whether Pop would return a pod.
  bool Ready() const;
  // The next pod, now in flight, or null. The record stays, until the pod is added anew, whatever happens to it; its
  // owner reads it and sets the plugins that turned the pod down.
  QueuedPodInfo* Pop();
  // The pod is no longer in flight. Nothing happens if it is not.
  void Done(PodId pod);
  // Brings a popped pod back, and is Done with it. The plugins that turned it down are set (ClearRejectors first); none
  // means that the attempt ended in an error. False, and nothing but Done, if it is in a queue already.
  bool AddUnschedulableIfNotPresent(QueuedPodInfo& info);

  // ---- what moves pods ----

  // Tells the unschedulable pods of an event, and keeps it (with copies of the objects) for those in flight.
  void MoveAllToActiveOrBackoffQueue(const ClusterEvent& event, const EventObjects& objects,
                                     const PreCheck& pre_check = nullptr);
  // Moves these pods from unschedulable or backoff to the active queue at once; one in flight will be retried when it
  // comes back.
  void Activate(std::span<const PodId> pods);
  void FlushBackoff();                 // at every whole second
  void FlushUnschedulableLeftovers();  // every 30 seconds, after FlushBackoff

  // ---- nominations ----

  // Without `node` the pod is nominated to what its status says; with it, to that, and "" only ends the old nomination.
  void AddNominatedPod(PodId pod, std::optional<std::string_view> node = std::nullopt) {
    nominator_.Add(pods_.Get(pod), node);
  }
  void DeleteNominatedPodIfExists(PodId pod) { nominator_.Delete(pod); }
  // Whom a node is promised to; lives as long as the queue.
  const Nominator& nominator() const { return nominator_; }

  // ---- to look at ----

  size_t num_active() const { return active_.size(); }
  size_t num_backoff() const { return backoff_.size(); }  // without those in error backoff
  size_t num_error_backoff() const { return backoff_.error_size(); }
  size_t num_unschedulable() const { return unschedulable_.size(); }  // gated pods too
  size_t num_gated() const { return unschedulable_.num_gated(); }
  size_t num_in_flight() const { return in_flight_.size(); }
  // The pod's record if it is in a queue or in flight, else null.
  const QueuedPodInfo* Find(PodId pod) const;
  bool Gated(PodId pod) const;

 private:
  static constexpr QueueCause kTimeIsUp{"UnschedulableTimeout"};
  enum class Strategy : uint8_t { kSkip, kAfterBackoff, kImmediately };
  enum class Place : uint8_t { kUnschedulable, kBackoff, kActive };
  struct Event {
    const ClusterEvent& event;
    const EventObjects& objects;
    const EventListeners::OfEvent* listeners;  // null: a wildcard event, which is for all
    QueueCause cause() const { return listeners == nullptr ? kTimeIsUp : QueueCause{{}, &event}; }
  };

  // Records are made page by page and never move; a page covers 64 ids.
  static constexpr size_t kPageBits = 6;
  using Page = std::array<QueuedPodInfo, size_t{1} << kPageBits>;
  QueuedPodInfo* Record(PodId pod) const;
  QueuedPodInfo& NewRecord(PodId pod);

  void UpdateUnschedulable(QueuedPodInfo& info, const PodInfo& old_pod);
  bool ActivateOne(QueuedPodInfo& info);
  void MovePods(std::span<QueuedPodInfo* const> infos, const Event& event);
  Event Describe(const ClusterEvent& event, const EventObjects& objects);
  bool Interests(const UnschedulablePods::Group& group, const Event& event) const;

  Strategy StrategyForReturning(const QueuedPodInfo& info);
  Strategy StrategyForEvent(const QueuedPodInfo& info, const Event& event) const;
  Strategy AskHints(const QueuedPodInfo& info, const Event& event) const;
  Place Requeue(QueuedPodInfo& info, Strategy strategy, const QueueCause& cause);
  bool MoveToActive(QueuedPodInfo& info, bool from_backoff, const QueueCause& cause);
  bool MoveToBackoff(QueuedPodInfo& info, const QueueCause& cause);
  void HoldBack(QueuedPodInfo& info, const QueueCause& cause);
  void KeepUnschedulable(QueuedPodInfo& info, const QueueCause& cause);
  void Tell(ObservedQueue queue, const QueueCause& cause) const {
    if (options_.observer != nullptr) options_.observer->Queued(queue, cause);
  }
  void TellRejected(const QueuedPodInfo& info, int change) const;
  void RunPreEnqueue(QueuedPodInfo& info) const;
  void AskPreEnqueue(QueuedPodInfo& info) const;

  PodStore& pods_;
  const Clock& clock_;
  const QueueOptions options_;
  const std::vector<QueueProfile> profiles_;
  EventListeners listeners_;
  ActiveQueue active_;
  BackoffQueue backoff_;
  UnschedulablePods unschedulable_;
  InFlight in_flight_;
  Nominator nominator_;
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<QueuedPodInfo*> scratch_;  // the pods that one event is for
};

}  // namespace ksched
