#include "plugins/node_volume_limits/node_volume_limits.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "plugins/common/csi_translation.h"
#include "plugins/common/volumes.h"

namespace ksched {

// The volumes of the pod, on nodes without and with a CSINode: volumes of migrated drivers count only with one.
struct NodeVolumeLimits::Data final : StateData {
  struct OnNode {
    std::vector<AttachableVolume> volumes;
    Status status;
  };
  std::array<OnNode, 2> with_csi_node;
};

namespace {

bool MayCount(const api::Volume& volume) { return HasClaim(volume) || InTreePluginOf(volume.source) != nullptr; }

bool AnyMayCount(const PodInfo& pod) {
  const auto volumes = VolumesOf(pod);
  return std::any_of(volumes.begin(), volumes.end(), MayCount);
}

// Absent: the driver has no limit.
std::optional<int64_t> LimitOf(const api::CsiNode& csi_node, std::string_view driver) {
  std::optional<int64_t> limit;
  for (const api::CsiNodeDriver& listed : csi_node.drivers) {
    if (listed.allocatable_count && listed.name == driver) limit = *listed.allocatable_count;
  }
  return limit;
}

bool HasLimits(const api::CsiNode& csi_node) {
  return std::any_of(csi_node.drivers.begin(), csi_node.drivers.end(),
                     [](const api::CsiNodeDriver& driver) { return driver.allocatable_count.has_value(); });
}

bool HasDriver(const api::CsiNode* csi_node, std::string_view driver) {
  return csi_node != nullptr &&
         std::any_of(csi_node->drivers.begin(), csi_node->drivers.end(),
                     [driver](const api::CsiNodeDriver& listed) { return listed.name == driver; });
}

int64_t CountOf(uint32_t driver, std::span<const AttachableVolume> volumes, std::span<const AttachableVolume> except) {
  return std::count_if(volumes.begin(), volumes.end(), [&](const AttachableVolume& volume) {
    return volume.driver == driver && !std::binary_search(except.begin(), except.end(), volume);
  });
}

// A driver that takes more than before; one without a limit counts as 0.
bool LimitRose(const api::CsiNode& before, const api::CsiNode& after) {
  return std::any_of(after.drivers.begin(), after.drivers.end(), [&](const api::CsiNodeDriver& driver) {
    int32_t old_limit = 0;
    for (const api::CsiNodeDriver& old : before.drivers) {
      if (old.name == driver.name) old_limit = old.allocatable_count.value_or(0);
    }
    return driver.allocatable_count.value_or(0) > old_limit;
  });
}

Result<QueueingHint> AfterDetached(const PodInfo& pod, const api::VolumeAttachment& deleted) {
  for (const api::Volume& volume : VolumesOf(pod)) {
    if (!volume.claim_name.empty()) return QueueingHint::kQueue;
    if (InTreePluginOf(volume.source) == nullptr) continue;
    const Result<CsiTranslation> translated = TranslateInline(volume);
    if (!translated) {
      return Error{"converting volume(" + volume.name + ") from inline to csi: " + translated.error().message};
    }
    if (translated->driver == deleted.attacher) return QueueingHint::kQueue;
  }
  return QueueingHint::kSkip;
}

}  // namespace

Result<std::unique_ptr<Plugin>> NodeVolumeLimits::Create(const config::PluginArgs&, const PluginContext& context) {
  return std::unique_ptr<Plugin>(std::make_unique<NodeVolumeLimits>(context));
}

NodeVolumeLimits::NodeVolumeLimits(const PluginContext& context)
    : id_(context.id),
      state_(context.state),
      reasons_(context.reasons),
      limit_scaling_(context.features.Enabled(config::Gate::kVolumeLimitScaling)),
      volumes_(std::make_unique<AttachableVolumes>(context.state, context.reasons)),
      used_(std::make_unique<std::vector<AttachableVolume>>()),
      too_many_(reasons_.Intern("node(s) exceed max volume count")) {}

void NodeVolumeLimits::Find(const PodInfo& pod, Data& data) const {
  for (const bool has_csi_node : {false, true}) {
    Data::OnNode& on_node = data.with_csi_node[has_csi_node ? 1 : 0];
    on_node.status = volumes_->Find(pod, has_csi_node, on_node.volumes);
  }
}

Status NodeVolumeLimits::PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult&) const {
  if (!AnyMayCount(pod)) return Status::Skip();
  volumes_->Trim();
  Find(pod, cycle.Write<Data>(id_));
  return {};
}

