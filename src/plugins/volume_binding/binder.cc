#include "plugins/volume_binding/binder.h"

#include <algorithm>
#include <utility>

#include "plugins/common/go_sort.h"
#include "plugins/common/volumes.h"

namespace ksched {
namespace {

constexpr const char* kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr const char* kBoundByController = "pv.kubernetes.io/bound-by-controller";

// The volume as bound to the claim; absent if it is that already.
std::optional<api::PersistentVolume> BoundTo(const api::PersistentVolume& volume,
                                             const api::PersistentVolumeClaim& claim) {
  const auto& ref = volume.spec.claim_ref;
  const bool same =
      ref && ref->name == claim.metadata.name && ref->ns == claim.metadata.ns && ref->uid == claim.metadata.uid;
  const bool marks = !IsReservedFor(volume, claim) && !volume.metadata.annotations.contains(kBoundByController);
  if (same && !marks) return std::nullopt;
  api::PersistentVolume bound = volume;
  if (!same) {
    bound.spec.claim_ref = api::ObjectReference{"v1",
                                                "PersistentVolumeClaim",
                                                claim.metadata.ns,
                                                claim.metadata.name,
                                                claim.metadata.uid,
                                                claim.metadata.resource_version};
  }
  if (marks) bound.metadata.annotations[kBoundByController] = "yes";
  return bound;
}

}  // namespace

bool IsReservedFor(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  const auto& ref = volume.spec.claim_ref;
  return ref && ref->name == claim.metadata.name && ref->ns == claim.metadata.ns &&
         (ref->uid.empty() || ref->uid == claim.metadata.uid);
}

bool IsFullyBound(const api::PersistentVolumeClaim& claim) {
  return !claim.spec.volume_name.empty() && claim.metadata.annotations.contains(kBindCompleted);
}

// ---- the pod's claims ----

bool VolumeBinder::FindClaims(const PodInfo& pod, PodClaims& found) {
  found.Clear();
  bool all_immediate_bound = true;
  for (const api::Volume& volume : VolumesOf(pod)) {
    if (!HasClaim(volume)) continue;
    const ClaimPtr claim = claims_.Get(pod.ns(), ClaimNameOf(pod, volume));
    if (claim == nullptr) continue;
    if (IsFullyBound(*claim)) {
      PrepareBound(volumes_.Get("", claim->spec.volume_name), PodClaims::Next(found.bound_, found.num_bound_));
      continue;
    }
    const std::string_view class_name = ClassOf(*claim);
    StorageClassPtr storage_class = class_name.empty() ? nullptr : state_.objects().storage_classes.Find(class_name);
    const bool waits = storage_class != nullptr && storage_class->volume_binding_mode == kWaitForFirstConsumer;
    if (!waits || !claim->spec.volume_name.empty()) {
      all_immediate_bound = false;
      continue;
    }
    const auto selected = claim->metadata.annotations.find(kSelectedNode);
    const std::string* node = selected == claim->metadata.annotations.end() ? nullptr : &selected->second;
    PodClaims::Next(found.unbound_, found.num_unbound_) = {claim, std::move(storage_class), node};
  }
  if (all_immediate_bound) PrepareUnbound(found);
  return all_immediate_bound;
}

void VolumeBinder::PrepareUnbound(PodClaims& found) {
  std::vector<const PodClaims::Unbound*> by_size;
  for (size_t i = 0; i < found.num_unbound_; ++i) {
    const PodClaims::Unbound& unbound = found.unbound_[i];
    if (unbound.selected_node == nullptr) {
      by_size.push_back(&unbound);
    } else {
      PodClaims::Next(found.provision_, found.num_provision_)
          .Prepare(unbound.claim, unbound.storage_class, state_.objects());
    }
  }
  GoSort(by_size, [](const auto* a, const auto* b) {
    return StorageOf(a->claim->spec.requests) < StorageOf(b->claim->spec.requests);
  });
  for (const PodClaims::Unbound* unbound : by_size) {
    PodClaims::ToMatch& match = PodClaims::Next(found.match_, found.num_match_);
    match.matcher.Prepare(unbound->claim, index_.OfClass(ClassOf(*unbound->claim)), volumes_);
    match.provision.Prepare(unbound->claim, unbound->storage_class, state_.objects());
  }
}

bool VolumeBinder::AllBound(const PodInfo& pod) const {
  const auto volumes = VolumesOf(pod);
  return std::all_of(volumes.begin(), volumes.end(), [&](const api::Volume& volume) {
    if (!HasClaim(volume)) return true;
    const ClaimPtr claim = claims_.Get(pod.ns(), ClaimNameOf(pod, volume));
    if (claim == nullptr || (IsEphemeral(volume) && !IsClaimFor(pod, *claim))) return false;
    return IsFullyBound(*claim);
  });
}

// ---- a node ----

void VolumeBinder::CheckBound(const PodClaims& claims, const api::Node& node, BindingConflicts& conflicts) const {
  for (size_t i = 0; i < claims.num_bound_; ++i) {
    const BoundClaim& bound = claims.bound_[i];
    if (bound.volume == nullptr) {
      conflicts.volume_missing = true;
      return;
    }
    const VolumeAffinity& affinity = AffinityOn(node, bound, conflicts.error);
    if (!conflicts.error.empty()) return;
    if (!affinity.Matches(node)) {
      conflicts.node_conflict = true;
      return;
    }
  }
}

BindingConflicts VolumeBinder::FindVolumes(const PodClaims& claims, const api::Node& node, PodVolumes& volumes) const {
  BindingConflicts conflicts;
  volumes.bindings.clear();
  volumes.provisions.clear();
  CheckBound(claims, node, conflicts);
  if (!conflicts.error.empty()) return conflicts;
  for (size_t i = 0; i < claims.num_unbound_; ++i) {
    const std::string* selected = claims.unbound_[i].selected_node;
    if (selected == nullptr || *selected == node.metadata.name) continue;
    conflicts.bind_conflict = true;
    return conflicts;
  }
  // One check after the other, until one fails: claims that have a node already, then those without a volume.
  const auto can_provision = [&](const ProvisionCheck& check) {
    DynamicProvision provision;
    const Provisioning result = check.Check(node, provision);
    if (result == Provisioning::kPossible) volumes.provisions.push_back(std::move(provision));
    conflicts.bind_conflict |= result == Provisioning::kImpossible;
    conflicts.not_enough_space |= result == Provisioning::kNotEnoughSpace;
    return result == Provisioning::kPossible;
  };
  for (size_t i = 0; i < claims.num_provision_; ++i) {
    if (!can_provision(claims.provision_[i])) return conflicts;
  }
  for (size_t i = 0; i < claims.num_match_; ++i) {
    const PodClaims::ToMatch& match = claims.match_[i];
    VolumePtr volume = match.matcher.Match(node, volumes.bindings);
    if (volume != nullptr) {
      volumes.bindings.push_back({std::move(volume), match.matcher.claim()});
    } else if (!can_provision(match.provision)) {
      return conflicts;
    }
  }
  return conflicts;
}

// ---- assuming ----

std::string VolumeBinder::AssumeVolume(StaticBinding& binding) {
  std::optional<api::PersistentVolume> bound = BoundTo(*binding.volume, *binding.claim);
  if (!bound) return "";
  const std::string name = bound->metadata.name;
  if (!volumes_.Assume(std::move(*bound))) return NotFoundText("persistentvolumes", name);
  binding.volume = volumes_.Get("", name);
  return "";
}

std::string VolumeBinder::Assume(const std::string& node_name, PodVolumes& volumes) {
  std::string problem;
  for (StaticBinding& binding : volumes.bindings) {
    if (problem.empty()) problem = AssumeVolume(binding);
  }
  for (DynamicProvision& provision : volumes.provisions) {
    if (!problem.empty()) break;
    api::PersistentVolumeClaim claim = *provision.claim;
    claim.metadata.annotations[kSelectedNode] = node_name;
    const std::string ns = claim.metadata.ns, name = claim.metadata.name;
    if (claims_.Assume(std::move(claim))) {
      provision.claim = claims_.Get(ns, name);
    } else {
      problem = NotFoundText("persistentvolumeclaims", ns + "/" + name);
    }
  }
  if (!problem.empty()) Revert(volumes);
  return problem;
}

void VolumeBinder::Revert(const PodVolumes& volumes) {
  for (const StaticBinding& binding : volumes.bindings) volumes_.Restore(*binding.volume);
  for (const DynamicProvision& provision : volumes.provisions) claims_.Restore(*provision.claim);
}

}  // namespace ksched
