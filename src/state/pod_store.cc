#include "state/pod_store.h"

#include <cassert>
#include <utility>

namespace ksched {

PodInfo& PodStore::Add(api::Pod&& pod) {
  PodInfo& info = AddUnlisted(std::move(pod));
  List(info.id);
  return info;
}

PodInfo& PodStore::AddUnlisted(api::Pod&& pod) {
  ReleasePending();
  PodInfo& info = NewSlot();
  Fill(info, std::move(pod));
  return info;
}

PodInfo& PodStore::AddShared(PodFactsPtr facts) {
  PodInfo& info = NewSlot();
  SetShared(info, std::move(facts));
  List(info.id);
  return info;
}

void PodStore::SetShared(PodInfo& pod, PodFactsPtr facts) {
  pod.pod_class = facts->pod_class.get();
  pod.facts = std::move(facts);
  NoteChange(pod.id);
}

PodInfo& PodStore::NewSlot() {
  auto id = static_cast<PodId>(pods_.size());
  if (free_.empty()) {
    pods_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  PodInfo& info = pods_[id];
  info = PodInfo();
  info.id = id;
  info.arrival = next_arrival_++;
  return info;
}

void PodStore::List(PodId id) {
  [[maybe_unused]] const bool added = by_key_.insert(id).second;
  assert(added);
}

void PodStore::Fill(PodInfo& info, api::Pod&& pod) {
  info.node_name_of = NodeName(pod.spec.node_name);
  auto facts = std::make_shared<PodFacts>(TakePodFacts(pod));
  facts->condition = Share(facts->condition);
  facts->pod_class = classes_.Acquire(std::move(pod));
  info.pod_class = facts->pod_class.get();
  info.facts = std::move(facts);
  NoteChange(info.id);
}

// Pods that are on their nodes say the same of it, and so do the replicas that fail one after the other.
PodStore::ConditionPtr PodStore::Share(const ConditionPtr& condition) {
  if (condition == nullptr) return nullptr;
  for (ConditionPtr* known : {&scheduled_, &last_condition_}) {
    if (*known != nullptr && **known == *condition) return *known;
  }
  return condition->status == "True" ? scheduled_ = condition : last_condition_ = condition;
}

void PodStore::SetCondition(PodInfo& pod, ScheduledCondition condition) {
  Writable(pod).condition = Share(std::make_shared<const ScheduledCondition>(std::move(condition)));
}

PodFacts& PodStore::Writable(PodInfo& pod) {
  NoteChange(pod.id);
  // Others may have it, or may have had it a moment ago on another thread.
  if (tracks_ || pod.facts.use_count() > 1) pod.facts = std::make_shared<PodFacts>(*pod.facts);
  return const_cast<PodFacts&>(*pod.facts);  // none of them was made as a constant
}

const std::string* PodStore::NodeName(std::string_view name) {
  if (name.empty()) return &kNoNodeName;
  const auto found = node_names_.find(name);
  return found != node_names_.end() ? &*found : &*node_names_.emplace(name).first;
}

PodInfo PodStore::Update(PodId id, api::Pod&& pod) {
  ReleasePending();
  PodInfo& info = pods_[id];
  PodInfo old = info;
  Fill(info, std::move(pod));
  pending_release_ = old.pod_class;
  return old;
}

void PodStore::Remove(PodId id) {
  ReleasePending();
  Unlist(id);
  PodInfo& info = pods_[id];
  classes_.Release(info.pod_class);
  info = PodInfo();
  free_.push_back(id);
  NoteChange(id);
}

void PodStore::Unlist(PodId id) {
  if (const auto found = by_key_.find(id); found != by_key_.end() && *found == id) by_key_.erase(found);
}

PodInfo* PodStore::Find(std::string_view ns, std::string_view name) {
  const auto found = by_key_.find(Key(ns, name));
  return found == by_key_.end() ? nullptr : &pods_[*found];
}

void PodStore::ReleasePending() {
  if (pending_release_ == nullptr) return;
  classes_.Release(pending_release_);
  pending_release_ = nullptr;
}

}  // namespace ksched
