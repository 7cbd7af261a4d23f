#include "plugins/default_preemption/default_preemption.h"

#include <fmt/format.h>

namespace ksched {

Result<std::unique_ptr<Plugin>> DefaultPreemption::Create(const config::PluginArgs& args,
                                                          const PluginContext& context) {
  config::DefaultPreemptionArgs used;
  if (const auto* given = std::get_if<config::DefaultPreemptionArgs>(&args)) used = *given;
  return std::unique_ptr<Plugin>(std::make_unique<DefaultPreemption>(
      PreemptionOptions{used.min_candidate_nodes_percentage, used.min_candidate_nodes_absolute}, context));
}

DefaultPreemption::DefaultPreemption(PreemptionOptions options, const PluginContext& context)
    : state_(context.state),
      reasons_(context.reasons),
      handle_(*context.handle),
      ports_(context.ports),
      asynchronous_(context.features.Enabled(config::Gate::kSchedulerAsyncPreemption) ||
                    (ports_.evictor != nullptr && ports_.evictor->asynchronous())),
      waiting_(context.reasons.Intern("waiting for the preemption for this pod to be finished")),
      evaluator_(context.state, context.reasons, *context.handle, options) {}

Status DefaultPreemption::PreEnqueue(const PodInfo& pod) const {
  if (!asynchronous_ || ports_.evictor == nullptr || !ports_.evictor->IsPreempting(pod)) return {};
  return Status::UnschedulableAndUnresolvable(waiting_);
}

Status DefaultPreemption::PostFilter(CycleState& cycle, const PodInfo& pod, const NodeStatuses& statuses,
                                     PostFilterResult& result) {
  Status status = evaluator_.Evaluate(cycle, pod, statuses, result);
  if (!status.ok()) return WithPrefix(std::move(status));
  Evict(pod, result);
  status.AddReason(
      reasons_.Intern(fmt::format("preemption: found a potential placement for pod on node {}, preempting {} victims",
                                  result.nominated_node, result.victims.size())));
  return status;
}

Status DefaultPreemption::WithPrefix(Status status) const {
  const std::string message = status.Message(reasons_);
  if (message.empty()) return status;
  return {status.code(), reasons_.Intern("preemption: " + message)};
}

void DefaultPreemption::Evict(const PodInfo& pod, const PostFilterResult& result) {
  std::vector<PodId> victims = result.victims;
  std::erase_if(victims, [this](PodId id) { return state_.pod_store().Get(id).deleting(); });  // they leave already
  const bool leave_later = ports_.evictor != nullptr && ports_.evictor->asynchronous();
  // The reference has nothing more to do then when there are none, and clears nominations before anybody leaves.
  if (leave_later && victims.empty()) return;
  if (leave_later) ClearLowerNominations(pod, result.nominated_node);
  if (ports_.evictor != nullptr && !victims.empty()) ports_.evictor->Evict(victims, pod, result.nominated_node);
  if (!leave_later) ClearLowerNominations(pod, result.nominated_node);
}

// Less important pods that were to go to this node may not fit any more: they shall look for another place soon.
void DefaultPreemption::ClearLowerNominations(const PodInfo& pod, const std::string& node_name) {
  if (ports_.status_writer == nullptr) return;
  const auto nominated = handle_.NominatedPods(node_name);
  for (const PodId id : std::vector<PodId>(nominated.begin(), nominated.end())) {  // clearing one may change them
    const PodInfo& other = state_.pod_store().Get(id);
    if (other.priority() >= pod.priority() || other.nominated_node_name().empty()) continue;
    ports_.status_writer->ClearNomination(other);
  }
}

std::vector<ClusterEventWithHint> DefaultPreemption::EventsToRegister() const {
  if (!asynchronous_) return {};
  // The deletion ends the waiting in PreEnqueue. Whether the pod is tried again is for the plugins to say that rejected
  // it before.
  return {{kAssignedPodDelete, [](const PodInfo&, const EventObjects&) { return QueueingHint::kSkip; }}};
}

}  // namespace ksched
