// Volumes that are bound, or about to be: where they can be used, and whether the controllers have done their part.
#include <utility>

#include "api/field_errors.h"
#include "api/object_head.h"
#include "plugins/common/volumes.h"
#include "plugins/volume_binding/binder.h"

namespace ksched {
namespace {

bool IsMigratedOn(const api::CsiNode* csi_node, std::string_view plugin) {
  if (csi_node == nullptr) return false;
  std::string_view rest = MigratedPlugins(*csi_node);
  while (true) {
    const size_t comma = rest.find(',');
    if (rest.substr(0, comma) == plugin) return true;
    if (comma == std::string_view::npos) return false;
    rest.remove_prefix(comma + 1);
  }
}

template <typename T>
bool IsOlder(const T& object, uint64_t version) {
  return api::VersionNumber(object.metadata.resource_version) < version;
}

}  // namespace

void VolumeBinder::PrepareBound(VolumePtr volume, BoundClaim& bound) const {
  bound.volume = std::move(volume);
  bound.plugin = nullptr;
  if (bound.volume == nullptr) return;
  bound.affinity.Compile(bound.volume->spec.required_node_affinity);
  const InTreePlugin* plugin = InTreePluginOf(bound.volume->spec.source);
  if (plugin == nullptr || !plugin->migrated) return;
  bound.plugin = plugin;
  bound.translation_problem.clear();
  if (const Result<CsiTranslation> translated = Translate(*bound.volume); !translated) {
    bound.translation_problem = "could not translate pv: " + translated.error().message;
    return;
  }
  bound.translated = TranslatedAffinity(*bound.volume);
  bound.translated_affinity.Compile(bound.translated);
}

const VolumeAffinity& VolumeBinder::AffinityOn(const api::Node& node, const BoundClaim& bound,
                                               std::string& problem) const {
  const bool migrated = bound.plugin != nullptr &&
                        IsMigratedOn(state_.objects().csi_nodes.Find(node.metadata.name).get(), bound.plugin->name);
  if (!migrated) return bound.affinity;
  problem = bound.translation_problem;
  return bound.translated_affinity;
}

Result<void> VolumeBinder::CheckAffinity(VolumePtr volume, const api::Node& node) const {
  BoundClaim bound;
  PrepareBound(std::move(volume), bound);
  std::string problem;
  const VolumeAffinity& affinity = AffinityOn(node, bound, problem);
  if (!problem.empty()) return Error{problem};
  if (affinity.Matches(node)) return {};
  return Error{"pv " + api::Quote(bound.volume->metadata.name) + " node affinity doesn't match node " +
               api::Quote(node.metadata.name) + ": no matching NodeSelectorTerms"};
}

// What was assumed may be assumed anew by now: what counts here is what the API has.
Result<bool> VolumeBinder::IsBound(const StaticBinding& binding, uint64_t version, const api::Node& node) const {
  const std::string& name = binding.volume->metadata.name;
  const api::ObjectMeta& of_claim = binding.claim->metadata;
  const VolumePtr volume = state_.objects().volumes.Find(name);
  if (volume == nullptr) return Error{"failed to check binding: " + NotFoundText("persistentvolumes", name)};
  const ClaimPtr claim = state_.objects().claims.Find(of_claim.ns, of_claim.name);
  if (claim == nullptr) {
    return Error{"failed to check binding: " + NotFoundText(kClaimResource, of_claim.ns + "/" + of_claim.name)};
  }
  if (IsOlder(*volume, version)) return false;
  if (auto checked = CheckAffinity(volume, node); !checked) return std::move(checked).error();
  if (!volume->spec.claim_ref || volume->spec.claim_ref->uid.empty()) {
    return Error{"ClaimRef got reset for pv " + api::Quote(name)};
  }
  return IsFullyBound(*claim);
}

Result<bool> VolumeBinder::IsBound(const DynamicProvision& provision, uint64_t version, const api::Node& node) const {
  const api::ObjectMeta& of = provision.claim->metadata;
  const ClaimPtr claim = state_.objects().claims.Find(of.ns, of.name);
  if (claim == nullptr) {
    return Error{"failed to check provisioning pvc: " + NotFoundText(kClaimResource, of.ns + "/" + of.name)};
  }
  if (IsOlder(*claim, version)) return false;
  const auto& annotations = claim->metadata.annotations;
  if (annotations.empty()) return Error{"selectedNode annotation reset for PVC " + api::Quote(of.name)};
  // A provisioner that fails takes the annotation away, so that the pod is scheduled anew.
  const auto selected = annotations.find(kSelectedNode);
  if (selected == annotations.end() || selected->second != node.metadata.name) {
    return Error{"provisioning failed for PVC " + api::Quote(of.name)};
  }
  if (!claim->spec.volume_name.empty()) {
    VolumePtr volume = state_.objects().volumes.Find(claim->spec.volume_name);
    if (volume == nullptr) return false;  // it comes, or the claim will be unbound
    if (auto checked = CheckAffinity(std::move(volume), node); !checked) return std::move(checked).error();
  }
  return IsFullyBound(*claim);
}

Result<bool> VolumeBinder::AreBound(const PodInfo& pod, NodeId node, const PodVolumes& volumes,
                                    const VolumeVersions& versions) const {
  if (state_.node_object(node) == nullptr) {
    const std::string name = api::Quote(state_.node_name(node));
    return Error{"failed to get node " + name + ": node " + name + " not found"};
  }
  if (state_.pod_store().Find(pod.ns(), pod.name()) != &pod) {
    return Error{"pod does not exist any more: pod " + api::Quote(pod.name()) + " not found"};
  }
  bool all = true;
  const api::Node& on = state_.node(node);
  for (size_t i = 0; all && i < volumes.bindings.size(); ++i) {
    auto bound = IsBound(volumes.bindings[i], versions.volumes.at(i), on);
    if (!bound) return bound;
    all = *bound;
  }
  for (size_t i = 0; all && i < volumes.provisions.size(); ++i) {
    auto bound = IsBound(volumes.provisions[i], versions.claims.at(i), on);
    if (!bound) return bound;
    all = *bound;
  }
  return all;
}

}  // namespace ksched
