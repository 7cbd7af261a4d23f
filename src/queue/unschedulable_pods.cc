#include "queue/unschedulable_pods.h"

namespace ksched {

uint32_t UnschedulablePods::ListOf(const Group& group) {
  for (uint32_t i = 0; i < lists_.size(); ++i) {
    if (lists_[i].group == group) return i;
  }
  lists_.push_back({group});
  return static_cast<uint32_t>(lists_.size() - 1);
}

void UnschedulablePods::AddOrUpdate(QueuedPodInfo& info) {
  QueuedPodInfo::Links& links = info.links;
  const Group group{links.profile, info.rejectors(), info.gating_plugin};
  if (Has(info)) {
    if (lists_[links.unschedulable_group].group == group) return;
    Remove(info);
  }
  links.unschedulable_group = ListOf(group);
  List& list = lists_[links.unschedulable_group];
  links.unschedulable_previous = list.last;
  links.unschedulable_next = nullptr;
  (list.last != nullptr ? list.last->links.unschedulable_next : list.first) = &info;
  list.last = &info;
  ++size_;
  if (group.gating_plugin != kNoPlugin) ++num_gated_;
}

bool UnschedulablePods::Remove(QueuedPodInfo& info) {
  if (!Has(info)) return false;
  QueuedPodInfo::Links& links = info.links;
  List& list = lists_[links.unschedulable_group];
  QueuedPodInfo* previous = links.unschedulable_previous;
  QueuedPodInfo* next = links.unschedulable_next;
  (previous != nullptr ? previous->links.unschedulable_next : list.first) = next;
  (next != nullptr ? next->links.unschedulable_previous : list.last) = previous;
  links.unschedulable_group = QueuedPodInfo::kNowhere;
  links.unschedulable_previous = links.unschedulable_next = nullptr;
  --size_;
  if (list.group.gating_plugin != kNoPlugin) --num_gated_;
  return true;
}

}  // namespace ksched
