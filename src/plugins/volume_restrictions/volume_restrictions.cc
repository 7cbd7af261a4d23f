#include "plugins/volume_restrictions/volume_restrictions.h"

#include <algorithm>
#include <string>

#include "plugins/common/volumes.h"

namespace ksched {

// The pod's claims that only one pod may use, and how often they are used: what is wrong as long as it is above 0.
struct VolumeRestrictions::Data final : StateData {
  std::vector<std::string> claims;
  int64_t uses = 0;

  // By name alone: the claims of another namespace count as well, as in the reference.
  int64_t UsesOf(const PodInfo& pod) const {
    const auto volumes = VolumesOf(pod);
    return std::count_if(volumes.begin(), volumes.end(), [this](const api::Volume& volume) {
      return !volume.claim_name.empty() && std::find(claims.begin(), claims.end(), volume.claim_name) != claims.end();
    });
  }
  size_t SetMark() override { return static_cast<size_t>(uses); }
  void Rollback(size_t mark) override { uses = static_cast<int64_t>(mark); }
};

namespace {

bool IsRestricted(const api::VolumeSource& source) {
  return source.gce_persistent_disk || source.aws_elastic_block_store || source.rbd || source.iscsi;
}

bool ShareMonitor(const api::Rbd& a, const api::Rbd& b) {
  return std::find_first_of(a.monitors.begin(), a.monitors.end(), b.monitors.begin(), b.monitors.end()) !=
         a.monitors.end();
}

// The same disk, unless both only read it. An AWS disk is for one pod alone.
bool Conflict(const api::VolumeSource& a, const api::VolumeSource& b) {
  const auto writes = [](const auto& x, const auto& y) { return !(x->read_only && y->read_only); };
  if (const auto &x = a.gce_persistent_disk, &y = b.gce_persistent_disk; x && y) {
    if (x->pd_name == y->pd_name && writes(x, y)) return true;
  }
  if (const auto &x = a.aws_elastic_block_store, &y = b.aws_elastic_block_store; x && y) {
    if (x->volume_id == y->volume_id) return true;
  }
  if (const auto &x = a.iscsi, &y = b.iscsi; x && y) {
    if (x->iqn == y->iqn && writes(x, y)) return true;
  }
  if (const auto &x = a.rbd, &y = b.rbd; x && y) {
    if (ShareMonitor(*x, *y) && x->pool == y->pool && x->image == y->image && writes(x, y)) return true;
  }
  return false;
}

bool HasRestricted(const PodInfo& pod) {
  const auto volumes = VolumesOf(pod);
  return std::any_of(volumes.begin(), volumes.end(),
                     [](const api::Volume& volume) { return IsRestricted(volume.source); });
}

bool Conflict(const PodInfo& pod, const PodInfo& other) {
  for (const api::Volume& volume : VolumesOf(pod)) {
    if (!IsRestricted(volume.source)) continue;
    for (const api::Volume& existing : VolumesOf(other)) {
      if (Conflict(volume.source, existing.source)) return true;
    }
  }
  return false;
}

bool Conflict(const PodInfo& pod, const NodeView& node) {
  if (!HasRestricted(pod)) return false;
  return std::any_of(node.pods().begin(), node.pods().end(),
                     [&](PodId id) { return Conflict(pod, node.state().pod_store().Get(id)); });
}

bool HasMode(const api::PersistentVolumeClaim& claim, std::string_view mode) {
  const auto& modes = claim.spec.access_modes;
  return std::find(modes.begin(), modes.end(), mode) != modes.end();
}

// A pod that left a disk or a claim that the pod may have waited for. Claims are not looked at for their access mode.
QueueingHint AfterPodDeleted(const PodInfo& pod, const PodInfo& deleted) {
  if (deleted.ns() != pod.ns()) return QueueingHint::kSkip;
  if (Conflict(pod, deleted)) return QueueingHint::kQueue;
  for (const api::Volume& volume : VolumesOf(pod)) {
    if (volume.claim_name.empty()) continue;
    for (const api::Volume& left : VolumesOf(deleted)) {
      if (left.claim_name == volume.claim_name) return QueueingHint::kQueue;
    }
  }
  return QueueingHint::kSkip;
}

}  // namespace

Result<std::unique_ptr<Plugin>> VolumeRestrictions::Create(const config::PluginArgs&, const PluginContext& context) {
  return std::unique_ptr<Plugin>(std::make_unique<VolumeRestrictions>(context));
}

VolumeRestrictions::VolumeRestrictions(const PluginContext& context)
    : id_(context.id),
      state_(context.state),
      reasons_(context.reasons),
      disk_conflict_(reasons_.Intern("node(s) had no available disk")),
      claim_in_use_(
          reasons_.Intern("node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
                          "already in-use by another pod")),
      no_pre_filter_(reasons_.Intern("cannot read \"PreFilterVolumeRestrictions\" from cycleState")) {}

Status VolumeRestrictions::PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult&) const {
  if (pod.volumes() == nullptr) return Status::Skip();
  auto& data = cycle.Write<Data>(id_);
  data.claims.clear();
  for (const api::Volume& volume : *pod.volumes()) {
    if (volume.claim_name.empty()) continue;
    const auto claim = state_.objects().claims.Find(pod.ns(), volume.claim_name);
    if (claim == nullptr) {
      return Status::UnschedulableAndUnresolvable(reasons_.Intern(NotFoundText(kClaimResource, volume.claim_name)));
    }
    if (!HasMode(*claim, "ReadWriteOncePod")) continue;
    const auto known = std::find(data.claims.begin(), data.claims.end(), volume.claim_name);
    if (known == data.claims.end()) data.claims.push_back(volume.claim_name);
  }
  data.uses = std::count_if(data.claims.begin(), data.claims.end(),
                            [&](const std::string& claim) { return state_.IsClaimUsed(pod.ns(), claim); });
  return data.uses == 0 && !HasRestricted(pod) ? Status::Skip() : Status();
}

