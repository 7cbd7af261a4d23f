// What makes pods. Stored workloads are taken as they are.
#include "api/field_errors.h"
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

void ValidateSelector(const Workload& workload, const FieldPath& spec, const Validation& v) {
  const FieldPath path = spec.Child("selector");
  const bool is_job = workload.kind == "Job";
  // The API server itself makes the selector of a job, and labels that match it.
  if (is_job && !workload.manual_selector) return;
  if (!workload.selector) return v.reporter.Add(path, Required());
  ValidateLabelSelector(workload.selector, path, v);
  const bool empty = workload.selector->match_labels.empty() && workload.selector->match_expressions.empty();
  if (empty && workload.kind == "ReplicationController") {
    v.reporter.Add(path, Required());
  } else if (empty && !is_job) {
    const std::string name = workload.kind == "StatefulSet" ? "statefulset" : "deployment";
    v.reporter.Add(path, InvalidJson("{}", "empty selector is invalid for " + name));
  }
  const StringMap& labels = workload.pod_template.metadata.labels;
  if (empty || Matches(*workload.selector, labels)) return;
  const FieldPath pod_template = spec.Child("template");
  const FieldPath metadata = pod_template.Child("metadata");
  v.reporter.Add(metadata.Child("labels"),
                 InvalidJson(LabelsJson(labels), "`selector` does not match template `labels`"));
}

void ValidateJob(const Workload& job, const FieldPath& spec, const Validation& v) {
  constexpr int32_t kMaxIndexedParallelism = 100'000;
  if (job.parallelism) ValidateNonNegative(*job.parallelism, spec.Child("parallelism"), v);
  if (job.completions) ValidateNonNegative(*job.completions, spec.Child("completions"), v);
  if (job.completion_mode != "NonIndexed" && job.completion_mode != "Indexed") {
    v.reporter.Add(spec.Child("completionMode"), NotSupported(job.completion_mode, {"NonIndexed", "Indexed"}));
  }
  if (job.completion_mode == "Indexed") {
    if (!job.completions) v.reporter.Add(spec.Child("completions"), Required("when completion mode is Indexed"));
    if (job.parallelism && *job.parallelism > kMaxIndexedParallelism) {
      v.reporter.Add(spec.Child("parallelism"), Invalid(*job.parallelism,
                                                        "must be less than or equal to 100000 when completion mode is "
                                                        "Indexed"));
    }
  }
}

void ValidateRestartPolicy(const Workload& workload, const FieldPath& spec, const Validation& v) {
  const std::string& policy = workload.pod_template.spec.restart_policy;
  const FieldPath pod_template = spec.Child("template");
  const FieldPath pod_spec = pod_template.Child("spec");
  const FieldPath path = pod_spec.Child("restartPolicy");
  // What is no policy at all has been reported with the pod's spec.
  if (workload.kind == "Job") {
    if (policy == "Always") v.reporter.Add(path, Required("valid values: \"OnFailure\", \"Never\""));
  } else if (policy == "OnFailure" || policy == "Never") {
    v.reporter.Add(path, NotSupported(policy, {"Always"}));
  }
}

}  // namespace

void ValidateWorkload(const Workload& workload, const Validation& v) {
  if (!v.user()) return;
  const FieldPath root;
  const FieldPath spec = root.Child("spec");
  if (workload.replicas) ValidateNonNegative(*workload.replicas, spec.Child("replicas"), v);
  if (workload.ordinals_start) {
    const FieldPath ordinals = spec.Child("ordinals");
    ValidateNonNegative(*workload.ordinals_start, ordinals.Child("start"), v);
  }
  if (workload.kind == "Job") ValidateJob(workload, spec, v);
  ValidateSelector(workload, spec, v);

  const FieldPath pod_template = spec.Child("template");
  const FieldPath metadata = pod_template.Child("metadata");
  ValidateLabels(workload.pod_template.metadata.labels, metadata.Child("labels"), v);
  ValidateAnnotations(workload.pod_template.metadata.annotations, metadata.Child("annotations"), v);
  ValidatePodSpec(workload.pod_template.spec, pod_template.Child("spec"), /*is_pod=*/false, v);
  ValidateRestartPolicy(workload, spec, v);
}

}  // namespace ksched::api
