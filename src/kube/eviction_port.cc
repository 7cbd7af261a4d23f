#include "kube/eviction_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "api/label_selector.h"
#include "kube/pod_ports.h"

namespace ksched::kube {
namespace {

std::string KeyOf(const PodName& name) { return name.ns + "/" + name.name; }

std::string Join(const std::vector<std::string>& texts) { return fmt::format("{}", fmt::join(texts, ", ")); }

}  // namespace

EvictionPort::~EvictionPort() {
  while (!running_.empty()) Erase(running_.begin()->first);
}

void EvictionPort::Evict(std::span<const PodId> victims, const PodInfo& preemptor, const std::string& node) {
  const std::string uid = preemptor.uid();
  Erase(uid);
  Preemption& preemption = running_[uid];
  preemption.preemptor = preemptor.id;
  preemption.name = NameOf(preemptor);
  preemption.node = node;
  preemption.number = ++last_number_;
  for (const PodId id : victims) {
    const PodInfo& pod = state_.pod_store().Get(id);
    Victim& victim = preemption.victims.emplace_back();
    victim.name = NameOf(pod);
    if (pod.deleting()) victim.stage = Stage::kLeaving;
  }
  std::vector<std::string> names;
  names.reserve(preemption.victims.size());
  for (const Victim& victim : preemption.victims) names.push_back(KeyOf(victim.name));
  callbacks_.progress(fmt::format("pod {}: nominated to node {}: evicting {}", preemptor.Key(), node, Join(names)));
  KnownPodStatus known;
  known.nominated_node = preemptor.nominated_node_name();
  writer_.PatchStatus(
      preemption.name, known, {.condition = std::nullopt, .nominated_node = node},
      [this, uid, number = preemption.number](const ApiError* error) { Nominated(uid, number, error); });
}

EvictionPort::Preemption* EvictionPort::Find(const std::string& uid, uint64_t number) {
  const auto found = running_.find(uid);
  return found == running_.end() || found->second.number != number ? nullptr : &found->second;
}

void EvictionPort::Nominated(const std::string& uid, uint64_t number, const ApiError* error) {
  Preemption* preemption = Find(uid, number);
  if (preemption == nullptr) return;
  if (error != nullptr) return Fail(uid, fmt::format("it could not be nominated: {}", error->message));
  preemption->nominated = true;
  for (size_t i = 0; i < preemption->victims.size(); ++i) {
    if (preemption->victims[i].stage == Stage::kAsked) Ask(uid, i);
  }
}

void EvictionPort::Ask(const std::string& uid, size_t index) {
  const Preemption& preemption = running_.at(uid);
  writer_.Evict(preemption.victims[index].name, [this, uid, number = preemption.number, index](const ApiError* error) {
    Answered(uid, number, index, error);
  });
}

void EvictionPort::Answered(const std::string& uid, uint64_t number, size_t index, const ApiError* error) {
  Preemption* preemption = Find(uid, number);
  if (preemption == nullptr) return;
  Victim& victim = preemption->victims[index];
  if (victim.stage == Stage::kGone) return;
  if (error == nullptr) {
    victim.stage = Stage::kLeaving;
    return callbacks_.progress(fmt::format("pod {}: evicted, waiting for its end", KeyOf(victim.name)));
  }
  if (error->kind == ErrorKind::kTooManyRequests) return Forbidden(uid, index, *error);
  // Gone, or another pod has its name: the watch will say so.
  if (error->kind == ErrorKind::kNotFound || error->reason == "Conflict") {
    victim.stage = Stage::kLeaving;
    return;
  }
  Fail(uid, fmt::format("pod {} could not be evicted: {}", KeyOf(victim.name), error->message));
}

void EvictionPort::Forbidden(const std::string& uid, size_t index, const ApiError& error) {
  Victim& victim = running_.at(uid).victims[index];
  victim.stage = Stage::kForbidden;
  const std::string budgets = BudgetsOf(victim);
  const std::string told = budgets.empty() ? error.message : "not while its disruption budget forbids it: " + budgets;
  if (victim.told != told) {
    callbacks_.progress(fmt::format("pod {}: {}; trying again every {} s", KeyOf(victim.name), told,
                                    std::chrono::duration<double>(pause_).count()));
  }
  victim.told = told;
  victim.retry = timers_.After(pause_, [this, uid, index] {
    running_.at(uid).victims[index].retry = 0;
    Ask(uid, index);
  });
}

// Those that mean it, with what they allow.
std::string EvictionPort::BudgetsOf(const Victim& victim) const {
  const PodInfo* pod = state_.pod_store().Find(victim.name.ns, victim.name.name);
  if (pod == nullptr) return "";
  std::vector<std::string> names;
  for (const auto& [key, budget] : state_.objects().disruption_budgets.all()) {
    if (budget->metadata.ns != pod->ns() || !budget->selector) continue;
    if (api::Matches(*budget->selector, pod->pod_class->labels)) names.push_back(budget->metadata.name);
  }
  return Join(names);
}

bool EvictionPort::IsGone(const Victim& victim) const {
  const PodInfo* pod = state_.pod_store().Find(victim.name.ns, victim.name.name);
  return pod == nullptr || pod->uid() != victim.name.uid;
}

void EvictionPort::Look() {
  std::vector<PodId> ready;
  for (auto one = running_.begin(); one != running_.end();) {
    Preemption& preemption = one->second;
    size_t left = 0;
    for (Victim& victim : preemption.victims) {
      if (victim.stage == Stage::kGone) continue;
      if (!IsGone(victim)) {
        ++left;
        continue;
      }
      timers_.Cancel(std::exchange(victim.retry, 0));
      victim.stage = Stage::kGone;
      callbacks_.progress(fmt::format("pod {}: gone", KeyOf(victim.name)));
    }
    if (left > 0 || !preemption.nominated) {
      ++one;
      continue;
    }
    ready.push_back(preemption.preemptor);
    one = running_.erase(one);
  }
  std::erase_if(ready, [this](PodId id) { return !state_.pod_store().exists(id); });
  scheduler_->queue().Activate(ready);
}

std::string EvictionPort::WaitsFor(const std::string& preemptor_uid) const {
  const auto found = running_.find(preemptor_uid);
  if (found == running_.end()) return "";
  std::vector<std::string> names;
  for (const Victim& victim : found->second.victims) {
    if (victim.stage == Stage::kGone) continue;
    names.push_back(KeyOf(victim.name) + (victim.stage == Stage::kForbidden ? " (" + victim.told + ")" : ""));
  }
  return Join(names);
}

void EvictionPort::GiveUp(const std::string& preemptor_uid) {
  const auto found = running_.find(preemptor_uid);
  if (found == running_.end()) return;
  const Preemption& preemption = found->second;
  const bool evicted = std::ranges::any_of(preemption.victims, [](const Victim& victim) {
    return victim.stage == Stage::kLeaving || victim.stage == Stage::kGone;
  });
  if (preemption.nominated && !evicted) {
    KnownPodStatus known;
    known.nominated_node = preemption.node;
    writer_.PatchStatus(preemption.name, known, {.condition = std::nullopt, .nominated_node = ""},
                        [](const ApiError*) {});
  }
  Erase(preemptor_uid);
}

void EvictionPort::Fail(const std::string& uid, const std::string& why) {
  GiveUp(uid);
  callbacks_.failed(uid, why);
}

void EvictionPort::Erase(const std::string& uid) {
  const auto found = running_.find(uid);
  if (found == running_.end()) return;
  for (const Victim& victim : found->second.victims) timers_.Cancel(victim.retry);
  running_.erase(found);
}

}  // namespace ksched::kube
