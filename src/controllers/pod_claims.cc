#include "controllers/pod_claims.h"

#include <utility>

namespace ksched::controllers {
namespace {

api::ObjectMeta OwnedBy(const api::ObjectMeta& pod, const std::string& part) {
  api::ObjectMeta metadata;
  metadata.name = pod.name + "-" + part;
  metadata.ns = pod.ns;
  metadata.uid = pod.ns + "/" + metadata.name;
  metadata.resource_version = "1";
  metadata.owner_references = {{"v1", "Pod", pod.name, pod.uid, true}};
  return metadata;
}

}  // namespace

std::vector<api::PersistentVolumeClaim> EphemeralClaimsOf(const api::Pod& pod) {
  std::vector<api::PersistentVolumeClaim> claims;
  for (const api::Volume& volume : pod.spec.volumes) {
    if (!volume.ephemeral) continue;
    api::PersistentVolumeClaim& claim = claims.emplace_back();
    claim.metadata = OwnedBy(pod.metadata, volume.name);
    claim.metadata.labels = volume.ephemeral->metadata.labels;
    claim.metadata.annotations = volume.ephemeral->metadata.annotations;
    claim.spec = volume.ephemeral->spec;
    claim.status.phase = "Pending";
  }
  return claims;
}

std::vector<api::OtherObject> ResourceClaimsOf(const api::Pod& pod) {
  std::vector<api::OtherObject> claims;
  for (const api::PodResourceClaim& one : pod.spec.resource_claims) {
    if (one.resource_claim_template_name.empty()) continue;
    api::OtherObject& claim = claims.emplace_back();
    claim.api_version = "resource.k8s.io/v1";
    claim.kind = "ResourceClaim";
    claim.metadata = OwnedBy(pod.metadata, one.name);
  }
  return claims;
}

}  // namespace ksched::controllers
