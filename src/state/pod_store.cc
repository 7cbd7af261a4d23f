#include "state/pod_store.h"

#include <cassert>
#include <utility>

namespace ksched {
namespace {

// Room for the node that a pending pod will get, so that placing it does not allocate.
constexpr size_t kUsualNodeName = 64;

bool IsPreempted(const api::PodStatus& status) {
  for (const api::PodCondition& condition : status.conditions) {  // the first of the type counts
    if (condition.type == "DisruptionTarget") {
      return condition.status == "True" && condition.reason == "PreemptionByScheduler";
    }
  }
  return false;
}

bool HasSource(const api::VolumeSource& s) {
  return s.gce_persistent_disk || s.aws_elastic_block_store || s.azure_disk || s.azure_file || s.cinder || s.rbd ||
         s.iscsi || s.vsphere_volume || s.portworx_volume || s.csi;
}

std::shared_ptr<const std::vector<api::Volume>> VolumesOf(const api::PodSpec& spec) {
  std::vector<api::Volume> kept;
  for (const api::Volume& volume : spec.volumes) {
    if (!volume.claim_name.empty() || volume.ephemeral || HasSource(volume.source)) kept.push_back(volume);
  }
  return kept.empty() ? nullptr : std::make_shared<const std::vector<api::Volume>>(std::move(kept));
}

}  // namespace

PodInfo& PodStore::Add(api::Pod&& pod) {
  ReleasePending();
  PodId id;
  if (free_.empty()) {
    id = static_cast<PodId>(pods_.size());
    pods_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  PodInfo& info = pods_[id];
  info = PodInfo();
  info.id = id;
  info.arrival = next_arrival_++;
  Fill(info, std::move(pod));
  [[maybe_unused]] const bool added = by_key_.emplace(info.Key(), id).second;
  assert(added);
  return info;
}

void PodStore::Fill(PodInfo& info, api::Pod&& pod) {
  info.name = std::move(pod.metadata.name);
  info.uid = std::move(pod.metadata.uid);
  info.node_name = std::move(pod.spec.node_name);
  if (info.node_name.empty()) info.node_name.reserve(kUsualNodeName);
  info.nominated_node_name = std::move(pod.status.nominated_node_name);
  info.start_time = pod.status.start_time;
  info.creation_timestamp = pod.metadata.creation_timestamp;
  info.deleting = pod.metadata.deletion_timestamp.has_value();
  info.preempted = IsPreempted(pod.status);
  for (api::PodCondition& condition : pod.status.conditions) {
    if (condition.type != "PodScheduled") continue;
    info.condition_status = std::move(condition.status);
    info.condition_reason = std::move(condition.reason);
    info.condition_message = std::move(condition.message);
    break;
  }
  info.volumes = VolumesOf(pod.spec);
  info.pod_class = classes_.Acquire(std::move(pod));
}

PodInfo PodStore::Update(PodId id, api::Pod&& pod) {
  ReleasePending();
  PodInfo& info = pods_[id];
  PodInfo old = std::move(info);
  info = PodInfo();
  info.id = id;
  info.arrival = old.arrival;
  info.node = old.node;
  info.node_slot = old.node_slot;
  Fill(info, std::move(pod));
  pending_release_ = old.pod_class;
  return old;
}

void PodStore::Remove(PodId id) {
  ReleasePending();
  PodInfo& info = pods_[id];
  by_key_.erase(info.Key());
  classes_.Release(info.pod_class);
  info = PodInfo();
  free_.push_back(id);
}

PodInfo* PodStore::Find(std::string_view ns, std::string_view name) {
  std::string key;
  key.reserve(ns.size() + 1 + name.size());
  key.append(ns).append(1, '/').append(name);
  auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &pods_[found->second];
}

void PodStore::ReleasePending() {
  if (pending_release_ == nullptr) return;
  classes_.Release(pending_release_);
  pending_release_ = nullptr;
}

}  // namespace ksched
