#include "plugins/common/volumes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/field_errors.h"
#include "api/owners.h"
#include "plugins/common/signature.h"

namespace ksched {
namespace {

constexpr const char* kBetaClassAnnotation = "volume.beta.kubernetes.io/storage-class";

const std::string* BetaClass(const api::ObjectMeta& metadata) {
  const auto found = metadata.annotations.find(kBetaClassAnnotation);
  return found == metadata.annotations.end() ? nullptr : &found->second;
}

// Each source under a name of its own.
std::string Signed(const api::Volume& volume) {
  std::string text;
  const api::VolumeSource& source = volume.source;
  const auto add = [&text](std::string_view kind, std::initializer_list<std::string_view> values, bool read_only) {
    AppendSigned(kind, text);
    for (const std::string_view value : values) AppendSigned(value, text);
    AppendSigned(int64_t{read_only}, text);
  };
  if (!volume.claim_name.empty()) add("persistentVolumeClaim", {volume.claim_name}, volume.claim_read_only);
  if (const auto& s = source.gce_persistent_disk) add("gcePersistentDisk", {s->pd_name}, s->read_only);
  if (const auto& s = source.aws_elastic_block_store) add("awsElasticBlockStore", {s->volume_id}, s->read_only);
  if (const auto& s = source.azure_disk) add("azureDisk", {s->disk_name, s->disk_uri, s->kind}, false);
  if (const auto& s = source.azure_file) add("azureFile", {s->secret_name, s->share_name, s->secret_namespace}, false);
  if (const auto& s = source.cinder) add("cinder", {s->volume_id}, false);
  if (const auto& s = source.rbd) {
    add("rbd", {s->image, s->pool}, s->read_only);
    for (const std::string& monitor : s->monitors) AppendSigned(monitor, text);
  }
  if (const auto& s = source.iscsi) {
    add("iscsi", {s->target_portal, s->iqn}, s->read_only);
    AppendSigned(int64_t{s->lun}, text);
  }
  if (const auto& s = source.vsphere_volume) add("vsphereVolume", {s->volume_path}, false);
  if (const auto& s = source.portworx_volume) add("portworxVolume", {s->volume_id}, false);
  if (const auto& s = source.csi) add("csi", {s->driver}, false);
  return text;
}

}  // namespace

std::string ClaimNameOf(const PodInfo& pod, const api::Volume& volume) {
  if (!volume.claim_name.empty()) return volume.claim_name;
  return volume.ephemeral ? pod.name() + "-" + volume.name : std::string();
}

bool UsesClaim(const PodInfo& pod, const api::PersistentVolumeClaim& claim, bool ephemeral) {
  if (claim.metadata.ns != pod.ns()) return false;
  const auto volumes = VolumesOf(pod);
  return std::any_of(volumes.begin(), volumes.end(), [&](const api::Volume& volume) {
    if (!volume.claim_name.empty()) return volume.claim_name == claim.metadata.name;
    return ephemeral && volume.ephemeral && ClaimNameOf(pod, volume) == claim.metadata.name;
  });
}

bool IsClaimFor(const PodInfo& pod, const api::PersistentVolumeClaim& claim) {
  if (claim.metadata.ns != pod.ns()) return false;
  const api::OwnerReference* controller = api::ControllerOf(claim.metadata);
  return controller != nullptr && controller->uid == pod.uid();
}

std::string NotOwnerText(const PodInfo& pod, const api::PersistentVolumeClaim& claim) {
  return "PVC " + claim.metadata.ns + "/" + claim.metadata.name + " was not created for pod " + pod.Key() +
         " (pod is not owner)";
}

std::string_view ClassOf(const api::PersistentVolumeClaim& claim) {
  if (const std::string* beta = BetaClass(claim.metadata)) return *beta;
  if (claim.spec.storage_class_name) return *claim.spec.storage_class_name;
  return {};
}

std::string_view ClassOf(const api::PersistentVolume& volume) {
  const std::string* beta = BetaClass(volume.metadata);
  return beta != nullptr ? *beta : volume.spec.storage_class_name;
}

api::Quantity StorageOf(const api::ResourceList& amounts) {
  const auto found = amounts.find("storage");
  return found == amounts.end() ? api::Quantity() : found->second;
}

std::string NotFoundText(std::string_view resource, std::string_view name) {
  return std::string(resource) + " " + api::Quote(name) + " not found";
}

bool AppendSignedVolumes(const PodInfo& pod, std::string& signature) {
  AppendSigned("v1.Pod.Spec.Volumes.NonSyntheticSources()", signature);
  std::vector<std::string> texts;
  for (const api::Volume& volume : VolumesOf(pod)) {
    if (IsEphemeral(volume)) return false;
    texts.push_back(Signed(volume));
  }
  AppendSignedSorted(std::move(texts), signature);
  return true;
}

}  // namespace ksched
