// Simulation: objects that are neither nodes nor pods: those of the input, those that events change, and the claims
// and ReplicaSets that come with pods (docs/report.md, "Events").

#include <type_traits>
#include <utility>

#include "simulate/simulation.h"

namespace ksched {
namespace {

// The resource of the events of a kind; kWildCard: such changes wake nobody, the next cycle sees them.
template <typename T>
constexpr EventResource ResourceOf() {
  if constexpr (std::is_same_v<T, api::PersistentVolume>) return EventResource::kPersistentVolume;
  if constexpr (std::is_same_v<T, api::PersistentVolumeClaim>) return EventResource::kPersistentVolumeClaim;
  if constexpr (std::is_same_v<T, api::StorageClass>) return EventResource::kStorageClass;
  if constexpr (std::is_same_v<T, api::CsiNode>) return EventResource::kCsiNode;
  if constexpr (std::is_same_v<T, api::CsiDriver>) return EventResource::kCsiDriver;
  if constexpr (std::is_same_v<T, api::CsiStorageCapacity>) return EventResource::kCsiStorageCapacity;
  if constexpr (std::is_same_v<T, api::VolumeAttachment>) return EventResource::kVolumeAttachment;
  return EventResource::kWildCard;
}

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
  if (claims.Find(ns, name) != nullptr) return;
  claims.Put(std::move(claim));
  handlers_->ObjectChanged<api::PersistentVolumeClaim>(EventResource::kPersistentVolumeClaim, nullptr,
                                                       claims.Find(ns, name).get());
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
  if (event.kind == "Namespace") state_.NamespacesChanged();
}

template <typename T>
void Simulation::HappenTo(ObjectTable<T>& table, TimedEvent& event) {
  const auto before = table.Find(event.ns, event.name);
  if (event.type == TimedEvent::Type::kDelete) {
    table.Remove(event.ns, event.name);
  } else {
    if (event.type == TimedEvent::Type::kUpdate && before == nullptr) return;  // the run removed it before
    T now = std::move(std::get<T>(event.object));
    if (before != nullptr) {
      KeepMetadata(now.metadata, before->metadata);
      if (event.keeps_status) KeepStatus(now, *before);
    }
    table.Put(std::move(now));
  }
  if constexpr (ResourceOf<T>() != EventResource::kWildCard) {
    const auto after = table.Find(event.ns, event.name);
    if (before != nullptr || after != nullptr) handlers_->ObjectChanged(ResourceOf<T>(), before.get(), after.get());
  }
}

}  // namespace ksched
