// Whether a volume for a claim can be made for a node: the class's allowedTopologies, and the driver's
// CSIStorageCapacity objects. Reference: checkVolumeProvisions and hasEnoughCapacity of
// pkg/scheduler/framework/plugins/volumebinding/binder.go, v1.37.2.
#pragma once

#include <optional>
#include <vector>

#include "plugins/volume_binding/pod_volumes.h"
#include "state/cluster_objects.h"

namespace ksched {

// The largest volume that the capacity object promises; absent: none.
inline const std::optional<api::Quantity>& VolumeLimit(const api::CsiStorageCapacity& capacity) {
  return capacity.maximum_volume_size ? capacity.maximum_volume_size : capacity.capacity;
}

enum class Provisioning { kPossible, kImpossible, kNotEnoughSpace };

class ProvisionCheck {
 public:
  void Prepare(const ClaimPtr& claim, const StorageClassPtr& storage_class, const ClusterObjects& objects);
  const ClaimPtr& claim() const { return claim_; }
  // If it is possible, `provision` becomes how.
  Provisioning Check(const api::Node& node, DynamicProvision& provision) const;

 private:
  void CompileTopologies();

  ClaimPtr claim_;
  StorageClassPtr class_;
  api::NodeSelector topologies_;  // allowedTopologies as a node selector
  NodeSelectorTerms allowed_;     // borrows from it
  bool checks_capacity_ = false;
  std::vector<CapacityPtr> capacities_;  // that are large enough
};

}  // namespace ksched
