// Simulation: objects that are neither nodes nor pods: those of the input, those that events change, and the claims
// and ReplicaSets that come with pods (docs/report.md, "Events").

#include <utility>

#include "simulate/simulation.h"

namespace ksched {
namespace {

template <typename T>
void KeepStatus(T& now, const T& was) {
  if constexpr (requires { now.status; }) now.status = was.status;
}

}  // namespace

void Simulation::EnterObjects() {
  ClusterObjects& objects = state_.objects();
  objects = std::move(input_.objects);
  for (api::PersistentVolumeClaim& claim : input_.claims) {
    if (objects.claims.Find(claim.metadata.ns, claim.metadata.name) == nullptr) objects.claims.Put(std::move(claim));
  }
  input_.claims.clear();
  state_.NamespacesChanged();
}

// A claim that comes with a pod of a workload.
void Simulation::AddClaim(api::PersistentVolumeClaim claim) {
  ObjectTable<api::PersistentVolumeClaim>& claims = state_.objects().claims;
  const std::string ns = claim.metadata.ns, name = claim.metadata.name;
  if (claims.Find(ns, name) == nullptr) handlers_->PutObject(claims, std::move(claim));
}

// The ReplicaSet of a Deployment of the manifests, when its first pod comes: it says which pods belong together.
void Simulation::AddReplicaSetOf(const InputWorkload& workload, const api::Pod& pod) {
  constexpr const char* kHash = "pod-template-hash";
  if (!workload.selector_of_replica_sets || pod.metadata.owner_references.empty()) return;
  const api::OwnerReference& owner = pod.metadata.owner_references.front();
  ObjectTable<api::Workload>& replica_sets = state_.objects().replica_sets;
  if (owner.kind != "ReplicaSet" || replica_sets.Find(workload.ns, owner.name) != nullptr) return;
  api::Workload made;
  made.api_version = owner.api_version;
  made.kind = owner.kind;
  made.metadata.ns = workload.ns;
  made.metadata.name = owner.name;
  made.metadata.uid = owner.uid;
  made.metadata.labels = pod.metadata.labels;
  made.selector = workload.selector_of_replica_sets;
  if (const auto hash = pod.metadata.labels.find(kHash); hash != pod.metadata.labels.end()) {
    made.selector->match_labels[kHash] = hash->second;
  }
  replica_sets.Put(std::move(made));
}

void Simulation::HappenToObject(TimedEvent& event) {
  VisitTable(state_.objects(), event.kind, [&](auto& table) { HappenTo(table, event); });
}

template <typename T>
void Simulation::HappenTo(ObjectTable<T>& table, TimedEvent& event) {
  if (event.type == TimedEvent::Type::kDelete) return handlers_->RemoveObject(table, event.ns, event.name);
  const auto before = table.Find(event.ns, event.name);
  if (event.type == TimedEvent::Type::kUpdate && before == nullptr) return;  // the run removed it before
  T now = std::move(std::get<T>(event.object));
  if (before != nullptr) {
    KeepMetadata(now.metadata, before->metadata);
    if (event.keeps_status) KeepStatus(now, *before);
  }
  handlers_->PutObject(table, std::move(now));
}

}  // namespace ksched
