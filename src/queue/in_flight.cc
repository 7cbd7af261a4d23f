#include "queue/in_flight.h"

#include <type_traits>
#include <utility>

namespace ksched {
namespace {

template <typename T>
std::unique_ptr<T> CopyOrNull(const T* object) {
  return object != nullptr ? std::make_unique<T>(*object) : nullptr;
}

}  // namespace

void KeptObjects::ReleasePod::operator()(PodInfo* pod) const {
  classes->Release(pod->pod_class);
  std::default_delete<PodInfo>()(pod);
}

KeptObjects::PodCopy KeptObjects::Copy(const PodInfo* pod, PodClassTable& classes) {
  std::unique_ptr<PodInfo> copy = CopyOrNull(pod);
  if (copy != nullptr) classes.Retain(copy->pod_class);
  return PodCopy(copy.release(), ReleasePod{&classes});
}

KeptObjects::KeptObjects(const EventObjects& objects, PodClassTable& classes)
    : old_pod_(Copy(objects.old_pod, classes)),
      new_pod_(Copy(objects.new_pod, classes)),
      old_node_(CopyOrNull(objects.old_node)),
      new_node_(CopyOrNull(objects.new_node)),
      old_object_(objects.old_object),
      new_object_(objects.new_object) {}

KeptObjects::ObjectCopy::ObjectCopy(const EventObject& original) {
  std::visit(
      [this](auto pointer) {
        if constexpr (std::is_pointer_v<decltype(pointer)>) {
          if (pointer == nullptr) return;
          auto copy = std::make_shared<std::remove_pointer_t<decltype(pointer)>>(*pointer);
          object = copy.get();
          owner = std::move(copy);
        }
      },
      original);
}

EventObjects KeptObjects::View() const {
  return {.old_pod = old_pod_.get(),
          .new_pod = new_pod_.get(),
          .old_node = old_node_.get(),
          .new_node = new_node_.get(),
          .old_object = old_object_.object,
          .new_object = new_object_.object};
}

void InFlight::Start(QueuedPodInfo& info) {
  QueuedPodInfo::Links& links = info.links;
  links.in_flight = true;
  links.first_event = base_ + events_.size();
  links.in_flight_previous = newest_;
  links.in_flight_next = nullptr;
  (newest_ != nullptr ? newest_->links.in_flight_next : oldest_) = &info;
  newest_ = &info;
  ++size_;
}

void InFlight::Done(QueuedPodInfo& info) {
  QueuedPodInfo::Links& links = info.links;
  if (!links.in_flight) return;
  links.in_flight = false;
  QueuedPodInfo* previous = links.in_flight_previous;
  QueuedPodInfo* next = links.in_flight_next;
  (previous != nullptr ? previous->links.in_flight_next : oldest_) = next;
  (next != nullptr ? next->links.in_flight_previous : newest_) = previous;
  links.in_flight_previous = links.in_flight_next = nullptr;
  --size_;

  first_ = oldest_ != nullptr ? IndexOf(oldest_->links.first_event) : events_.size();
  // Moving the rest to the front is only worth it for a good part of them.
  if (first_ > events_.size() / 2 || first_ == events_.size()) {
    events_.erase(events_.begin(), events_.begin() + static_cast<ptrdiff_t>(first_));
    base_ += first_;
    first_ = 0;
  }
}

void InFlight::Record(const ClusterEvent& event, const EventObjects& objects) {
  events_.push_back({event, KeptObjects(objects, classes_)});
}

}  // namespace ksched
