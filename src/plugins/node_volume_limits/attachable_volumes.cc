#include "plugins/node_volume_limits/attachable_volumes.h"

#include <algorithm>
#include <string>

#include "plugins/common/csi_translation.h"
#include "plugins/common/volumes.h"

namespace ksched {

void SortUnique(std::vector<AttachableVolume>& volumes) {
  std::sort(volumes.begin(), volumes.end());
  volumes.erase(std::unique(volumes.begin(), volumes.end()), volumes.end());
}

AttachableVolume AttachableVolumes::Number(std::string_view driver, std::string_view handle) {
  const std::string name = std::string(driver).append("/").append(handle);
  return {names_.Intern(name), names_.Intern(driver)};
}

void AttachableVolumes::Append(std::string_view driver, std::string_view handle, std::vector<AttachableVolume>& found) {
  if (driver.empty() || handle.empty()) return;
  found.push_back(Number(driver, handle));
}

Status AttachableVolumes::ResolveInline(const api::Volume& volume, bool has_csi_node,
                                        std::vector<AttachableVolume>& found) {
  const InTreePlugin* plugin = InTreePluginOf(volume.source);
  if (plugin == nullptr || !plugin->migrated || !has_csi_node) return {};
  const Result<CsiTranslation> translated = TranslateInline(volume);
  if (!translated) {
    return {Code::kError, reasons_.Intern("converting volume(" + volume.name +
                                          ") from inline to csi: " + translated.error().message)};
  }
  found.push_back(Number(translated->driver, translated->handle));
  return {};
}

// A claim without a volume yet: what its class will make. Its handle is one that no volume has.
void AttachableVolumes::ResolveByClass(const api::PersistentVolumeClaim& claim, bool has_csi_node,
                                       std::vector<AttachableVolume>& found) {
  const std::string_view class_name = ClassOf(claim);
  const auto storage_class = class_name.empty() ? nullptr : state_.objects().storage_classes.Find(class_name);
  if (storage_class == nullptr) return;
  const std::string handle = "\n" + claim.metadata.ns + "/" + claim.metadata.name;
  const InTreePlugin* plugin = FindInTreePlugin(storage_class->provisioner);
  if (plugin == nullptr) {
    Append(storage_class->provisioner, handle, found);
  } else if (plugin->migrated && has_csi_node) {
    Append(plugin->driver, handle, found);
  }
}

void AttachableVolumes::ResolveClaim(const api::PersistentVolumeClaim& claim, bool has_csi_node,
                                     std::vector<AttachableVolume>& found) {
  const std::string& name = claim.spec.volume_name;
  const auto volume = name.empty() ? nullptr : state_.objects().volumes.Find(name);
  if (volume == nullptr) return ResolveByClass(claim, has_csi_node, found);
  const api::VolumeSource& source = volume->spec.source;
  if (source.csi) return Append(source.csi->driver, source.csi->volume_handle, found);
  const InTreePlugin* plugin = InTreePluginOf(source);
  if (plugin == nullptr || !plugin->migrated || !has_csi_node) return;
  const Result<CsiTranslation> translated = Translate(*volume);
  if (translated) Append(translated->driver, translated->handle, found);
}

Status AttachableVolumes::Resolve(const PodInfo& pod, bool has_csi_node, bool is_new,
                                  std::vector<AttachableVolume>& found) {
  for (const api::Volume& volume : VolumesOf(pod)) {
    if (!HasClaim(volume)) {
      Status status = ResolveInline(volume, has_csi_node, found);
      if (!status.ok()) return status;
      continue;
    }
    const std::string name = ClaimNameOf(pod, volume);
    const auto claim = state_.objects().claims.Find(pod.ns(), name);
    if (claim == nullptr) {
      if (!is_new) continue;
      return Status::UnschedulableAndUnresolvable(
          reasons_.Intern("looking up PVC " + pod.ns() + "/" + name + ": " + NotFoundText(kClaimResource, name)));
    }
    if (IsEphemeral(volume) && !IsClaimFor(pod, *claim)) {
      return {Code::kError, reasons_.Intern(NotOwnerText(pod, *claim))};
    }
    ResolveClaim(*claim, has_csi_node, found);
  }
  return {};
}

Status AttachableVolumes::Find(const PodInfo& pod, bool has_csi_node, std::vector<AttachableVolume>& found) {
  found.clear();
  Status status = Resolve(pod, has_csi_node, /*is_new=*/true, found);
  SortUnique(found);
  return status;
}

Status AttachableVolumes::AppendExisting(const PodInfo& pod, std::vector<AttachableVolume>& volumes) {
  const ClusterObjects& objects = state_.objects();
  // Each of them only grows, and so does the sum.
  const uint64_t version = objects.claims.version() + objects.volumes.version() + objects.storage_classes.version();
  if (pod.id >= by_pod_.size()) by_pod_.resize(pod.id + 1);
  Known& known = by_pod_[pod.id];
  if (known.volumes != pod.volumes() || known.version != version) {
    known.volumes = pod.volumes();
    known.version = version;
    known.found.clear();
    known.status = Resolve(pod, /*has_csi_node=*/true, /*is_new=*/false, known.found);
  }
  volumes.insert(volumes.end(), known.found.begin(), known.found.end());
  return known.status;
}

std::span<const AttachableVolume> AttachableVolumes::AttachedTo(std::string_view node) {
  const ClusterObjects& objects = state_.objects();
  const uint64_t version = objects.volume_attachments.version() + objects.volumes.version() + 1;
  if (version != attachments_version_) {
    attachments_version_ = version;
    by_node_.clear();
    for (const auto& [key, attachment] : objects.volume_attachments.all()) {
      if (attachment->attacher.empty() || !attachment->persistent_volume_name) continue;
      const auto volume = objects.volumes.Find(*attachment->persistent_volume_name);
      if (volume == nullptr || !volume->spec.source.csi) continue;
      by_node_[attachment->node_name].push_back(Number(attachment->attacher, volume->spec.source.csi->volume_handle));
    }
    for (auto& [name, attached] : by_node_) SortUnique(attached);
  }
  const auto found = by_node_.find(node);
  if (found == by_node_.end()) return {};
  return found->second;
}

void AttachableVolumes::Trim() {
  constexpr uint32_t kMost = 1U << 20;
  if (names_.size() < kMost) return;
  names_ = Interner();
  by_pod_.clear();
  by_node_.clear();
  attachments_version_ = 0;
}

}  // namespace ksched
