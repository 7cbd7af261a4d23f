// Feature gates of Kubernetes v1.37.2: their defaults, locks and dependencies.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ksched::config {

// The gates that scheduling reads. Others are known by name, accepted and without effect.
enum class Gate : uint8_t {
  kCompositePodGroup,
  kDRAAdminAccess,
  kDRAConsumableCapacity,
  kDRADerivedAttributes,
  kDRADeviceBindingConditions,
  kDRADeviceCompatibilityGroups,
  kDRADeviceTaintRules,
  kDRADeviceTaints,
  kDRAExtendedResource,
  kDRAFractionalCapacityRange,
  kDRAListTypeAttributes,
  kDRANodeAllocatableResources,
  kDRAOptionalNodeOperations,
  kDRAPartitionableDevices,
  kDRAPrioritizedList,
  kDRAResourceClaimDeviceStatus,
  kDRASchedulerFilterTimeout,
  kDRAWorkloadResourceClaims,
  kDynamicResourceAllocation,
  kGenericWorkload,
  kInPlacePodLevelResourcesVerticalScaling,
  kInPlacePodVerticalScaling,
  kInPlacePodVerticalScalingSchedulerPreemption,
  kInterPodAffinityHostnameFastPath,
  kMatchLabelKeysInPodTopologySpread,
  kNodeDeclaredFeatures,
  kNodeInclusionPolicyInPodTopologySpread,
  kNominatedNodeNameForExpectation,
  kOpportunisticBatching,
  kPodGroupPreemptionPolicy,
  kPodLevelResources,
  kPodObservedGenerationTracking,
  kRestartAllContainersOnContainerExits,
  kSchedulerAsyncAPICalls,
  kSchedulerAsyncPreemption,
  kSchedulerPopFromBackoffQ,
  kSchedulerPreQueueingHints,
  kStorageCapacityScoring,
  kTaintTolerationComparisonOperators,
  kTopologyAwareWorkloadScheduling,
  kVolumeAttributesClass,
  kVolumeLimitScaling,
};
inline constexpr size_t kGateCount = 42;

// A value: the state of every gate.
class FeatureGates {
 public:
  FeatureGates();  // the defaults

  // "A=true,B=false", as --feature-gates takes it, on top of the defaults. AllAlpha and AllBeta set what is not set by
  // name. Errors are kube-scheduler's: an unknown gate, no bool, a locked gate, a gate without one that it depends on.
  static Result<FeatureGates> Parse(std::string_view text);

  bool Enabled(Gate gate) const;
  // By name, any gate of Kubernetes; nothing when there is no such gate.
  std::optional<bool> Enabled(std::string_view name) const;

 private:
  static constexpr size_t kMaxKnown = 512;  // more than the table has
  std::bitset<kMaxKnown> known_;            // by position in the table
  std::bitset<kGateCount> gates_;           // the same values, by Gate
  void FillGates();
};

}  // namespace ksched::config
