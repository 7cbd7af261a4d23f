#include "controllers/pod_maker.h"

#include <utility>

#include "api/defaults.h"
#include "controllers/pod_claims.h"

namespace ksched::controllers {

api::Pod PatternOf(const api::PodTemplateSpec& pod_template, const std::string& ns, const std::string& base_name,
                   const api::OwnerReference& owner) {
  api::Pod pod;
  pod.metadata.ns = ns;
  pod.metadata.generate_name = base_name + "-";
  pod.metadata.labels = pod_template.metadata.labels;
  pod.metadata.annotations = pod_template.metadata.annotations;
  pod.metadata.resource_version = "1";
  if (!owner.kind.empty()) pod.metadata.owner_references = {owner};
  pod.spec = pod_template.spec;
  api::SetPodDefaults(pod.spec);
  // A workload is stored packed, and an empty map is not in there.
  if (pod.spec.overhead && pod.spec.overhead->empty()) pod.spec.overhead.reset();
  return pod;
}

PodMaker::PodMaker(const Request& request)
    : is_taken_(request.is_taken), claims_(request.existing.claims.begin(), request.existing.claims.end()) {}

std::string PodMaker::NextName(const std::string& base_name) {
  for (;;) {
    std::string name = base_name + "-" + std::to_string(next_++);
    if (IsFree(name)) return name;
  }
}

NewPod PodMaker::Make(const api::Pod& pattern, const std::string& name) {
  NewPod made{.pod = pattern, .claims = {}};
  api::ObjectMeta& metadata = made.pod.metadata;
  metadata.name = name;
  metadata.uid = metadata.ns + "/" + name;
  for (api::PersistentVolumeClaim& claim : EphemeralClaimsOf(made.pod)) {
    if (ClaimIsMissing(claim.metadata.name)) made.claims.push_back(std::move(claim));
  }
  return made;
}

}  // namespace ksched::controllers
