#include "manifest/workloads.h"

#include <algorithm>
#include <utility>

namespace ksched {
namespace {

constexpr const char* kJobNameLabels[] = {"batch.kubernetes.io/job-name", "job-name"};
constexpr const char* kJobUidLabels[] = {"batch.kubernetes.io/controller-uid", "controller-uid"};
constexpr const char* kCompletionIndex = "batch.kubernetes.io/job-completion-index";

// A Deployment's pods belong to its ReplicaSet, whose name is not known: it is called like the Deployment.
api::OwnerReference ControllerOf(const api::Workload& workload) {
  api::OwnerReference owner;
  const bool deployment = workload.kind == "Deployment";
  owner.api_version = deployment ? "apps/v1" : workload.api_version;
  owner.kind = deployment ? "ReplicaSet" : workload.kind;
  owner.name = workload.metadata.name;
  owner.uid = workload.metadata.uid;
  owner.controller = true;
  return owner;
}

// A uid that is made of namespace and name is no valid label.
std::string LabelOfUid(const api::ObjectMeta& metadata) {
  std::string text = metadata.uid;
  std::ranges::replace(text, '/', '.');
  return text;
}

api::Pod PodOfTemplate(const api::Workload& workload) {
  api::Pod pod;
  pod.metadata.ns = workload.metadata.ns;
  pod.metadata.generate_name = workload.metadata.name + "-";
  pod.metadata.labels = workload.pod_template.metadata.labels;
  pod.metadata.annotations = workload.pod_template.metadata.annotations;
  pod.metadata.resource_version = "1";
  pod.metadata.owner_references = {ControllerOf(workload)};
  pod.spec = workload.pod_template.spec;
  if (workload.kind == "Job" && !workload.manual_selector) {
    for (const char* label : kJobNameLabels) pod.metadata.labels[label] = workload.metadata.name;
    for (const char* label : kJobUidLabels) pod.metadata.labels[label] = LabelOfUid(workload.metadata);
  }
  return pod;
}

// What tells the replicas of one workload apart.
void SetIdentity(const api::Workload& workload, const std::string& name, const std::string& number, api::Pod& pod) {
  pod.metadata.name = name;
  pod.metadata.uid = pod.metadata.ns + "/" + name;
  if (workload.kind == "StatefulSet") {
    pod.metadata.labels["statefulset.kubernetes.io/pod-name"] = name;
    pod.metadata.labels["apps.kubernetes.io/pod-index"] = number;
  } else if (workload.kind == "Job" && workload.completion_mode == "Indexed") {
    pod.metadata.labels[kCompletionIndex] = number;
    pod.metadata.annotations[kCompletionIndex] = number;
  }
}

}  // namespace

int64_t PodCountOf(const api::Workload& workload) {
  if (workload.kind != "Job") return std::max(0, workload.replicas.value_or(1));
  if (workload.suspend) return 0;
  const int32_t at_once = workload.parallelism.value_or(1);
  return std::max(0, workload.completions ? std::min(at_once, *workload.completions) : at_once);
}

void MakePods(const api::Workload& workload, const std::function<bool(const std::string& name)>& is_taken,
              const std::function<bool(api::Pod&&)>& add) {
  const api::Pod pattern = PodOfTemplate(workload);
  const int64_t count = PodCountOf(workload);
  int64_t number = workload.kind == "StatefulSet" ? workload.ordinals_start.value_or(0) : 0;
  for (int64_t made = 0; made < count; ++number) {
    const std::string text = std::to_string(number);
    const std::string name = pattern.metadata.generate_name + text;
    if (is_taken(name)) continue;
    api::Pod pod = pattern;
    SetIdentity(workload, name, text, pod);
    if (!add(std::move(pod))) return;
    ++made;
  }
}

std::string GenerateName(const std::string& generate_name, int64_t& next,
                         const std::function<bool(const std::string& name)>& is_taken) {
  for (;;) {
    std::string name = generate_name + std::to_string(next++);
    if (!is_taken(name)) return name;
  }
}

}  // namespace ksched
