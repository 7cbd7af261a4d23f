// Binding cycles: a pod that has its node waits for Permit, is prepared (PreBind) and bound, while other pods have
// their scheduling cycles. Everything happens in one thread: what takes its time calls back.

#include <utility>

#include <fmt/format.h>

#include "scheduler/binding.h"

namespace ksched {

std::unique_ptr<Scheduler::Binding> Scheduler::NewBinding() {
  if (free_bindings_.empty()) return std::make_unique<Binding>(*this);
  std::unique_ptr<Binding> binding = std::move(free_bindings_.back());
  free_bindings_.pop_back();
  return binding;
}

void Scheduler::StartBinding(Profile& profile, PodInfo& pod, QueuedPodInfo& queued) {
  Binding& binding = *(bindings_[pod.id] = NewBinding());
  const Framework& framework = *profile.framework;
  binding.profile = &profile;
  binding.queued = &queued;
  binding.node = record_.node;
  binding.outcome.Clear();
  binding.permitted = binding.gone = false;
  binding.began = cycle_began_;
  binding.waits_since.reset();
  binding.run.set_observer(observer_);
  cycle_.MoveTo(binding.cycle, framework.binding_plugins());
  record_.result = CycleResult::kBinding;
  starting_ = &binding;
  const Status status = Observe(observer_, ObservedPoint::kPreBindPreFlight, framework.scheduler_name(),
                                [&] { return framework.RunPreBindPreFlights(binding.cycle, pod, binding.node); });
  binding.prepares = status.ok();
  if (!status.ok() && !status.IsSkip()) {
    waiting_pods_.Remove(pod.id);
    BindingEnded(binding, status);
  } else {
    // Whoever makes nodes shall see that this one is needed, unless the pod is bound in a moment anyway.
    if ((binding.prepares || waiting_pods_.Has(pod.id)) && expects_ && world_.ports.status_writer != nullptr) {
      world_.ports.status_writer->Expect(pod, world_.state.node_name(binding.node));
    }
    if (observer_ != nullptr && waiting_pods_.Has(pod.id)) binding.waits_since = Observer::Now();
    waiting_pods_.Wait(pod.id, binding);
  }
  starting_ = nullptr;
}

void Scheduler::PermitEnded(Binding& binding, const Status& status) {
  if (binding.waits_since) observer_->PermitEnded(status.code(), Observer::Now() - *binding.waits_since);
  if (!status.ok()) return BindingEnded(binding, status);
  const PodInfo& pod = world_.state.pod_store().Get(binding.queued->id);
  binding.permitted = true;
  // From here on no failure means that the pod is unschedulable: events need not be kept for it.
  queue_->Done(pod.id);
  binding.run.Start(*binding.profile->framework, binding.cycle, pod, binding.node, binding);
}

void Scheduler::BindingEnded(Binding& binding, const Status& status) {
  PodInfo& pod = world_.state.pod_store().Get(binding.queued->id);
  if (status.ok()) {
    binding.outcome.result = CycleResult::kScheduled;
    if (observer_ != nullptr) TellBound(binding);
    if (world_.ports.event_sink != nullptr) {
      world_.ports.event_sink->Scheduled(pod, world_.state.node_name(binding.node));
    }
    const Framework& framework = *binding.profile->framework;
    const auto post_bind = [&] { return framework.RunPostBind(binding.cycle, pod, binding.node), Status(); };
    (void)Observe(observer_, ObservedPoint::kPostBind, framework.scheduler_name(), post_bind);
  } else {
    BindingFailed(binding, pod, status);
  }
  if (starting_ == &binding) static_cast<CycleOutcome&>(record_) = binding.outcome;
  if (on_binding_ended_) on_binding_ended_(pod, binding.outcome);
  Release(pod.id);
}

void Scheduler::TellBound(const Binding& binding) const {
  const QueuedPodInfo& queued = *binding.queued;
  observer_->AttemptEnded(AttemptResult::kScheduled, binding.profile->framework->scheduler_name(),
                          Observer::Now() - binding.began);
  BoundPod bound{.attempts = queued.attempts, .after_flush = queued.was_flushed_from_unschedulable};
  if (queued.initial_attempt_timestamp) {
    bound.waited = std::chrono::nanoseconds(world_.clock.Now() - *queued.initial_attempt_timestamp);
  }
  observer_->Bound(bound);
}

void Scheduler::BindingFailed(Binding& binding, PodInfo& pod, const Status& status) {
  PodInfo assumed = pod;  // as it was on its node, for the event
  assumed.node_name_of = &world_.state.node_name(binding.node);
  const bool freed = GiveNodeBack(*binding.profile, binding.cycle, pod, binding.node);
  if (binding.permitted && status.IsRejected()) {
    FailWith(status, binding.outcome);
    binding.outcome.result = CycleResult::kUnschedulable;
  } else {
    RejectedOnNode(status, binding.node, binding.outcome);
  }
  TellAttempt(*binding.profile, binding.outcome, binding.began);
  const EventObjects left{.old_pod = &assumed};
  // Others hear of a pod that was rejected when it is back in the queue, so that it is not moved itself.
  const bool later = status.IsRejected();
  if (freed && !later) queue_->MoveAllToActiveOrBackoffQueue(kAssignedPodDelete, left);
  if (binding.gone || !pod.node_name().empty()) {
    queue_->Done(pod.id);
    queue_->DeleteNominatedPodIfExists(pod.id);
  } else {
    HandleFailure(*binding.queued, binding.outcome);
  }
  if (freed && later) {
    queue_->MoveAllToActiveOrBackoffQueue(kAssignedPodDelete, left,
                                          [&](const PodInfo& other) { return other.id != assumed.id; });
  }
}

void Scheduler::Release(PodId pod) {
  const auto found = bindings_.find(pod);
  std::unique_ptr<Binding> binding = std::move(found->second);
  bindings_.erase(found);
  binding->cycle.GiveBack(cycle_);
  const bool gone = binding->gone;
  free_bindings_.push_back(std::move(binding));
  if (gone) world_.state.pod_store().Remove(pod);
}

bool Scheduler::RemoveWhenBound(PodId pod) {
  const auto found = bindings_.find(pod);
  if (found == bindings_.end()) return false;
  found->second->gone = true;
  world_.state.pod_store().Unlist(pod);
  waiting_pods_.Reject(pod, kNoPlugin, "removed");
  return true;
}

bool Scheduler::PreemptBinding(PodId pod, std::string_view plugin) {
  if (waiting_pods_.Has(pod)) return waiting_pods_.Preempt(pod, kNoPlugin, "preempted");
  const auto found = bindings_.find(pod);
  if (found == bindings_.end() || !found->second->prepares) return false;
  if (!found->second->run.StopBeforeBind({Code::kError, reasons_.Intern(fmt::format("preempted by {}", plugin))}))
    return false;
  if (world_.ports.volume_writer != nullptr) world_.ports.volume_writer->Cancel(world_.state.pod_store().Get(pod));
  return true;
}

}  // namespace ksched
