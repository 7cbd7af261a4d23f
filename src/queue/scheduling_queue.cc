#include "queue/scheduling_queue.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace ksched {

SchedulingQueue::SchedulingQueue(PodStore& pods, const Clock& clock, const QueueOptions& options,
                                 std::vector<QueueProfile> profiles)
    : pods_(pods),
      clock_(clock),
      options_(options),
      profiles_(std::move(profiles)),
      listeners_(profiles_),
      active_(*profiles_.front().queue_sort),
      backoff_(clock_, options_, *profiles_.front().queue_sort),
      in_flight_(pods_.classes()),
      nominator_(&pods) {}

// ---- records ----

QueuedPodInfo* SchedulingQueue::Record(PodId pod) const {
  const size_t page = pod >> kPageBits;
  if (page >= pages_.size() || pages_[page] == nullptr) return nullptr;
  return &(*pages_[page])[pod & ((size_t{1} << kPageBits) - 1)];
}

QueuedPodInfo& SchedulingQueue::NewRecord(PodId pod) {
  const size_t page = pod >> kPageBits;
  if (page >= pages_.size()) pages_.resize(page + 1);
  if (pages_[page] == nullptr) pages_[page] = std::make_unique<Page>();
  QueuedPodInfo& info = *Record(pod);
  assert(!info.links.in_flight);  // a pod leaves the store when it is in flight no more
  info = QueuedPodInfo{};
  info.id = pod;
  info.pod = &pods_.Get(pod);
  info.timestamp = clock_.Now();
  info.links.priority = info.pod->priority();
  for (size_t i = 0; i < profiles_.size(); ++i) {
    if (profiles_[i].scheduler_name == info.pod->pod_class->scheduler_name()) {
      info.links.profile = static_cast<uint16_t>(i);
      break;
    }
  }
  return info;
}

const QueuedPodInfo* SchedulingQueue::Find(PodId pod) const {
  const QueuedPodInfo* info = Record(pod);
  if (info == nullptr) return nullptr;
  const bool known =
      InFlight::Has(*info) || ActiveQueue::Has(*info) || BackoffQueue::Has(*info) || UnschedulablePods::Has(*info);
  return known ? info : nullptr;
}

bool SchedulingQueue::Gated(PodId pod) const {
  const QueuedPodInfo* info = Record(pod);
  return info != nullptr && UnschedulablePods::Has(*info) && info->gated();
}

// ---- pods come, change and go ----

void SchedulingQueue::Add(PodId pod) {
  assert(Find(pod) == nullptr);
  QueuedPodInfo& info = NewRecord(pod);
  // Also if it is gated: its nomination counts.
  nominator_.Add(*info.pod, std::nullopt);
  MoveToActive(info, /*from_backoff=*/false, {"UnscheduledPodAdd"});
}

void SchedulingQueue::Update(const PodInfo& old_pod, PodId pod) {
  QueuedPodInfo* info = Record(pod);
  if (info == nullptr || Find(pod) == nullptr) {
    Add(pod);
    return;
  }
  if (InFlight::Has(*info)) {
    // It comes back with what the store says by then; what changed may get it out of unschedulable at once.
    const EventObjects objects{.old_pod = &old_pod, .new_pod = info->pod};
    for (const ClusterEvent& event : PodUpdateEvents(old_pod, *info->pod, /*target=*/true)) {
      in_flight_.Record(event, objects);
    }
    return;
  }
  info->links.priority = info->pod->priority();
  nominator_.Update(old_pod, *info->pod);
  if (ActiveQueue::Has(*info)) {
    active_.AddOrFix(*info);
  } else if (BackoffQueue::Has(*info)) {
    backoff_.Fix(*info);
  } else {
    UpdateUnschedulable(*info, old_pod);
  }
}

void SchedulingQueue::UpdateUnschedulable(QueuedPodInfo& info, const PodInfo& old_pod) {
  const EventObjects objects{.old_pod = &old_pod, .new_pod = info.pod};
  for (const ClusterEvent& event : PodUpdateEvents(old_pod, *info.pod, /*target=*/true)) {
    const Event described = Describe(event, objects);
    const Place place = Requeue(info, StrategyForEvent(info, described), described.cause());
    if (place == Place::kActive || (place == Place::kBackoff && options_.pop_from_backoff_q)) return;
    // Without the gate the reference goes on with a pod that is in backoff now, and may put it into unschedulable as
    // well. It stays in both until one of them moves it; so it does here.
  }
}

