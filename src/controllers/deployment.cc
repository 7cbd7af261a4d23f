#include "controllers/deployment.h"

#include <algorithm>
#include <limits>

#include "controllers/progress_text.h"
#include "controllers/template_hash.h"
#include "controllers/workload_util.h"

namespace ksched::controllers {
namespace {

constexpr const char* kHash = "pod-template-hash";
constexpr const char* kRevision = "deployment.kubernetes.io/revision";

api::OwnerReference OwnerOfPods(const std::string& name, const std::string& uid) {
  return {"apps/v1", "ReplicaSet", name, uid, true};
}

}  // namespace

Result<std::unique_ptr<WorkloadController>> DeploymentController::Create(const Request& request) {
  const api::Workload& desired = *request.desired;
  const Result<RolloutBounds> bounds =
      ResolveBounds(desired.max_surge, desired.max_unavailable, EffectiveReplicas(desired, request.existing));
  if (!bounds) return bounds.error();
  return std::unique_ptr<WorkloadController>(new DeploymentController(request, *bounds));
}

DeploymentController::DeploymentController(const Request& request, RolloutBounds bounds)
    : pods_(request, request.desired->metadata.name, /*related=*/true),
      bounds_(bounds),
      replicas_(EffectiveReplicas(*request.desired, request.existing)),
      rolling_(request.desired->strategy != "Recreate"),
      paused_(request.desired->paused) {
  const api::Workload& desired = *request.desired;
  const api::Workload* live = request.existing.workload;
  if (live != nullptr) {
    status_replicas_ = live->status.replicas;
    deleting_ = live->metadata.deletion_timestamp.has_value();
    AddReplicaSets(request);
    new_ = FindNew(request);
  }
  if (new_) {  // what it makes is of the wanted template: the same, or a change that does not count as one
    ReplicaSetState& set = pods_.sets()[*new_];
    const std::string hash = set.pattern.metadata.labels[kHash];
    set.pattern =
        PatternOf(desired.pod_template, desired.metadata.ns, desired.metadata.name, OwnerOfPods(set.name, set.uid));
    if (!hash.empty()) set.pattern.metadata.labels[kHash] = hash;
    return;
  }
  const std::string text = TemplateTextOf(request);
  for (uint32_t collisions = 0;; ++collisions) {
    const std::string hash = HashOfTemplate(text, collisions);
    const auto& sets = pods_.sets();
    const std::string name = desired.metadata.name + "-" + hash;
    if (std::any_of(sets.begin(), sets.end(), [&](const ReplicaSetState& set) { return set.name == name; })) continue;
    PlanNew(request, hash);
    return;
  }
}

void DeploymentController::PlanNew(const Request& request, const std::string& hash) {
  const api::Workload& desired = *request.desired;
  constexpr size_t kMaxName = 253;
  planned_.name = desired.metadata.name.substr(0, kMaxName - 1 - hash.size()) + "-" + hash;
  planned_.uid = desired.metadata.ns + "/" + planned_.name;
  planned_.created = std::numeric_limits<api::TimeNs>::max();  // the youngest
  planned_.pattern = PatternOf(desired.pod_template, desired.metadata.ns, desired.metadata.name,
                               OwnerOfPods(planned_.name, planned_.uid));
  planned_.pattern.metadata.labels[kHash] = hash;
}

void DeploymentController::AddReplicaSets(const Request& request) {
  for (const api::Workload& live : request.existing.replica_sets) {
    const api::OwnerReference owner = OwnerOfPods(live.metadata.name, live.metadata.uid);
    ReplicaSetState state{.name = live.metadata.name, .uid = live.metadata.uid};
    state.created = live.metadata.creation_timestamp;
    state.replicas = live.replicas.value_or(1);
    state.desired_replicas = CountOf(live.metadata.annotations, "deployment.kubernetes.io/desired-replicas");
    state.max_replicas = CountOf(live.metadata.annotations, "deployment.kubernetes.io/max-replicas");
    state.pattern = PatternOf(live.pod_template, live.metadata.ns, request.desired->metadata.name, owner);
    const std::string_view hash = ValueOf(live.metadata.labels, kHash);
    if (!hash.empty()) state.pattern.metadata.labels[kHash] = std::string(hash);
    const size_t set = pods_.AddSet(std::move(state));
    for (const ManagedPod& pod : request.existing.pods) {
      if (IsOwnedBy(pod, owner)) pods_.AddPod(set, pod);
    }
  }
}

// The reference compares templates. Here the caller knows, or the Deployment's revision says which is its own.
std::optional<size_t> DeploymentController::FindNew(const Request& request) const {
  if (request.template_changed) return request.reused_replica_set;
  const std::string_view revision = ValueOf(request.existing.workload->metadata.annotations, kRevision);
  const auto& live = request.existing.replica_sets;
  std::optional<size_t> latest;
  int64_t latest_revision = -1;
  for (size_t i = 0; i < live.size(); ++i) {
    const std::string_view own = ValueOf(live[i].metadata.annotations, kRevision);
    if (!revision.empty() && own == revision) return i;
    const int64_t number = NumberOf(own).value_or(0);
    if (!latest || number > latest_revision) {
      latest = i;
      latest_revision = number;
    }
  }
  return latest;
}

Step DeploymentController::Sync() {
  Step step;
  if (deleting_) return step;
  for (;;) {
    const bool resized = Pass();
    if (!pods_.Manage(step) && !resized) return step;
  }
}

bool DeploymentController::Pass() {
  if (paused_ || IsScalingEvent()) return Scale();
  return rolling_ ? RollOut() : Recreate();
}

bool DeploymentController::RollOut() {
  const bool added = !new_;
  if (added) AddNew();
  return GrowNew() || ShrinkOld() || added;
}

// As big as the surge allows from the start.
void DeploymentController::AddNew() {
  planned_.replicas = 0;
  new_ = pods_.AddSet(planned_);
  ReplicaSetState& set = pods_.sets()[*new_];
  set.desired_replicas = replicas_;
  set.max_replicas = replicas_ + max_surge();
}

bool DeploymentController::GrowNew() {
  const int32_t size = pods_.sets()[*new_].replicas;
  if (size >= replicas_) return Resize(*new_, replicas_);
  const int32_t room = replicas_ + bounds_.max_surge - TotalReplicas();
  return room > 0 && Resize(*new_, size + std::min(room, replicas_ - size));
}

bool DeploymentController::ShrinkOld() {
  const std::vector<size_t> old_sets = Active(/*with_new=*/false);
  const ReplicaSetState& current = pods_.sets()[*new_];
  const int32_t min_available = replicas_ - max_unavailable();
  const int32_t new_unavailable = current.replicas - current.available;
  const int32_t at_most = TotalReplicas() - min_available - new_unavailable;
  if (old_sets.empty() || at_most <= 0) return false;
  const int32_t unhealthy = RemoveUnhealthy(old_sets, at_most);
  return unhealthy + RemoveOldest(old_sets) > 0;
}

int32_t DeploymentController::RemoveUnhealthy(const std::vector<size_t>& old_sets, int32_t at_most) {
  int32_t removed = 0;
  for (const size_t i : old_sets) {
    const ReplicaSetState& set = pods_.sets()[i];
    if (removed >= at_most) break;
    if (set.replicas == 0 || set.replicas == set.available) continue;
    const int32_t count = std::min(at_most - removed, set.replicas - set.available);
    if (count < 0) return removed;  // more are available than it is to have: it will be smaller in a moment
    Resize(i, set.replicas - count);
    removed += count;
  }
  return removed;
}

int32_t DeploymentController::RemoveOldest(const std::vector<size_t>& old_sets) {
  int32_t available = pods_.sets()[*new_].available;
  for (const size_t i : old_sets) available += pods_.sets()[i].available;
  const int32_t spare = available - (replicas_ - max_unavailable());
  int32_t removed = 0;
  for (const size_t i : old_sets) {
    if (removed >= spare) break;
    const int32_t size = pods_.sets()[i].replicas;
    const int32_t count = std::min(size, spare - removed);
    if (count > 0) Resize(i, size - count);
    removed += count;
  }
  return removed;
}

// Old pods go before new ones come: all of them, until they are gone.
bool DeploymentController::Recreate() {
  bool shrunk = false;
  for (const size_t i : Active(/*with_new=*/false)) shrunk |= Resize(i, 0);
  if (shrunk) return true;
  for (size_t i = 0; i < pods_.sets().size(); ++i) {
    if (i != new_ && pods_.sets()[i].present > 0) return false;
  }
  const bool added = !new_;
  if (added) AddNew();
  return Resize(*new_, replicas_) || added;
}

bool DeploymentController::Resize(size_t set, int32_t replicas, bool force) {
  ReplicaSetState& state = pods_.sets()[set];
  const bool resized = state.replicas != replicas;
  if (!resized && !force) return false;
  state.replicas = replicas;
  state.desired_replicas = replicas_;
  state.max_replicas = replicas_ + max_surge();
  return resized;
}

int32_t DeploymentController::max_unavailable() const {
  return rolling_ && replicas_ > 0 ? std::min(bounds_.max_unavailable, replicas_) : 0;
}

int32_t DeploymentController::TotalReplicas() const {
  int32_t total = 0;
  for (const ReplicaSetState& set : pods_.sets()) total += set.replicas;
  return total;
}

bool DeploymentController::IsOlder(size_t a, size_t b) const {
  const ReplicaSetState &first = pods_.sets()[a], &second = pods_.sets()[b];
  return first.created == second.created ? first.name < second.name : first.created < second.created;
}

std::vector<size_t> DeploymentController::Active(bool with_new) const {
  std::vector<size_t> active;
  for (size_t i = 0; i < pods_.sets().size(); ++i) {
    if (pods_.sets()[i].replicas > 0 && (with_new || i != new_)) active.push_back(i);
  }
  std::sort(active.begin(), active.end(), [this](size_t a, size_t b) { return IsOlder(a, b); });
  return active;
}

Progress DeploymentController::progress() const {
  Progress progress{.desired = replicas_};
  int64_t rejected = 0, leaving = 0, active = 0;
  for (size_t i = 0; i < pods_.sets().size(); ++i) {
    const ReplicaSetState& set = pods_.sets()[i];
    (i == new_ ? progress.updated : progress.old) += set.active;
    progress.ready += set.available;
    active += set.active;
    rejected += set.rejected;
    leaving += set.present - set.active;
  }
  progress.complete =
      progress.updated == replicas_ && active == replicas_ && progress.ready == replicas_ && leaving == 0;
  if (progress.complete) return progress;
  if (paused_ && progress.updated < replicas_) {
    progress.waiting_for = "the Deployment is paused";
  } else {
    progress.waiting_for = WhatIsMissing(replicas_, progress.ready, rejected, leaving);
    if (progress.old > 0) progress.waiting_for += "; " + std::to_string(progress.old) + " of the old template are left";
  }
  return progress;
}

}  // namespace ksched::controllers