Status NodeVolumeLimits::Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const {
  if (pod.volumes() == nullptr) return {};
  Data own;  // the profile may lack PreFilter
  if (!cycle.pre_filtered.Has(id_)) Find(pod, own);
  const Data& data = cycle.pre_filtered.Has(id_) ? cycle.Read<Data>(id_) : own;
  const auto csi_node = state_.objects().csi_nodes.Find(node.name());
  const Data::OnNode& added = data.with_csi_node[csi_node != nullptr ? 1 : 0];
  if (!added.status.ok()) return added.status;
  if (added.volumes.empty()) return {};
  if (limit_scaling_) {
    Status missing = MissingDriver(added.volumes, csi_node.get());
    if (!missing.ok()) return missing;
  }
  if (csi_node == nullptr || !HasLimits(*csi_node)) return {};
  return CheckLimits(added.volumes, *csi_node, node);
}

Status NodeVolumeLimits::MissingDriver(std::span<const AttachableVolume> added, const api::CsiNode* csi_node) const {
  for (const AttachableVolume& volume : added) {
    const std::string_view name = volumes_->DriverName(volume.driver);
    const auto driver = state_.objects().csi_drivers.Find(name);
    if (driver == nullptr || !driver->prevent_pod_scheduling_if_missing.value_or(false)) continue;
    if (HasDriver(csi_node, name)) continue;
    return Status::Unschedulable(reasons_.Intern(std::string(name) + " CSI driver is not installed on the node"));
  }
  return {};
}

Status NodeVolumeLimits::CheckLimits(std::span<const AttachableVolume> added, const api::CsiNode& csi_node,
                                     const NodeView& node) const {
  std::vector<AttachableVolume>& used = *used_;
  used.clear();
  for (const PodId id : node.pods()) {
    const PodInfo& existing = state_.pod_store().Get(id);
    if (existing.volumes() == nullptr) continue;
    Status status = volumes_->AppendExisting(existing, used);
    if (!status.ok()) return status;
  }
  SortUnique(used);
  const auto attached = volumes_->AttachedTo(node.name());
  for (const AttachableVolume& volume : added) {  // a driver more than once: the same answer
    if (std::binary_search(used.begin(), used.end(), volume)) continue;
    const uint32_t driver = volume.driver;
    const std::optional<int64_t> limit = LimitOf(csi_node, volumes_->DriverName(driver));
    if (!limit) continue;
    const int64_t total = CountOf(driver, used, {}) + CountOf(driver, attached, used) + CountOf(driver, added, used);
    if (total > *limit) return Status::Unschedulable(too_many_);
  }
  return {};
}

std::vector<ClusterEventWithHint> NodeVolumeLimits::EventsToRegister() const {
  return {
      {{EventResource::kCsiNode, kAdd}, nullptr},
      {{EventResource::kCsiNode, kUpdate},
       [](const PodInfo&, const EventObjects& objects) -> Result<QueueingHint> {
         return QueueIf(LimitRose(*objects.Old<api::CsiNode>(), *objects.New<api::CsiNode>()));
       }},
      {{EventResource::kAssignedPod, kDelete},
       [](const PodInfo&, const EventObjects& objects) -> Result<QueueingHint> {
         const PodInfo& deleted = *objects.old_pod;
         const bool counted = !deleted.node_name().empty() || !deleted.nominated_node_name().empty();
         return QueueIf(counted && AnyMayCount(deleted));
       }},
      {{EventResource::kPersistentVolumeClaim, kAdd},
       [](const PodInfo& pod, const EventObjects& objects) -> Result<QueueingHint> {
         return QueueIf(UsesClaim(pod, *objects.New<api::PersistentVolumeClaim>(), /*ephemeral=*/true));
       }},
      {{EventResource::kVolumeAttachment, kDelete},
       [](const PodInfo& pod, const EventObjects& objects) {
         return AfterDetached(pod, *objects.Old<api::VolumeAttachment>());
       }},
  };
}

bool NodeVolumeLimits::SignPod(const PodInfo& pod, std::string& signature) const {
  return AppendSignedVolumes(pod, signature);
}

}  // namespace ksched