void SchedulingQueue::Delete(PodId pod) {
  nominator_.Delete(pod);
  QueuedPodInfo* info = Record(pod);
  if (info == nullptr) return;
  if (options_.observer != nullptr && Find(pod) != nullptr && !InFlight::Has(*info)) TellRejected(*info, -1);
  // From everywhere: a pod that is in two places (UpdateUnschedulable) must not stay in one of them.
  active_.Remove(*info);
  backoff_.Remove(*info);
  unschedulable_.Remove(*info);
}

// ---- a scheduling attempt ----

bool SchedulingQueue::Ready() const { return !active_.empty() || (options_.pop_from_backoff_q && backoff_.size() > 0); }

QueuedPodInfo* SchedulingQueue::Pop() {
  while (Ready()) {
    const bool early = active_.empty();
    QueuedPodInfo& info = early ? backoff_.Pop() : active_.Pop();
    ++info.attempts;
    if (early) Tell(ObservedQueue::kActive, {"PopFromBackoffQ"});
    if (InFlight::Has(info)) continue;  // it was in two places, and is tried already
    TellRejected(info, -1);
    in_flight_.Start(info);
    return &info;
  }
  return nullptr;
}

void SchedulingQueue::Done(PodId pod) {
  QueuedPodInfo* info = Record(pod);
  if (info == nullptr) return;
  in_flight_.Done(*info);
  if (Find(pod) == nullptr) nominator_.NotQueued(*info->pod);
}

bool SchedulingQueue::AddUnschedulableIfNotPresent(QueuedPodInfo& info) {
  if (ActiveQueue::Has(info) || BackoffQueue::Has(info) || UnschedulablePods::Has(info)) {
    in_flight_.Done(info);
    return false;
  }
  if (info.rejectors().empty()) {
    ++info.consecutive_errors_count;
  } else {
    ++info.unschedulable_count;
    info.consecutive_errors_count = 0;
  }
  info.links.priority = info.pod->priority();
  info.timestamp = clock_.Now();
  info.backoff_expiration = kNoTime;
  info.was_flushed_from_unschedulable = false;
  info.flush_timestamp = kNoTime;
  TellRejected(info, +1);
  Requeue(info, StrategyForReturning(info), {"ScheduleAttemptFailure"});
  in_flight_.Done(info);
  return true;
}

SchedulingQueue::Strategy SchedulingQueue::StrategyForReturning(const QueuedPodInfo& info) {
  // Without a plugin that turned it down no event would ever move it. Nor is it known what happened to a pod that was
  // done before it failed.
  if (info.rejectors().empty() || !InFlight::Has(info)) return Strategy::kAfterBackoff;
  Strategy best = Strategy::kSkip;
  in_flight_.ForEachEventSince(info, [&](const ClusterEvent& event, const EventObjects& objects) {
    best = std::max(best, StrategyForEvent(info, Describe(event, objects)));
    // Only a pending plugin can make it go to the active queue at once.
    return best == Strategy::kSkip || (best == Strategy::kAfterBackoff && !info.pending_plugins.empty());
  });
  return best;
}

// ---- what moves pods ----

void SchedulingQueue::MoveAllToActiveOrBackoffQueue(const ClusterEvent& event, const EventObjects& objects,
                                                    const PreCheck& pre_check) {
  const Event described = Describe(event, objects);
  if (described.listeners != nullptr && described.listeners->any_profile.empty()) return;
  scratch_.clear();
  unschedulable_.ForEach([&](const UnschedulablePods::Group& group) { return Interests(group, described); },
                         [&](QueuedPodInfo& info) {
                           if (!pre_check || pre_check(*info.pod)) scratch_.push_back(&info);
                         });
  MovePods(scratch_, described);
}

SchedulingQueue::Event SchedulingQueue::Describe(const ClusterEvent& event, const EventObjects& objects) {
  return {event, objects, event == kWildCardEvent ? nullptr : &listeners_.Of(event)};
}

