// What makes pods. Older versions of the API have defaults of their own.
#include "api/defaults.h"
#include "api/defaults_parts.h"

namespace ksched::api {
namespace {

IntOrString Number(int32_t number) { return {.number = number}; }
IntOrString Percent(const char* text) { return {.is_text = true, .text = text}; }

// extensions/v1beta1 completes a rolling update that the strategy does not use, too.
void SetDeploymentDefaults(Workload& deployment) {
  const bool old = deployment.api_version == "extensions/v1beta1";
  if (deployment.strategy.empty()) deployment.strategy = "RollingUpdate";
  if (deployment.strategy != "RollingUpdate" && !(old && deployment.has_rolling_update)) return;
  deployment.has_rolling_update = true;
  const IntOrString some = old ? Number(1) : Percent("25%");
  if (!deployment.max_unavailable) deployment.max_unavailable = some;
  if (!deployment.max_surge) deployment.max_surge = some;
}

void SetDaemonSetDefaults(Workload& set) {
  if (set.strategy.empty()) set.strategy = set.api_version == "extensions/v1beta1" ? "OnDelete" : "RollingUpdate";
  if (set.strategy != "RollingUpdate") return;
  set.has_rolling_update = true;
  if (!set.max_unavailable) set.max_unavailable = Number(1);
  if (!set.max_surge) set.max_surge = Number(0);
}

void SetStatefulSetDefaults(Workload& set) {
  const bool old = set.api_version == "apps/v1beta1";
  if (set.pod_management_policy.empty()) set.pod_management_policy = "OrderedReady";
  if (set.strategy.empty()) {
    set.strategy = old ? "OnDelete" : "RollingUpdate";
    if (!old) set.has_rolling_update = true;
  }
  if (set.strategy == "RollingUpdate" && set.has_rolling_update) {
    if (!set.partition) set.partition = 0;
    if (!set.max_unavailable) set.max_unavailable = Number(1);
  }
  if (set.claims_when_deleted.empty()) set.claims_when_deleted = "Retain";
  if (set.claims_when_scaled.empty()) set.claims_when_scaled = "Retain";
  for (ClaimTemplate& claim : set.claim_templates) SetClaimDefaults(claim.spec);
}

void SetJobDefaults(Workload& job) {
  if (!job.completions && !job.parallelism) job.completions = 1;
  if (!job.parallelism) job.parallelism = 1;
  if (job.completion_mode.empty()) job.completion_mode = "NonIndexed";
  if (job.metadata.labels.empty()) job.metadata.labels = job.pod_template.metadata.labels;
}

// Versions from before apps/v1beta2 take the template's labels for what is not there.
void SetLabelsByTemplate(Workload& workload) {
  const bool is_controller = workload.kind == "ReplicationController";
  if (!is_controller && workload.api_version != "apps/v1beta1" && workload.api_version != "extensions/v1beta1") return;
  const StringMap& labels = workload.pod_template.metadata.labels;
  if (workload.metadata.labels.empty()) workload.metadata.labels = labels;
  const bool empty_selector = !workload.selector || (is_controller && workload.selector->match_labels.empty());
  if (empty_selector && !labels.empty()) workload.selector.emplace().match_labels = labels;
}

}  // namespace

void SetWorkloadDefaults(Workload& workload) {
  const std::string& kind = workload.kind;
  SetLabelsByTemplate(workload);
  if (kind == "Deployment") SetDeploymentDefaults(workload);
  if (kind == "DaemonSet") SetDaemonSetDefaults(workload);
  if (kind == "StatefulSet") SetStatefulSetDefaults(workload);
  if (kind == "Job") SetJobDefaults(workload);
  const bool has_replicas =
      kind == "Deployment" || kind == "ReplicaSet" || kind == "StatefulSet" || kind == "ReplicationController";
  if (has_replicas && !workload.replicas) workload.replicas = 1;
  SetTemplateDefaults(workload.pod_template.spec);
}

}  // namespace ksched::api