Status VolumeRestrictions::AddPod(CycleState& cycle, const PodInfo&, const PodInfo& added, const NodeView&) const {
  auto& data = cycle.Write<Data>(id_);
  data.uses += data.UsesOf(added);
  return {};
}

Status VolumeRestrictions::RemovePod(CycleState& cycle, const PodInfo&, const PodInfo& removed, const NodeView&) const {
  auto& data = cycle.Write<Data>(id_);
  data.uses -= data.UsesOf(removed);
  return {};
}

Status VolumeRestrictions::Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const {
  if (Conflict(pod, node)) return Status::Unschedulable(disk_conflict_);
  if (!cycle.pre_filtered.Has(id_)) return {Code::kError, no_pre_filter_};  // the profile does not have it
  return cycle.Read<Data>(id_).uses > 0 ? Status::Unschedulable(claim_in_use_) : Status();
}

std::vector<ClusterEventWithHint> VolumeRestrictions::EventsToRegister() const {
  return {
      {{EventResource::kAssignedPod, kDelete},
       [](const PodInfo& pod, const EventObjects& objects) -> Result<QueueingHint> {
         return AfterPodDeleted(pod, *objects.old_pod);
       }},
      {{EventResource::kNode, kAdd}, nullptr},
      {{EventResource::kPersistentVolumeClaim, kAdd},
       [](const PodInfo& pod, const EventObjects& objects) -> Result<QueueingHint> {
         const auto* claim = objects.New<api::PersistentVolumeClaim>();
         return QueueIf(UsesClaim(pod, *claim, /*ephemeral=*/false));
       }},
  };
}

bool VolumeRestrictions::SignPod(const PodInfo& pod, std::string& signature) const {
  return AppendSignedVolumes(pod, signature);
}

}  // namespace ksched