bool SchedulingQueue::Interests(const UnschedulablePods::Group& group, const Event& event) const {
  if (event.listeners == nullptr) return true;
  // Unless its gating plugin listens, PreEnqueue would say again what it said.
  if (group.gating_plugin != kNoPlugin && !event.listeners->any_profile.Has(group.gating_plugin)) return false;
  // These two move with any event (StrategyForEvent).
  if (group.rejectors.empty() || group.profile >= profiles_.size()) return true;
  return (event.listeners->by_profile[group.profile].plugins.bits() & group.rejectors.bits()) != 0;
}

void SchedulingQueue::MovePods(std::span<QueuedPodInfo* const> infos, const Event& event) {
  for (QueuedPodInfo* info : infos) {
    const Strategy strategy = StrategyForEvent(*info, event);
    if (strategy != Strategy::kSkip) Requeue(*info, strategy, event.cause());
  }
  if (!in_flight_.empty()) in_flight_.Record(event.event, event.objects);
}

void SchedulingQueue::Activate(std::span<const PodId> pods) {
  for (PodId pod : pods) {
    QueuedPodInfo* info = Record(pod);
    if (info == nullptr || ActivateOne(*info)) continue;
    // The pod goes with the event, which is for it alone.
    if (InFlight::Has(*info)) in_flight_.Record(kWildCardEvent, {.new_pod = info->pod});
  }
}

bool SchedulingQueue::ActivateOne(QueuedPodInfo& info) {
  constexpr QueueCause kForced{"ForceActivate"};
  if (UnschedulablePods::Has(info)) return MoveToActive(info, /*from_backoff=*/false, kForced);
  return backoff_.Remove(info) && MoveToActive(info, /*from_backoff=*/true, kForced);
}

void SchedulingQueue::FlushBackoff() {
  while (QueuedPodInfo* info = backoff_.PopCompleted()) MoveToActive(*info, /*from_backoff=*/true, {"BackoffComplete"});
}

void SchedulingQueue::FlushUnschedulableLeftovers() {
  const TimeNs now = clock_.Now();
  scratch_.clear();
  unschedulable_.ForEach([](const UnschedulablePods::Group&) { return true; },
                         [&](QueuedPodInfo& info) {
                           const TimeNs since = std::max(info.timestamp, info.flush_timestamp);
                           if (now - since <= options_.max_in_unschedulable_ns) return;
                           info.was_flushed_from_unschedulable = true;
                           info.flush_timestamp = now;
                           scratch_.push_back(&info);
                         });
  if (!scratch_.empty()) MovePods(scratch_, Describe(kWildCardEvent, {}));
}

// ---- where a pod goes ----

SchedulingQueue::Strategy SchedulingQueue::StrategyForEvent(const QueuedPodInfo& info, const Event& event) const {
  if (info.rejectors().empty()) return Strategy::kAfterBackoff;
  if (event.listeners == nullptr) {
    // A wildcard event with an object is for that pod alone.
    const EventObjects& objects = event.objects;
    if (objects.new_pod != nullptr && objects.new_pod->id != info.id) return Strategy::kSkip;
    return Strategy::kAfterBackoff;
  }
  if (info.links.profile >= profiles_.size()) return Strategy::kAfterBackoff;
  return AskHints(info, event);
}

SchedulingQueue::Strategy SchedulingQueue::AskHints(const QueuedPodInfo& info, const Event& event) const {
  const PluginSet rejectors = info.rejectors();
  Strategy best = Strategy::kSkip;
  for (const EventListeners::Hint& hint : event.listeners->by_profile[info.links.profile].hints) {
    if (!rejectors.Has(hint.plugin)) continue;
    if (*hint.function) {
      const Result<QueueingHint> answer = (*hint.function)(*info.pod, event.objects);
      // A hint that fails must not keep the pod waiting for ever.
      if (answer.ok() && answer.value() == QueueingHint::kSkip) continue;
    }
    if (info.pending_plugins.Has(hint.plugin)) return Strategy::kImmediately;
    if (info.pending_plugins.empty()) return Strategy::kAfterBackoff;
    best = Strategy::kAfterBackoff;
  }
  return best;
}

