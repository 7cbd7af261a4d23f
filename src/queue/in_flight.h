// InFlight: the pods that were popped and are not done yet, and the events that came since the first of them was
// popped. Reference: pkg/scheduler/backend/queue/active_queue.go (inFlightPods, inFlightEvents), v1.37.2.
//
// A pod that comes back asks whether something that happened during its attempt makes it worth another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "framework/cluster_event.h"
#include "queue/queued_pod_info.h"
#include "state/pod_class.h"

namespace ksched {

// Copies of an event's objects: the originals may be gone by the time that somebody asks.
class KeptObjects {
 public:
  // `classes` keeps the pods' classes alive and outlives this.
  KeptObjects(const EventObjects& objects, PodClassTable& classes);
  EventObjects View() const;  // good as long as this

 private:
  struct ReleasePod {
    PodClassTable* classes = nullptr;
    void operator()(PodInfo* pod) const;
  };
  using PodCopy = std::unique_ptr<PodInfo, ReleasePod>;
  static PodCopy Copy(const PodInfo* pod, PodClassTable& classes);

  PodCopy old_pod_, new_pod_;
  std::unique_ptr<api::Node> old_node_, new_node_;
  // An object of another kind, and who owns it.
  struct ObjectCopy {
    explicit ObjectCopy(const EventObject& original);
    std::shared_ptr<const void> owner;
    EventObject object;
  };
  ObjectCopy old_object_, new_object_;
};

class InFlight {
 public:
  explicit InFlight(PodClassTable& classes) : classes_(classes) {}

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  size_t num_events() const { return events_.size() - first_; }
  static bool Has(const QueuedPodInfo& info) { return info.links.in_flight; }

  void Start(QueuedPodInfo& info);  // must not be in flight
  // Forgets events that no pod can ask for any more. Nothing happens if the pod is not in flight.
  void Done(QueuedPodInfo& info);
  void Record(const ClusterEvent& event, const EventObjects& objects);  // only if some pod is in flight

  // visit(const ClusterEvent&, const EventObjects&) -> bool, in the order in which they came, until it returns false:
  // the events since the pod, which is in flight, was popped.
  template <typename Visit>
  void ForEachEventSince(const QueuedPodInfo& info, Visit&& visit) const {
    for (size_t i = IndexOf(info.links.first_event); i < events_.size(); ++i) {
      if (!visit(events_[i].event, events_[i].objects.View())) return;
    }
  }

 private:
  struct KeptEvent {
    ClusterEvent event;
    KeptObjects objects;
  };
  size_t IndexOf(uint64_t number) const { return static_cast<size_t>(number - base_); }

  PodClassTable& classes_;
  QueuedPodInfo* oldest_ = nullptr;  // a list in the order of Start
  QueuedPodInfo* newest_ = nullptr;
  size_t size_ = 0;
  std::vector<KeptEvent> events_;
  size_t first_ = 0;   // events before this index are not needed any more
  uint64_t base_ = 0;  // the number of events_[0], of all that ever came
};

}  // namespace ksched
