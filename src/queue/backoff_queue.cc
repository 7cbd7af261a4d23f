#include "queue/backoff_queue.h"

#include <limits>

namespace ksched {

BackoffQueue::BackoffQueue(const Clock& clock, const QueueOptions& options, const QueueSortPlugin& sort)
    : clock_(clock),
      initial_ns_(options.initial_backoff_ns),
      max_ns_(options.max_backoff_ns),
      align_(options.pop_from_backoff_q),
      backoff_(Less{this, options.pop_from_backoff_q ? &sort : nullptr}),
      error_backoff_(Less{this, nullptr}) {}

bool BackoffQueue::Less::operator()(QueuedPodInfo& a, QueuedPodInfo& b) const {
  const TimeNs time_a = queue->BackoffTime(a), time_b = queue->BackoffTime(b);
  if (time_a != time_b || sort == nullptr) return time_a < time_b;
  return sort->Less(a.sort_key(), b.sort_key());
}

TimeNs BackoffQueue::AlignToSecond(TimeNs time) const {
  if (!align_) return time;
  const TimeNs rest = time % kNsPerSecond;
  return time - (rest < 0 ? rest + kNsPerSecond : rest);
}

int64_t BackoffQueue::BackoffDuration(uint32_t count) const {
  if (count == 0) return 0;
  const uint32_t shift = count - 1;
  const int64_t limit = shift < 63 ? max_ns_ >> shift : 0;
  if (initial_ns_ > limit) return max_ns_;
  return initial_ns_ == 0 ? 0 : initial_ns_ << shift;
}

TimeNs BackoffQueue::BackoffTime(QueuedPodInfo& info) const {
  if (max_ns_ == 0) return kNoTime;
  const uint32_t errors = info.consecutive_errors_count;
  const uint32_t count = errors > 0 ? errors : info.unschedulable_count;
  if (count == 0) return kNoTime;
  if (info.backoff_expiration == kNoTime) {
    info.backoff_expiration = AlignToSecond(info.timestamp + BackoffDuration(count));
  }
  return info.backoff_expiration;
}

bool BackoffQueue::IsBackingOff(QueuedPodInfo& info) const { return BackoffTime(info) >= AlignToSecond(clock_.Now()); }

void BackoffQueue::Add(QueuedPodInfo& info) {
  if (info.rejectors().empty()) {
    backoff_.Remove(info);
    error_backoff_.AddOrFix(info);
  } else {
    error_backoff_.Remove(info);
    backoff_.AddOrFix(info);
  }
}

void BackoffQueue::Fix(QueuedPodInfo& info) {
  if (Heap::Has(info)) {
    backoff_.AddOrFix(info);
  } else if (ErrorHeap::Has(info)) {
    error_backoff_.AddOrFix(info);
  }
}

bool BackoffQueue::Remove(QueuedPodInfo& info) { return backoff_.Remove(info) || error_backoff_.Remove(info); }

QueuedPodInfo* BackoffQueue::PopCompleted() {
  if (!backoff_.empty() && !IsBackingOff(backoff_.Top())) return &backoff_.Pop();
  if (!error_backoff_.empty() && !IsBackingOff(error_backoff_.Top())) return &error_backoff_.Pop();
  return nullptr;
}

}  // namespace ksched
