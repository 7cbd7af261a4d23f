#include "controllers/replica_set.h"

#include <algorithm>

#include "controllers/progress_text.h"
#include "controllers/workload_util.h"

namespace ksched::controllers {

ReplicaSetController::ReplicaSetController(const Request& request)
    : pods_(request, request.desired->metadata.name, /*related=*/false) {
  const api::Workload& desired = *request.desired;
  const api::OwnerReference owner = OwnerOf(request);
  ReplicaSetState set{.name = desired.metadata.name, .uid = owner.uid};
  set.replicas = EffectiveReplicas(desired, request.existing);
  set.pattern = PatternOf(desired.pod_template, desired.metadata.ns, desired.metadata.name, owner);
  pods_.AddSet(std::move(set));
  if (request.existing.workload == nullptr) return;
  deleting_ = request.existing.workload->metadata.deletion_timestamp.has_value();
  for (const ManagedPod& pod : request.existing.pods) {
    if (IsOwnedBy(pod, owner)) pods_.AddPod(0, pod);
  }
}

Step ReplicaSetController::Sync() {
  Step step;
  if (!deleting_) pods_.Manage(step);
  return step;
}

Progress ReplicaSetController::progress() const {
  const ReplicaSetState& set = pods_.sets().front();
  Progress progress{.desired = set.replicas, .updated = set.active, .ready = set.available};
  progress.complete = set.active == set.replicas && set.available == set.replicas && set.present == set.active;
  if (!progress.complete)
    progress.waiting_for = WhatIsMissing(set.replicas, set.available, set.rejected, set.present - set.active);
  return progress;
}

}  // namespace ksched::controllers
