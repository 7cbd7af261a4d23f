#include "plugins/volume_binding/hints.h"

#include <string>

#include "plugins/common/volumes.h"
#include "plugins/volume_binding/provisioning.h"

namespace ksched {
namespace {

QueueingHint AfterStorageClass(const EventObjects& objects) {
  const auto* before = objects.Old<api::StorageClass>();
  return QueueIf(before == nullptr ||
                 before->allowed_topologies != objects.New<api::StorageClass>()->allowed_topologies);
}

QueueingHint AfterCsiNode(const EventObjects& objects) {
  const auto* before = objects.Old<api::CsiNode>();
  return QueueIf(before == nullptr || MigratedPlugins(*before) != MigratedPlugins(*objects.New<api::CsiNode>()));
}

// Only drivers of volumes in the pod itself are looked at, as in the reference.
QueueingHint AfterCsiDriver(const PodInfo& pod, const EventObjects& objects) {
  const auto& before = *objects.Old<api::CsiDriver>();
  const auto& after = *objects.New<api::CsiDriver>();
  if (!before.storage_capacity.value_or(false) || after.storage_capacity.value_or(false)) return QueueingHint::kSkip;
  for (const api::Volume& volume : VolumesOf(pod)) {
    if (volume.source.csi && volume.source.csi->driver == after.metadata.name) return QueueingHint::kQueue;
  }
  return QueueingHint::kSkip;
}

QueueingHint AfterStorageCapacity(const EventObjects& objects) {
  const auto* before = objects.Old<api::CsiStorageCapacity>();
  if (before == nullptr) return QueueingHint::kQueue;
  const auto& old_limit = VolumeLimit(*before);
  const auto& new_limit = VolumeLimit(*objects.New<api::CsiStorageCapacity>());
  return QueueIf(new_limit && (!old_limit || new_limit->Value() > old_limit->Value()));
}

}  // namespace

std::vector<ClusterEventWithHint> VolumeBindingEvents() {
  using Hint = Result<QueueingHint>;
  return {
      {{EventResource::kStorageClass, kAdd | kUpdate},
       [](const PodInfo&, const EventObjects& objects) -> Hint { return AfterStorageClass(objects); }},
      {{EventResource::kPersistentVolumeClaim, kAdd | kUpdate},
       [](const PodInfo& pod, const EventObjects& objects) -> Hint {
         return QueueIf(UsesClaim(pod, *objects.New<api::PersistentVolumeClaim>(), /*ephemeral=*/true));
       }},
      {{EventResource::kPersistentVolume, kAdd | kUpdate}, nullptr},
      {{EventResource::kNode, kAdd | kUpdateNodeLabel}, nullptr},
      {{EventResource::kCsiNode, kAdd | kUpdate},
       [](const PodInfo&, const EventObjects& objects) -> Hint { return AfterCsiNode(objects); }},
      {{EventResource::kCsiDriver, kUpdate},
       [](const PodInfo& pod, const EventObjects& objects) -> Hint { return AfterCsiDriver(pod, objects); }},
      {{EventResource::kCsiStorageCapacity, kAdd | kUpdate},
       [](const PodInfo&, const EventObjects& objects) -> Hint { return AfterStorageCapacity(objects); }},
  };
}

}  // namespace ksched
