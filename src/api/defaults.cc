#include "api/defaults.h"

namespace ksched::api {
namespace {

void RoundUp(ResourceList& resources) {
  for (auto& [name, quantity] : resources) quantity.RoundUpToMilli();
}
void RoundUp(std::optional<ResourceList>& resources) {
  if (resources) RoundUp(*resources);
}
void RoundUp(ResourceRequirements& resources) {
  RoundUp(resources.limits);
  RoundUp(resources.requests);
}

void SetContainersDefaults(std::vector<Container>& containers, bool host_network) {
  for (Container& container : containers) {
    for (const auto& [name, limit] : container.resources.limits) container.resources.requests.emplace(name, limit);
    RoundUp(container.resources);
    for (ContainerPort& port : container.ports) {
      if (port.protocol.empty()) port.protocol = "TCP";
      if (host_network && port.host_port == 0) port.host_port = port.container_port;
    }
  }
}

void SetContainerStatusDefaults(std::vector<ContainerStatus>& statuses) {
  for (ContainerStatus& status : statuses) {
    RoundUp(status.allocated_resources);
    RoundUp(status.resources_requests);
  }
}

// For most kinds there is nothing to do.
template <typename T>
void SetKindDefaults(T&) {}

void SetKindDefaults(Pod& pod) {
  SetPodDefaults(pod.spec);
  SetContainerStatusDefaults(pod.status.container_statuses);
  SetContainerStatusDefaults(pod.status.init_container_statuses);
  RoundUp(pod.status.allocated_resources);
  RoundUp(pod.status.resources_requests);
}

void SetKindDefaults(Node& node) {
  if (!node.status.has_allocatable) node.status.allocatable = node.status.capacity;
  RoundUp(node.status.capacity);
  RoundUp(node.status.allocatable);
}

void SetKindDefaults(Namespace& ns) {
  if (!ns.metadata.name.empty()) ns.metadata.labels["kubernetes.io/metadata.name"] = ns.metadata.name;
}

void SetKindDefaults(PriorityClass& priority_class) {
  if (priority_class.preemption_policy.empty()) priority_class.preemption_policy = "PreemptLowerPriority";
}

void SetJobDefaults(Workload& job) {
  if (!job.completions && !job.parallelism) job.completions = 1;
  if (!job.parallelism) job.parallelism = 1;
  if (job.completion_mode.empty()) job.completion_mode = "NonIndexed";
}

void SetKindDefaults(Workload& workload) {
  const StringMap& labels = workload.pod_template.metadata.labels;
  const bool is_job = workload.kind == "Job";
  const bool is_controller = workload.kind == "ReplicationController";
  // Versions from before apps/v1beta2 take the template's labels for the selector that is not there.
  const bool by_template =
      is_controller || workload.api_version == "apps/v1beta1" || workload.api_version == "extensions/v1beta1";
  if ((by_template || is_job) && workload.metadata.labels.empty()) workload.metadata.labels = labels;
  const bool empty_selector = !workload.selector || (is_controller && workload.selector->match_labels.empty());
  if (by_template && empty_selector && !labels.empty()) workload.selector.emplace().match_labels = labels;
  if (is_job) {
    SetJobDefaults(workload);
  } else if (!workload.replicas) {
    workload.replicas = 1;
  }
  SetPodDefaults(workload.pod_template.spec);
}

}  // namespace

void SetPodDefaults(PodSpec& spec) {
  if (spec.scheduler_name.empty()) spec.scheduler_name = "default-scheduler";
  if (spec.restart_policy.empty()) spec.restart_policy = "Always";
  if (!spec.termination_grace_period_seconds) spec.termination_grace_period_seconds = 30;
  if (*spec.termination_grace_period_seconds < 0) spec.termination_grace_period_seconds = 1;
  SetContainersDefaults(spec.containers, spec.host_network);
  SetContainersDefaults(spec.init_containers, spec.host_network);
  // Pod-level requests are not set from pod-level limits here: with the gate PodLevelResourcesFixDefaulting (on in
  // 1.37) the API server does that when a pod is created, not when it is read.
  if (spec.resources) RoundUp(*spec.resources);
  RoundUp(spec.overhead);
}

void SetDefaults(Object& object) {
  std::visit([](auto& typed) { SetKindDefaults(typed); }, object);
}

}  // namespace ksched::api
