#include "api/defaults.h"

#include "api/defaults_parts.h"

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

void SetRequestsOfLimits(std::vector<Container>& containers) {
  for (Container& container : containers) {
    for (const auto& [name, limit] : container.resources.limits) container.resources.requests.emplace(name, limit);
  }
}

void SetContainersDefaults(std::vector<Container>& containers, bool host_network) {
  for (Container& container : containers) {
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

void SetSourceDefaults(VolumeSource& source) {
  if (source.azure_disk && source.azure_disk->kind.empty()) source.azure_disk->kind = "Shared";
  if (source.rbd && source.rbd->pool.empty()) source.rbd->pool = "rbd";
}

void SetKindDefaults(PersistentVolume& volume) {
  SetSourceDefaults(volume.spec.source);
  if (volume.status.phase.empty()) volume.status.phase = "Pending";
  if (volume.spec.reclaim_policy.empty()) volume.spec.reclaim_policy = "Retain";
  if (volume.spec.volume_mode.empty()) volume.spec.volume_mode = "Filesystem";
  RoundUp(volume.spec.capacity);
}

void SetKindDefaults(PersistentVolumeClaim& claim) {
  if (claim.status.phase.empty()) claim.status.phase = "Pending";
  SetClaimDefaults(claim.spec);
  RoundUp(claim.status.capacity);
}

void SetKindDefaults(StorageClass& storage_class) {
  if (storage_class.reclaim_policy.empty()) storage_class.reclaim_policy = "Delete";
  if (storage_class.volume_binding_mode.empty()) storage_class.volume_binding_mode = "Immediate";
}

void SetKindDefaults(CsiDriver& driver) {
  if (!driver.attach_required) driver.attach_required = true;
  if (!driver.storage_capacity) driver.storage_capacity = false;
  if (!driver.prevent_pod_scheduling_if_missing) driver.prevent_pod_scheduling_if_missing = false;
}

void AddMissing(const ResourceList& from, ResourceList& to) { to.insert(from.begin(), from.end()); }

void SetKindDefaults(LimitRange& range) {
  for (LimitRangeItem& item : range.limits) {
    if (item.type == "Container") {
      AddMissing(item.max, item.defaults);
      AddMissing(item.defaults, item.default_requests);
      AddMissing(item.min, item.default_requests);
    }
    for (ResourceList* list :
         {&item.max, &item.min, &item.defaults, &item.default_requests, &item.max_limit_request_ratio}) {
      RoundUp(*list);
    }
  }
}

void SetKindDefaults(ResourceQuota& quota) {
  RoundUp(quota.spec.hard);
  RoundUp(quota.status.hard);
  RoundUp(quota.status.used);
}

void SetKindDefaults(HorizontalPodAutoscaler& autoscaler) {
  if (!autoscaler.min_replicas) autoscaler.min_replicas = 1;
}

// One for each run of the reader: nobody has to name it.
void SetKindDefaults(ClusterSnapshot& snapshot) {
  if (snapshot.metadata.name.empty()) snapshot.metadata.name = "cluster";
}

void SetKindDefaults(Workload& workload) { SetWorkloadDefaults(workload); }

}  // namespace

void SetClaimDefaults(ClaimSpec& claim) {
  if (claim.volume_mode.empty()) claim.volume_mode = "Filesystem";
  RoundUp(claim.requests);
  RoundUp(claim.limits);
}

void SetPodDefaults(PodSpec& spec) {
  SetRequestsOfLimits(spec.containers);
  SetRequestsOfLimits(spec.init_containers);
  SetTemplateDefaults(spec);
}

void SetTemplateDefaults(PodSpec& spec) {
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
  for (Volume& volume : spec.volumes) {
    SetSourceDefaults(volume.source);
    if (volume.ephemeral) SetClaimDefaults(volume.ephemeral->spec);
  }
}

void SetDefaults(Object& object) {
  std::visit([](auto& typed) { SetKindDefaults(typed); }, object);
}

}  // namespace ksched::api
