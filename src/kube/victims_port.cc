#include "kube/victims_port.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace ksched::kube {
namespace {

constexpr std::string_view kPlugin = "DefaultPreemption";

}  // namespace

VictimsPort::Victim VictimsPort::Describe(const PodInfo& victim, const PodInfo& preemptor,
                                          const std::string& node) const {
  Victim one;
  one.id = victim.id;
  one.name = NameOf(victim);
  one.condition = DisruptionTarget(preemptor.pod_class->scheduler_name(), victim.facts->generation);
  one.event.controller = preemptor.pod_class->scheduler_name();
  one.event.type = "Normal";
  one.event.reason = "Preempted";
  one.event.action = "Preempting";
  one.event.note = fmt::format("Preempted by pod {} on node {}", preemptor.uid(), node);
  one.event.regarding = ReferenceTo(victim);
  one.event.related = ReferenceTo(preemptor);
  return one;
}

void VictimsPort::Evict(std::span<const PodId> victims, const PodInfo& preemptor, const std::string& node) {
  const PodStore& store = state_.pod_store();
  const std::string uid = preemptor.uid();
  const uint64_t number = ++last_number_;
  Preemption& preemption = running_[uid];
  preemption = {};
  preemption.number = number;
  preemption.preemptor = preemptor.id;
  preemption.last = Describe(store.Get(victims.back()), preemptor, node);
  preemption.others = victims.size() - 1;
  std::vector<Victim> others;
  for (const PodId id : victims.first(victims.size() - 1)) others.push_back(Describe(store.Get(id), preemptor, node));
  if (others.empty()) return RemoveLast(uid, preemption);
  for (const Victim& victim : others) {
    Remove(victim, [this, uid, number](bool failed, bool) { OneLess(uid, number, failed); });
  }
}

void VictimsPort::Remove(const Victim& victim, const std::function<void(bool failed, bool in_memory)>& ended) {
  const PodStore& store = state_.pod_store();
  const bool there = store.exists(victim.id) && store.Get(victim.id).uid() == victim.name.uid;
  if (there && scheduler_->PreemptBinding(victim.id, kPlugin)) {
    EventMessage event = victim.event;
    event.note += " (in kube-scheduler memory).";
    events_.Record(std::move(event));
    return ended(false, true);
  }
  writer_.Preempt(victim.name, {}, victim.condition, [this, victim, ended](const ApiError* error, bool gone) {
    if (error != nullptr) {
      failed_(
          fmt::format("pod {}/{}: it could not be preempted: {}", victim.name.ns, victim.name.name, error->message));
    } else if (!gone) {
      events_.Record(victim.event);
    }
    ended(error != nullptr, false);
  });
}

VictimsPort::Preemption* VictimsPort::Find(const std::string& uid, uint64_t number) {
  const auto found = running_.find(uid);
  return found == running_.end() || found->second.number != number ? nullptr : &found->second;
}

void VictimsPort::OneLess(const std::string& uid, uint64_t number, bool failed) {
  Preemption* preemption = Find(uid, number);
  if (preemption == nullptr) return;
  preemption->failed |= failed;
  if (--preemption->others > 0) return;
  // Where one has stayed the others need not go: the preemptor has to look anew.
  if (preemption->failed) return End(uid, number, /*activate=*/true);
  RemoveLast(uid, *preemption);
}

void VictimsPort::RemoveLast(const std::string& uid, Preemption& preemption) {
  preemption.last_begun = true;
  const Victim last = preemption.last;
  Remove(last, [this, uid, number = preemption.number](bool failed, bool in_memory) {
    End(uid, number, failed || in_memory);
  });
}

void VictimsPort::End(const std::string& uid, uint64_t number, bool activate) {
  const Preemption* preemption = Find(uid, number);
  if (preemption == nullptr) return;
  const PodId preemptor = preemption->preemptor;
  const PodName last = preemption->last.name;
  running_.erase(uid);
  // It is woken where no deletion will do so, or the last one was seen while it was held back.
  const PodStore& store = state_.pod_store();
  activate |= store.Find(last.ns, last.name) == nullptr;
  if (activate && store.exists(preemptor) && store.Get(preemptor).uid() == uid) {
    scheduler_->queue().Activate(std::array{preemptor});
  }
}

bool VictimsPort::IsPreempting(const PodInfo& preemptor) const {
  const auto found = running_.find(preemptor.uid());
  if (found == running_.end()) return false;
  if (!found->second.last_begun) return true;
  // The watch may be faster than the answer: once the last one leaves, nothing holds the preemptor back.
  const PodName& last = found->second.last.name;
  const PodInfo* pod = state_.pod_store().Find(last.ns, last.name);
  return pod != nullptr && !pod->deleting();
}

}  // namespace ksched::kube