SchedulingQueue::Place SchedulingQueue::Requeue(QueuedPodInfo& info, Strategy strategy, const QueueCause& cause) {
  if (strategy == Strategy::kSkip) {
    KeepUnschedulable(info, cause);
    return Place::kUnschedulable;
  }
  if (strategy == Strategy::kAfterBackoff && backoff_.IsBackingOff(info)) {
    return MoveToBackoff(info, cause) ? Place::kBackoff : Place::kUnschedulable;
  }
  return MoveToActive(info, /*from_backoff=*/false, cause) ? Place::kActive : Place::kUnschedulable;
}

bool SchedulingQueue::MoveToActive(QueuedPodInfo& info, bool from_backoff, const QueueCause& cause) {
  // With the gate PreEnqueue was asked when the pod went into backoff.
  if (!from_backoff || !options_.pop_from_backoff_q) {
    RunPreEnqueue(info);
    if (info.gated()) {
      HoldBack(info, cause);
      return false;
    }
  }
  if (!info.initial_attempt_timestamp) info.initial_attempt_timestamp = clock_.Now();
  unschedulable_.Remove(info);
  active_.AddOrFix(info);
  Tell(ObservedQueue::kActive, cause);
  return true;
}

bool SchedulingQueue::MoveToBackoff(QueuedPodInfo& info, const QueueCause& cause) {
  // With the gate the pod may be popped from there, and nobody asks PreEnqueue then.
  if (options_.pop_from_backoff_q) {
    RunPreEnqueue(info);
    if (info.gated()) {
      HoldBack(info, cause);
      return false;
    }
  }
  unschedulable_.Remove(info);
  backoff_.Add(info);
  Tell(ObservedQueue::kBackoff, cause);
  return true;
}

void SchedulingQueue::KeepUnschedulable(QueuedPodInfo& info, const QueueCause& cause) {
  if (!UnschedulablePods::Has(info)) Tell(ObservedQueue::kUnschedulable, cause);
  unschedulable_.AddOrUpdate(info);
}

void SchedulingQueue::TellRejected(const QueuedPodInfo& info, int change) const {
  if (options_.observer == nullptr || info.rejectors().empty()) return;
  options_.observer->Rejected(info.pod->pod_class->scheduler_name(), info.rejectors(), change);
}

void SchedulingQueue::HoldBack(QueuedPodInfo& info, const QueueCause& cause) {
  // A flush did not get it any further, so it is not what moves the pod next time.
  info.was_flushed_from_unschedulable = false;
  KeepUnschedulable(info, cause);
}

void SchedulingQueue::RunPreEnqueue(QueuedPodInfo& info) const {
  if (info.links.profile >= profiles_.size()) return;
  Observer* observer = options_.observer;
  if (observer == nullptr) return AskPreEnqueue(info);
  const PluginSet before = info.rejectors();
  const Observer::Time began = Observer::Now();
  AskPreEnqueue(info);
  const std::string& profile = profiles_[info.links.profile].scheduler_name;
  // Always a success: so the reference counts.
  observer->Ran(ObservedPoint::kPreEnqueue, profile, Code::kSuccess, Observer::Now() - began);
  if (info.gated() && !before.Has(info.gating_plugin)) {
    PluginSet added;
    added.Insert(info.gating_plugin);
    observer->Rejected(profile, added, +1);
  }
}

void SchedulingQueue::AskPreEnqueue(QueuedPodInfo& info) const {
  const auto& plugins = profiles_[info.links.profile].pre_enqueue;
  const auto holds_back = [&](PluginId id, const PreEnqueuePlugin& plugin) {
    if (plugin.PreEnqueue(*info.pod).ok()) return false;
    info.unschedulable_plugins.Insert(id);
    info.gating_plugin = id;
    return true;
  };
  // The one that held it back last time is asked first: it is the most likely to do so again.
  const PluginId asked = info.gating_plugin;
  for (const auto& [id, plugin] : plugins) {
    if (id == asked && holds_back(id, *plugin)) return;
  }
  for (const auto& [id, plugin] : plugins) {
    if (id != asked && holds_back(id, *plugin)) return;
  }
  info.gating_plugin = kNoPlugin;
}

}  // namespace ksched
