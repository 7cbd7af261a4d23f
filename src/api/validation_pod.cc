// The spec of pods and of pod templates.
#include <algorithm>

#include "api/field_errors.h"
#include "api/validation_parts.h"

namespace ksched::api {
namespace {

void ValidateGates(const std::vector<std::string>& gates, const FieldPath& path, const Validation& v) {
  for (size_t i = 0; i < gates.size(); ++i) {
    ValidateLabelKey(gates[i], path.Index(i), v);
    const auto here = gates.begin() + static_cast<ptrdiff_t>(i);
    if (std::find(gates.begin(), here, gates[i]) != here) v.reporter.Add(path.Index(i), Duplicate(gates[i]));
  }
}

std::string ClaimJson(const PodResourceClaim& claim) {
  std::string json = "{\"name\":" + Quote(claim.name);
  if (!claim.resource_claim_name.empty()) json += ",\"resourceClaimName\":" + Quote(claim.resource_claim_name);
  if (!claim.resource_claim_template_name.empty()) {
    json += ",\"resourceClaimTemplateName\":" + Quote(claim.resource_claim_template_name);
  }
  return json + "}";
}

void ValidateClaim(const PodResourceClaim& claim, const FieldPath& path, const Validation& v) {
  const bool named = !claim.resource_claim_name.empty(), made = !claim.resource_claim_template_name.empty();
  if (named && made) {
    v.reporter.Add(path,
                   InvalidJson(ClaimJson(claim),
                               "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"));
  }
  if (!named && !made) {
    v.reporter.Add(
        path, InvalidJson(ClaimJson(claim), "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"));
  }
  ValidateReference(claim.resource_claim_name, path.Child("resourceClaimName"), v);
  ValidateReference(claim.resource_claim_template_name, path.Child("resourceClaimTemplateName"), v);
}

void ValidateClaims(const std::vector<PodResourceClaim>& claims, const FieldPath& path, const Validation& v) {
  for (size_t i = 0; i < claims.size(); ++i) {
    const FieldPath claim_path = path.Index(i);
    const std::string& name = claims[i].name;
    const bool repeated = std::any_of(claims.begin(), claims.begin() + static_cast<ptrdiff_t>(i),
                                      [&](const PodResourceClaim& other) { return other.name == name; });
    if (name.empty()) {
      v.reporter.Add(claim_path.Child("name"), Required());
    } else if (repeated) {
      v.reporter.Add(claim_path.Child("name"), Duplicate(name));
    } else {
      v.AddInvalid(claim_path.Child("name"), name, CheckDns1123Label(name));
    }
    ValidateClaim(claims[i], claim_path, v);
  }
}

void ValidatePolicies(const PodSpec& spec, const FieldPath& path, const Validation& v) {
  const std::string& restart = spec.restart_policy;
  if (restart != "Always" && restart != "OnFailure" && restart != "Never") {
    v.reporter.Add(path.Child("restartPolicy"), NotSupported(restart, {"Always", "OnFailure", "Never"}));
  }
  const std::string& preemption = spec.preemption_policy;
  if (!preemption.empty() && preemption != "PreemptLowerPriority" && preemption != "Never") {
    v.reporter.Add(path.Child("preemptionPolicy"), NotSupported(preemption, {"PreemptLowerPriority", "Never"}));
  }
}

// What the API server would not let anybody create.
void ValidateNewPodSpec(const PodSpec& spec, const FieldPath& path, bool is_pod, const Validation& v) {
  ValidateClaims(spec.resource_claims, path.Child("resourceClaims"), v);
  ValidateContainers(spec, path, is_pod, v);
  ValidatePodLevelResources(spec, path, v);
  ValidatePolicies(spec, path, v);
  ValidateLabels(spec.node_selector, path.Child("nodeSelector"), v);
  ValidateGates(spec.scheduling_gates, path.Child("schedulingGates"), v);
  ValidateReference(spec.node_name, path.Child("nodeName"), v);
  ValidateReference(spec.priority_class_name, path.Child("priorityClassName"), v);
  ValidateReference(spec.runtime_class_name, path.Child("runtimeClassName"), v);
  ValidateOverhead(spec.overhead, path.Child("overhead"), v);
  if (is_pod && !spec.node_name.empty() && !spec.scheduling_gates.empty()) {
    v.reporter.Add(path.Child("nodeName"), Forbidden("cannot be set until all schedulingGates have been cleared"));
  }
}

}  // namespace

void ValidatePodSpec(const PodSpec& spec, const FieldPath& path, bool is_pod, const Validation& v) {
  if (v.user()) ValidateNewPodSpec(spec, path, is_pod, v);
  if (spec.affinity) ValidateAffinity(*spec.affinity, path.Child("affinity"), v);
  if (!spec.tolerations.empty()) ValidateTolerations(spec.tolerations, path.Child("tolerations"), v);
  if (!spec.topology_spread_constraints.empty()) {
    ValidateSpreadConstraints(spec.topology_spread_constraints, path.Child("topologySpreadConstraints"), v);
  }
}

}  // namespace ksched::api
