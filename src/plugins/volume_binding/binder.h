// The volume binder: what a pod's claims are, which volumes they can have on a node, and what is assumed once the pod
// has its node. Reference: pkg/scheduler/framework/plugins/volumebinding/binder.go, v1.37.2.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "framework/ports.h"
#include "plugins/volume_binding/assume_cache.h"
#include "plugins/volume_binding/pod_volumes.h"
#include "plugins/volume_binding/provisioning.h"
#include "plugins/volume_binding/static_matching.h"
#include "state/cluster_state.h"

namespace ksched {

// Whether the volume is bound to the claim, or reserved for it.
bool IsReservedFor(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim);
// Bound from both sides.
bool IsFullyBound(const api::PersistentVolumeClaim& claim);

// The claims of a pod in one cycle. Used again for other pods: what it held is overwritten.
class PodClaims {
 public:
  void Clear() { num_bound_ = num_unbound_ = num_provision_ = num_match_ = 0; }

 private:
  friend class VolumeBinder;
  template <typename Items>
  static auto& Next(Items& items, size_t& count) {
    if (count == items.size()) items.emplace_back();
    return items[count++];
  }
  // A claim that waits for a node, in the order of the volumes.
  struct Unbound {
    ClaimPtr claim;
    StorageClassPtr storage_class;
    const std::string* selected_node = nullptr;  // it is to be provisioned there; null: a volume may be found for it
  };
  // Claims for which a volume may be found, by size; where there is none, one is to be made.
  struct ToMatch {
    ClaimMatcher matcher;
    ProvisionCheck provision;
  };
  // Their items borrow from themselves, and so must not move.
  std::deque<BoundClaim> bound_;
  std::deque<ProvisionCheck> provision_;  // of claims with a selected node
  std::deque<ToMatch> match_;
  std::vector<Unbound> unbound_;
  size_t num_bound_ = 0, num_unbound_ = 0, num_provision_ = 0, num_match_ = 0;
};

// Why a node cannot take the pod; none of them: it can.
struct BindingConflicts {
  bool node_conflict = false;     // a bound volume cannot be used there
  bool bind_conflict = false;     // no volume for an unbound claim, and none can be made
  bool not_enough_space = false;  // one could be made if there was room
  bool volume_missing = false;    // a bound volume does not exist
  std::string error;              // something went wrong; the others say nothing then
  bool any() const { return node_conflict || bind_conflict || not_enough_space || volume_missing; }
};

class VolumeBinder {
 public:
  explicit VolumeBinder(const ClusterState& state)
      : state_(state),
        index_(state.objects().volumes),
        volumes_(state.objects().volumes),
        claims_(state.objects().claims) {}

  // Sorts out the claims of the pod, which all exist. False: one with immediate binding is not bound.
  bool FindClaims(const PodInfo& pod, PodClaims& found);
  // `volumes`: what is to be done if the pod goes to the node; only if there is no conflict.
  BindingConflicts FindVolumes(const PodClaims& claims, const api::Node& node, PodVolumes& volumes) const;
  // Whether nothing is left to be bound for the pod.
  bool AllBound(const PodInfo& pod) const;
  // Assumes what `volumes` says, which then holds the objects as assumed. "": done; else what went wrong, and nothing
  // is assumed.
  std::string Assume(const std::string& node_name, PodVolumes& volumes);
  void Revert(const PodVolumes& volumes);
  // Whether the claims of `volumes` are bound, now that it is written and the objects have these versions. An error:
  // they will not be, and the pod has to be scheduled anew.
  Result<bool> AreBound(const PodInfo& pod, NodeId node, const PodVolumes& volumes,
                        const VolumeVersions& versions) const;

 private:
  void PrepareBound(VolumePtr volume, BoundClaim& bound) const;
  const VolumeAffinity& AffinityOn(const api::Node& node, const BoundClaim& bound, std::string& problem) const;
  Result<void> CheckAffinity(VolumePtr volume, const api::Node& node) const;
  Result<bool> IsBound(const StaticBinding& binding, uint64_t version, const api::Node& node) const;
  Result<bool> IsBound(const DynamicProvision& provision, uint64_t version, const api::Node& node) const;
  void PrepareUnbound(PodClaims& found);
  void CheckBound(const PodClaims& claims, const api::Node& node, BindingConflicts& conflicts) const;
  std::string AssumeVolume(StaticBinding& binding);

  const ClusterState& state_;
  VolumeIndex index_;
  AssumeCache<api::PersistentVolume> volumes_;
  AssumeCache<api::PersistentVolumeClaim> claims_;
};

}  // namespace ksched
