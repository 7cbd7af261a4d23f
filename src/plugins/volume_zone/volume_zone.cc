#include "plugins/volume_zone/volume_zone.h"

#include <algorithm>
#include <array>

#include "plugins/common/volumes.h"
#include "plugins/common/zone_labels.h"

namespace ksched {

struct VolumeZone::Data final : StateData {
  std::vector<Topology> topologies;
};

namespace {

constexpr std::array kLabels = {kBetaZoneLabel, kBetaRegionLabel, kZoneLabel, kRegionLabel};

// The label that took the place of an old one.
const char* Successor(const char* key) {
  if (key == kBetaZoneLabel) return kZoneLabel;
  return key == kBetaRegionLabel ? kRegionLabel : key;
}

}  // namespace

Result<std::unique_ptr<Plugin>> VolumeZone::Create(const config::PluginArgs&, const PluginContext& context) {
  return std::unique_ptr<Plugin>(std::make_unique<VolumeZone>(context));
}

VolumeZone::VolumeZone(const PluginContext& context)
    : id_(context.id),
      state_(context.state),
      reasons_(context.reasons),
      other_zone_(reasons_.Intern("node(s) had no available volume zone")) {}

// A label with an empty name among its zones says nothing.
void VolumeZone::AppendTopologies(const api::PersistentVolume& volume, std::vector<Topology>& topologies) {
  for (const char* const key : kLabels) {
    const auto label = volume.metadata.labels.find(key);
    if (label == volume.metadata.labels.end()) continue;
    std::vector<std::string> values = SplitZones(label->second);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (!values.front().empty()) topologies.push_back({key, std::move(values)});
  }
}

Status VolumeZone::Reject(const std::string& reason) const {
  return Status::UnschedulableAndUnresolvable(reasons_.Intern(reason));
}

Status VolumeZone::Find(const PodInfo& pod, std::vector<Topology>& topologies) const {
  const ClusterObjects& objects = state_.objects();
  topologies.clear();
  for (const api::Volume& volume : VolumesOf(pod)) {
    if (volume.claim_name.empty()) continue;
    const auto claim = objects.claims.Find(pod.ns(), volume.claim_name);
    if (claim == nullptr) return Reject(NotFoundText(kClaimResource, volume.claim_name));
    const std::string& name = claim->spec.volume_name;
    if (!name.empty()) {
      const auto found = objects.volumes.Find(name);
      if (found == nullptr) return Reject(NotFoundText(kVolumeResource, name));
      AppendTopologies(*found, topologies);
      continue;
    }
    const std::string_view class_name = ClassOf(*claim);
    if (class_name.empty()) return Reject("PersistentVolumeClaim had no pv name and storageClass name");
    const auto storage_class = objects.storage_classes.Find(class_name);
    if (storage_class == nullptr) return Reject(NotFoundText(kStorageClassResource, class_name));
    if (storage_class->volume_binding_mode == kWaitForFirstConsumer) continue;
    return Reject("PersistentVolume had no name");
  }
  return {};
}

Status VolumeZone::PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult&) const {
  if (pod.volumes() == nullptr) return Status::Skip();
  auto& data = cycle.Write<Data>(id_);
  const Status status = Find(pod, data.topologies);
  return status.ok() && data.topologies.empty() ? Status::Skip() : status;
}

Status VolumeZone::Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const {
  if (pod.volumes() == nullptr) return {};
  Data own;  // the profile may lack PreFilter
  if (!cycle.pre_filtered.Has(id_)) {
    Status status = Find(pod, own.topologies);
    if (!status.ok()) return status;
  }
  const Data& data = cycle.pre_filtered.Has(id_) ? cycle.Read<Data>(id_) : own;
  const api::StringMap& labels = node.labels();
  // A node without any such label is in a cluster of one zone.
  const bool labelled =
      std::any_of(kLabels.begin(), kLabels.end(), [&](const char* key) { return labels.contains(key); });
  if (!labelled) return {};
  for (const Topology& topology : data.topologies) {
    auto found = labels.find(topology.key);
    if (found == labels.end()) found = labels.find(Successor(topology.key));
    const bool fits =
        found != labels.end() && std::binary_search(topology.values.begin(), topology.values.end(), found->second);
    if (!fits) return Status::UnschedulableAndUnresolvable(other_zone_);
  }
  return {};
}

// A volume that came, or whose zones have changed.
QueueingHint VolumeZone::AfterVolumeChange(const EventObjects& objects) {
  const auto* before = objects.Old<api::PersistentVolume>();
  if (before == nullptr) return QueueingHint::kQueue;
  std::vector<Topology> old_topologies, new_topologies;
  AppendTopologies(*before, old_topologies);
  AppendTopologies(*objects.New<api::PersistentVolume>(), new_topologies);
  return old_topologies == new_topologies ? QueueingHint::kSkip : QueueingHint::kQueue;
}

std::vector<ClusterEventWithHint> VolumeZone::EventsToRegister() const {
  return {
      {{EventResource::kStorageClass, kAdd},
       [=](const PodInfo&, const EventObjects& objects) -> Result<QueueingHint> {
         return QueueIf(objects.New<api::StorageClass>()->volume_binding_mode == kWaitForFirstConsumer);
       }},
      {{EventResource::kNode, kAdd | kUpdateNodeLabel}, nullptr},
      {{EventResource::kPersistentVolumeClaim, kAdd | kUpdate},
       [=](const PodInfo& pod, const EventObjects& objects) -> Result<QueueingHint> {
         return QueueIf(UsesClaim(pod, *objects.New<api::PersistentVolumeClaim>(), /*ephemeral=*/false));
       }},
      {{EventResource::kPersistentVolume, kAdd | kUpdate},
       [](const PodInfo&, const EventObjects& objects) -> Result<QueueingHint> { return AfterVolumeChange(objects); }},
  };
}

bool VolumeZone::SignPod(const PodInfo& pod, std::string& signature) const {
  return AppendSignedVolumes(pod, signature);
}

}  // namespace ksched
