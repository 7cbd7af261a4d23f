// Volumes of pods and the claims behind them, as the volume plugins see them.
// Reference: k8s.io/component-helpers/storage/{volume,ephemeral}, v0.37.2.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/types.h"
#include "state/pod_store.h"

namespace ksched {

// The volumes of the pod that scheduling reads.
inline std::span<const api::Volume> VolumesOf(const PodInfo& pod) {
  if (pod.volumes() == nullptr) return {};
  return *pod.volumes();
}

// A claim by name, or one that is made for the pod.
inline bool HasClaim(const api::Volume& volume) { return !volume.claim_name.empty() || volume.ephemeral.has_value(); }
inline bool IsEphemeral(const api::Volume& volume) { return volume.claim_name.empty() && volume.ephemeral.has_value(); }
// The claim's name; "" if the volume has none.
std::string ClaimNameOf(const PodInfo& pod, const api::Volume& volume);
// Whether a volume of the pod has this claim; `ephemeral`: claims that are made for the pod count, too.
bool UsesClaim(const PodInfo& pod, const api::PersistentVolumeClaim& claim, bool ephemeral);

// Whether the claim was made for an ephemeral volume of this pod, and what is said if not.
bool IsClaimFor(const PodInfo& pod, const api::PersistentVolumeClaim& claim);
std::string NotOwnerText(const PodInfo& pod, const api::PersistentVolumeClaim& claim);

// The name of the StorageClass, "" for none: the beta annotation counts first.
std::string_view ClassOf(const api::PersistentVolumeClaim& claim);
std::string_view ClassOf(const api::PersistentVolume& volume);

// The amount of storage among requests or a capacity; 0 if there is none.
api::Quantity StorageOf(const api::ResourceList& amounts);

// `resource "name" not found`, as the API's errors say it.
std::string NotFoundText(std::string_view resource, std::string_view name);
inline constexpr std::string_view kClaimResource = "persistentvolumeclaim";
inline constexpr std::string_view kVolumeResource = "persistentvolume";
inline constexpr std::string_view kStorageClassResource = "storageclass.storage.k8s.io";

inline constexpr std::string_view kWaitForFirstConsumer = "WaitForFirstConsumer";

// What tells pods apart by their volumes. False: the pod has a claim of its own, so that no other pod is like it.
bool AppendSignedVolumes(const PodInfo& pod, std::string& signature);

}  // namespace ksched
