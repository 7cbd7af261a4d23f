// PodHeap: a binary heap of queued pods in which each pod knows its position, so that it can be taken out or put right
// from anywhere in O(log n). The steps are those of Go's container/heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "queue/queued_pod_info.h"

namespace ksched {

// `position` is where a pod keeps its place in this heap. Less(const QueuedPodInfo&, const QueuedPodInfo&) tells
// whether the first comes before the second; what it reads must not change while a pod is in the heap, except before
// Fix.
template <uint32_t QueuedPodInfo::Links::*position, typename Less>
class PodHeap {
 public:
  explicit PodHeap(Less less) : less_(std::move(less)) {}

  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }
  static bool Has(const QueuedPodInfo& info) { return info.links.*position != QueuedPodInfo::kNowhere; }
  QueuedPodInfo& Top() const { return *heap_.front(); }  // only if not empty

  void AddOrFix(QueuedPodInfo& info) {
    if (!Has(info)) {
      heap_.push_back(&info);
      Up(Place(info, heap_.size() - 1));
      return;
    }
    const size_t at = info.links.*position;
    if (!Down(at)) Up(at);
  }

  QueuedPodInfo& Pop() {
    QueuedPodInfo& top = Top();
    Remove(top);
    return top;
  }

  // False if it is not in the heap.
  bool Remove(QueuedPodInfo& info) {
    if (!Has(info)) return false;
    const size_t at = info.links.*position;
    info.links.*position = QueuedPodInfo::kNowhere;
    QueuedPodInfo* last = heap_.back();
    heap_.pop_back();
    if (at < heap_.size()) {
      Place(*last, at);
      if (!Down(at)) Up(at);
    }
    return true;
  }

 private:
  size_t Place(QueuedPodInfo& info, size_t at) {
    heap_[at] = &info;
    info.links.*position = static_cast<uint32_t>(at);
    return at;
  }

  void Up(size_t at) {
    QueuedPodInfo& info = *heap_[at];
    while (at > 0) {
      const size_t parent = (at - 1) / 2;
      if (!less_(info, *heap_[parent])) break;
      Place(*heap_[parent], at);
      at = parent;
    }
    Place(info, at);
  }

  bool Down(size_t at) {
    const size_t start = at;
    QueuedPodInfo& info = *heap_[at];
    for (;;) {
      size_t child = 2 * at + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && less_(*heap_[child + 1], *heap_[child])) ++child;
      if (!less_(*heap_[child], info)) break;
      Place(*heap_[child], at);
      at = child;
    }
    Place(info, at);
    return at > start;
  }

  Less less_;
  std::vector<QueuedPodInfo*> heap_;
};

}  // namespace ksched
