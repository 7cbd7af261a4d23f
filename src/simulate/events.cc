// Simulation: changes of the cluster from outside (docs/report.md, "Events").

#include <utility>

#include <fmt/format.h>

#include "simulate/simulation.h"

namespace ksched {
namespace {

// The status that the API has: what came from outside, with what the run has written since.
api::PodStatus CurrentStatus(const api::PodStatus& given, const PodInfo& pod) {
  api::PodStatus status = given;
  status.nominated_node_name = pod.nominated_node_name();
  status.start_time = pod.start_time();
  std::erase_if(status.conditions, [](const api::PodCondition& c) { return c.type == "PodScheduled"; });
  if (const ScheduledCondition* known = pod.facts->condition.get(); known != nullptr && !known->status.empty()) {
    status.conditions.push_back({"PodScheduled", known->status, known->reason, known->message});
  }
  return status;
}

}  // namespace

void Simulation::KeepMetadata(api::ObjectMeta& now, const api::ObjectMeta& was) {
  if (!now.creation_timestamp) now.creation_timestamp = was.creation_timestamp;
  if (!now.deletion_timestamp) {
    now.deletion_timestamp = was.deletion_timestamp;
    now.deletion_grace_period_seconds = was.deletion_grace_period_seconds;
  }
}

Result<void> Simulation::HappenWhatIsDue() {
  while (next_event_ < input_.events.size() && input_.events[next_event_].at_ms * kNsPerMs <= clock_.Now()) {
    TimedEvent& event = input_.events[next_event_++];
    if (auto happened = Happen(event); !happened) {
      const std::string object = event.ns.empty() ? event.name : event.ns + "/" + event.name;
      return Error{fmt::format("event at {} ms: {} {}: {}", event.at_ms, event.kind, object, happened.error().message)};
    }
    clock_.Advance(kNsPerUs);
    errors_in_a_row_ = 0;
    if (event.replayed) counted_from_ = cycles_;
    SyncWorkloads();
  }
  return {};
}

Result<void> Simulation::Happen(TimedEvent& event) {
  if (event.kind == "Node") {
    HappenToNode(event);
  } else if (event.kind == "Pod") {
    return HappenToPod(event);
  } else {
    HappenToObject(event);
  }
  return {};
}

// ---- nodes ----

void Simulation::HappenToNode(TimedEvent& event) {
  if (event.type == TimedEvent::Type::kDelete) {
    handlers_->DeleteNode(event.name);
    return;
  }
  auto& node = std::get<api::Node>(event.object);
  const auto was = state_.FindNode(event.name);
  if (event.type == TimedEvent::Type::kAdd) {
    handlers_->AddNode(std::move(node));
    return;
  }
  if (!was) return;
  const api::Node& current = state_.node(*was);
  KeepMetadata(node.metadata, current.metadata);
  if (event.keeps_status) node.status = current.status;
  handlers_->UpdateNode(std::move(node),
                        event.keeps_status ? ClusterState::ImagesOf::kAsBefore : ClusterState::ImagesOf::kNode);
}

// ---- pods ----

PodInfo* Simulation::FindAlive(const std::string& ns, const std::string& name) {
  PodInfo* pod = state_.pod_store().Find(ns, name);
  return pod != nullptr && alive_[pod->id] ? pod : nullptr;
}

Result<void> Simulation::HappenToPod(TimedEvent& event) {
  PodInfo* pod = FindAlive(event.ns, event.name);
  if (event.type == TimedEvent::Type::kDelete) {
    if (pod != nullptr) RemovePod(*pod);
    return {};
  }
  auto now = std::move(std::get<api::Pod>(event.object));
  if (event.type == TimedEvent::Type::kAdd) {
    if (pod != nullptr && !event.replayed) return Error{"it exists already"};
    if (pod != nullptr) RemovePod(*pod);
    if (api::IsTerminal(now)) return {};
    if (!now.spec.node_name.empty() && !now.status.start_time) now.status.start_time = kStartOfRunNs;
    input_.event_pods[event.ns + "/" + event.name] = now;
    AddPodLater(std::move(now), false, "");
    return {};
  }
  if (pod == nullptr) return {};  // the run removed it before
  return ChangePod(event, *pod, std::move(now));
}

// A pod that comes while the run goes on.
PodInfo& Simulation::AddPodLater(api::Pod pod, bool from_manifest, const std::string& source) {
  PodStore& store = state_.pod_store();
  if (PodInfo* gone = store.Find(pod.metadata.ns, pod.metadata.name)) store.Remove(gone->id);
  if (!pod.spec.node_name.empty() && !pod.status.start_time) pod.status.start_time = kStartOfRunNs;
  PodInfo& info = store.Add(std::move(pod));
  if (input_.pod_names) input_.pod_names->insert(info.Key());
  info.arrival = next_arrival_++;
  if (alive_.size() <= info.id) alive_.resize(info.id + 1, false);
  if (tracked_of_.size() <= info.id) tracked_of_.resize(info.id + 1, nullptr);
  alive_[info.id] = true;
  tracked_of_[info.id] = nullptr;
  if (info.node_name().empty()) Track(info, from_manifest, source);
  handlers_->AddPod(info);
  return info;
}

void Simulation::RemovePod(PodInfo& pod) {
  if (Tracked* tracked = std::exchange(tracked_of_[pod.id], nullptr)) tracked->deleted = !tracked->placed;
  alive_[pod.id] = false;
  if (input_.pod_names) input_.pod_names->erase(pod.Key());
  handlers_->DeletePod(pod);
  TellGone(pod);
}

Result<void> Simulation::ChangePod(TimedEvent& event, PodInfo& pod, api::Pod now) {
  api::Pod& current = input_.event_pods[event.ns + "/" + event.name];
  KeepMetadata(now.metadata, current.metadata);
  if (event.keeps_status) now.status = CurrentStatus(current.status, pod);
  if (event.replayed_pod) now.status = CurrentStatus(now.status, pod);
  if (now.spec.node_name.empty()) {
    now.spec.node_name = pod.node_name();
  } else if (!pod.node_name().empty() && now.spec.node_name != pod.node_name() && !event.replayed) {
    return Error{fmt::format("spec.nodeName cannot change from {} to {}", pod.node_name(), now.spec.node_name)};
  }
  if (api::IsTerminal(now)) {
    RemovePod(pod);
    return {};
  }
  if (!now.spec.node_name.empty() && !now.status.start_time) now.status.start_time = kStartOfRunNs;
  const bool bound_by_other = pod.node_name().empty() && !now.spec.node_name.empty();
  current = now;
  handlers_->UpdatePod(pod, std::move(now));
  if (Tracked* tracked = tracked_of_[pod.id]; tracked != nullptr && bound_by_other) {
    tracked->placed = true;
    tracked->node = pod.node;
    tracked->outcome.result = "Scheduled";
    tracked->outcome.message.clear();
    TellStarted(pod);
  }
  return {};
}

}  // namespace ksched
