// What makes pods. Stored workloads are taken as they are.
#include "api/field_errors.h"
#include "api/field_writer.h"
#include "api/fields_meta.h"
#include "api/label_selector.h"
#include "api/validation_parts.h"

namespace ksched::api {
namespace {

std::string LabelsJson(const StringMap& labels) {
  if (labels.empty()) return "null";
  std::string json;
  for (const auto& [key, value] : labels) json += (json.empty() ? "{" : ",") + Quote(key) + ":" + Quote(value);
  return json + "}";
}

void ValidateTemplateLabels(const Workload& workload, const FieldPath& spec, const Validation& v) {
  const StringMap& labels = workload.pod_template.metadata.labels;
  if (Matches(workload.selector, labels)) return;
  const FieldPath pod_template = spec.Child("template");
  const FieldPath metadata = pod_template.Child("metadata");
  v.reporter.Add(metadata.Child("labels"),
                 InvalidJson(LabelsJson(labels), "`selector` does not match template `labels`"));
}

void ValidateSelector(const Workload& workload, const FieldPath& spec, const Validation& v) {
  const FieldPath path = spec.Child("selector");
  const bool is_job = workload.kind == "Job", is_daemon_set = workload.kind == "DaemonSet";
  // The API server itself makes the selector of a job, and labels that match it.
  if (is_job && !workload.manual_selector) return;
  if (!workload.selector) {
    return is_daemon_set ? ValidateTemplateLabels(workload, spec, v) : v.reporter.Add(path, Required());
  }
  ValidateLabelSelector(workload.selector, path, v);
  const bool empty = MatchesEverything(*workload.selector);
  if (empty && workload.kind == "ReplicationController") {
    v.reporter.Add(path, Required());
  } else if (empty && !is_job) {
    std::string name = "deployment";  // also of a ReplicaSet
    if (workload.kind == "StatefulSet") name = "statefulset";
    if (is_daemon_set) name = "daemonset";
    v.reporter.Add(path, InvalidJson("{}", "empty selector is invalid for " + name));
  }
  if (!empty) ValidateTemplateLabels(workload, spec, v);
}

void ValidateJob(const Workload& job, const FieldPath& spec, const Validation& v) {
  constexpr int32_t kMaxIndexedParallelism = 100'000;
  if (job.parallelism) ValidateNonNegative(*job.parallelism, spec.Child("parallelism"), v);
  if (job.completions) ValidateNonNegative(*job.completions, spec.Child("completions"), v);
  const std::string& mode = job.completion_mode;  // of a CronJob's jobs it may be absent
  if (!mode.empty() && mode != "NonIndexed" && mode != "Indexed") {
    v.reporter.Add(spec.Child("completionMode"), NotSupported(mode, {"NonIndexed", "Indexed"}));
  }
  if (mode == "Indexed") {
    if (!job.completions) v.reporter.Add(spec.Child("completions"), Required("when completion mode is Indexed"));
    if (job.parallelism && *job.parallelism > kMaxIndexedParallelism) {
      v.reporter.Add(spec.Child("parallelism"), Invalid(*job.parallelism,
                                                        "must be less than or equal to 100000 when completion mode is "
                                                        "Indexed"));
    }
  }
}

void ValidateCronJob(const Workload& cron_job, const FieldPath& spec, const FieldPath& job_spec, const Validation& v) {
  constexpr size_t kMaxName = 52;  // a suffix of eleven makes the name of a job, which is a label
  const FieldPath root;
  const FieldPath metadata = root.Child("metadata");
  if (cron_job.metadata.name.size() > kMaxName) {
    v.reporter.Add(metadata.Child("name"), Invalid(cron_job.metadata.name, "must be no more than 52 characters"));
  }
  if (cron_job.schedule.empty()) {
    v.reporter.Add(spec.Child("schedule"), Required());
  } else if (cron_job.schedule.find("TZ") != std::string::npos) {
    v.reporter.Add(spec.Child("schedule"),
                   Invalid(cron_job.schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
  }
  ValidateJob(cron_job, job_spec, v);
  if (cron_job.selector) {
    v.reporter.Add(job_spec.Child("selector"),
                   InvalidJson(TableJson(*cron_job.selector), "`selector` will be auto-generated"));
  }
  if (cron_job.manual_selector) {
    v.reporter.Add(job_spec.Child("manualSelector"), NotSupportedJson("true", {"nil", "false"}));
  }
}

void ValidateRestartPolicy(const Workload& workload, const FieldPath& pod_spec, const Validation& v) {
  const std::string& policy = workload.pod_template.spec.restart_policy;
  const FieldPath path = pod_spec.Child("restartPolicy");
  // What is no policy at all has been reported with the pod's spec.
  if (workload.kind == "Job" || workload.kind == "CronJob") {
    if (policy == "Always") v.reporter.Add(path, Required("valid values: \"OnFailure\", \"Never\""));
  } else if (workload.kind != "PodTemplate" && (policy == "OnFailure" || policy == "Never")) {
    v.reporter.Add(path, NotSupported(policy, {"Always"}));
  }
}

void ValidateTemplate(const Workload& workload, const FieldPath& path, const Validation& v) {
  const FieldPath metadata = path.Child("metadata"), spec = path.Child("spec");
  ValidateLabels(workload.pod_template.metadata.labels, metadata.Child("labels"), v);
  ValidateAnnotations(workload.pod_template.metadata.annotations, metadata.Child("annotations"), v);
  ValidatePodSpec(workload.pod_template.spec, spec, /*is_pod=*/false, v);
  ValidateRestartPolicy(workload, spec, v);
  if (workload.pod_template.spec.has_scheduling_group) {
    v.reporter.Add(spec.Child("schedulingGroup"), "pod groups are not supported yet");
  }
}

void ValidateRetention(const std::string& policy, const FieldPath& path, const Validation& v) {
  if (policy != "Retain" && policy != "Delete") v.reporter.Add(path, NotSupported(policy, {"Retain", "Delete"}));
}

void ValidateStatefulSet(const Workload& set, const FieldPath& spec, const Validation& v) {
  const std::string& management = set.pod_management_policy;
  if (management != "OrderedReady" && management != "Parallel") {
    v.reporter.Add(spec.Child("podManagementPolicy"), Invalid(management, "must be 'OrderedReady' or 'Parallel'"));
  }
  const FieldPath retention = spec.Child("persistentVolumeClaimRetentionPolicy");
  ValidateRetention(set.claims_when_deleted, retention.Child("whenDeleted"), v);
  ValidateRetention(set.claims_when_scaled, retention.Child("whenScaled"), v);
  const FieldPath claims = spec.Child("volumeClaimTemplates");
  for (size_t i = 0; i < set.claim_templates.size(); ++i) {
    const FieldPath claim = claims.Index(i);
    ValidateClaimSpec(set.claim_templates[i].spec, claim.Child("spec"), v);
  }
  if (set.ordinals_start) {
    const FieldPath ordinals = spec.Child("ordinals");
    ValidateNonNegative(*set.ordinals_start, ordinals.Child("start"), v);
  }
  if (!set.service_name.empty()) {
    v.AddInvalid(spec.Child("serviceName"), set.service_name, CheckDns1123Label(set.service_name));
  }
}

}  // namespace

void ValidateWorkload(const Workload& workload, const Validation& v) {
  if (!v.user()) return;
  const FieldPath root;
  const FieldPath spec = root.Child("spec");
  const std::string& kind = workload.kind;
  if (kind == "PodTemplate") return ValidateTemplate(workload, root.Child("template"), v);
  if (kind == "CronJob") {
    const FieldPath job_template = spec.Child("jobTemplate");
    const FieldPath job_spec = job_template.Child("spec");
    ValidateCronJob(workload, spec, job_spec, v);
    return ValidateTemplate(workload, job_spec.Child("template"), v);
  }
  if (workload.replicas) ValidateNonNegative(*workload.replicas, spec.Child("replicas"), v);
  ValidateNonNegative(workload.min_ready_seconds, spec.Child("minReadySeconds"), v);
  ValidateStrategy(workload, spec, v);
  if (kind == "StatefulSet") ValidateStatefulSet(workload, spec, v);
  if (kind == "Job") ValidateJob(workload, spec, v);
  ValidateSelector(workload, spec, v);
  ValidateTemplate(workload, spec.Child("template"), v);
}

}  // namespace ksched::api
