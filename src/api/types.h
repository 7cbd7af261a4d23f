// The part of the Kubernetes API that scheduling reads, as plain values. Field names are the API's in snake_case; what
// the API leaves out when absent is an optional only where absent and zero differ. Values are defaulted where a
// comment says so (api/defaults.h); nothing here is validated (api/validation.h does that).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/types_meta.h"
#include "api/types_storage.h"

namespace ksched::api {

// ---- affinity, spread, taints ----

struct PreferredSchedulingTerm {
  int32_t weight = 0;
  NodeSelectorTerm preference;
};
struct NodeAffinity {
  std::optional<NodeSelector> required;
  std::vector<PreferredSchedulingTerm> preferred;
};
struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector, namespace_selector;
  std::vector<std::string> namespaces, match_label_keys, mismatch_label_keys;
  std::string topology_key;
};
struct WeightedPodAffinityTerm {
  int32_t weight = 0;
  PodAffinityTerm term;
};
struct PodAffinity {  // and PodAntiAffinity
  std::vector<PodAffinityTerm> required;
  std::vector<WeightedPodAffinityTerm> preferred;
};
struct Affinity {
  std::optional<NodeAffinity> node_affinity;
  std::optional<PodAffinity> pod_affinity, pod_anti_affinity;
};
struct TopologySpreadConstraint {
  int32_t max_skew = 0;
  std::string topology_key, when_unsatisfiable;  // DoNotSchedule, ScheduleAnyway
  std::optional<LabelSelector> label_selector;
  std::optional<int32_t> min_domains;
  std::string node_affinity_policy, node_taints_policy;  // Honor, Ignore; empty: absent
  std::vector<std::string> match_label_keys;
};
struct Taint {
  std::string key, value, effect;
  bool operator==(const Taint&) const = default;
};
struct Toleration {
  std::string key, op, value, effect;  // op: Exists, Equal (empty is Equal), Lt, Gt
  std::optional<int64_t> toleration_seconds;
  bool operator==(const Toleration&) const = default;
};

// ---- pods ----

struct ResourceRequirements {
  ResourceList requests, limits;
  std::vector<std::string> claims;
};
struct ContainerPort {
  int32_t host_port = 0, container_port = 0;
  std::string protocol, host_ip, name;  // protocol: defaulted to TCP
};
struct ContainerRestartRule {
  std::string action;
};
struct VolumeMount {
  std::vector<std::string> bind_mount_options;
};
struct Container {
  std::string name, image, restart_policy;  // restart_policy "Always" marks a sidecar among init containers
  ResourceRequirements resources;
  std::vector<ContainerPort> ports;
  std::vector<ContainerRestartRule> restart_policy_rules;
  std::vector<VolumeMount> volume_mounts;
};
// spec.resourceClaims[]: a DRA claim by name, or from a template.
struct PodResourceClaim {
  std::string name, resource_claim_name, resource_claim_template_name;
};
// volumes[].image: an image as a volume.
struct ImageVolume {
  std::string reference;
};
// volumes[] of a pod: the sources that scheduling reads; of others only the name.
struct Volume {
  std::string name;
  VolumeSource source;     // of a cloud's or a cluster's storage
  std::string claim_name;  // persistentVolumeClaim.claimName
  bool claim_read_only = false;
  std::optional<ClaimTemplate> ephemeral;  // ephemeral.volumeClaimTemplate
  std::optional<ImageVolume> image;
};
struct PodSpec {
  std::string node_name, scheduler_name, priority_class_name, preemption_policy, runtime_class_name, restart_policy;
  std::optional<int32_t> priority;
  StringMap node_selector;
  std::optional<Affinity> affinity;
  std::vector<Toleration> tolerations;
  std::vector<TopologySpreadConstraint> topology_spread_constraints;
  std::vector<std::string> scheduling_gates;
  std::optional<ResourceList> overhead;
  bool host_network = false;
  std::optional<bool> host_users;
  std::vector<Container> containers, init_containers;
  std::optional<ResourceRequirements> resources;  // pod-level
  std::vector<PodResourceClaim> resource_claims;
  std::vector<Volume> volumes;
  std::optional<int64_t> termination_grace_period_seconds, active_deadline_seconds;
  bool has_scheduling_group = false;  // spec.schedulingGroup: pod groups are not supported yet
};
struct PodCondition {
  std::string type, status, reason, message;
  std::optional<TimeNs> last_transition_time = std::nullopt;
};
struct ContainerStatus {
  std::string name;
  int32_t restart_count = 0;
  std::optional<ResourceList> allocated_resources;
  bool has_resources = false;                      // resources != nil
  std::optional<ResourceList> resources_requests;  // resources.requests, absent when nil
};
struct PodStatus {
  std::string phase, nominated_node_name;
  std::vector<PodCondition> conditions;
  std::optional<TimeNs> start_time;
  std::vector<ContainerStatus> container_statuses, init_container_statuses;
  std::optional<ResourceList> allocated_resources;  // pod-level
  bool has_resources = false;
  std::optional<ResourceList> resources_requests;  // pod-level resources.requests
};
struct Pod {
  ObjectMeta metadata;
  PodSpec spec;
  PodStatus status;
};
// Whether it is over: it runs no more, and takes nothing.
inline bool IsTerminal(const Pod& pod) { return pod.status.phase == "Succeeded" || pod.status.phase == "Failed"; }

// ---- nodes ----

struct ContainerImage {
  std::vector<std::string> names;
  int64_t size_bytes = 0;
};
struct NodeCondition {
  std::string type, status;
};
struct Node {
  ObjectMeta metadata;
  struct Spec {
    bool unschedulable = false;
    std::vector<Taint> taints;
    std::string pod_preemption_policy;  // compared only: canonical JSON of spec.podPreemptionPolicy, empty when absent
  } spec;
  struct Status {
    ResourceList capacity, allocatable;  // allocatable defaulted from capacity where absent
    bool has_allocatable = false;        // it was not absent, maybe empty
    std::vector<NodeCondition> conditions;
    uint64_t conditions_hash = 0;  // of the conditions, once they are left out (state/kept_objects.h)
    std::vector<ContainerImage> images;
    std::vector<std::string> declared_features;
  } status;
  uint64_t annotations_hash = 0;  // of the annotations, once they are left out (state/kept_objects.h)
};

// ---- other kinds that scheduling reads ----

struct Namespace {
  ObjectMeta metadata;
};
struct PriorityClass {
  ObjectMeta metadata;
  int32_t value = 0;
  bool global_default = false;
  std::string preemption_policy;  // defaulted to PreemptLowerPriority
};
struct RuntimeClass {
  ObjectMeta metadata;
  std::string handler;
  std::optional<ResourceList> overhead;  // overhead.podFixed
  bool has_scheduling = false;
  StringMap node_selector;              // scheduling.nodeSelector
  std::vector<Toleration> tolerations;  // scheduling.tolerations
};
struct DeviceClass {
  ObjectMeta metadata;
  std::optional<std::string> extended_resource_name;
};

// A kind that scheduling reads and that no plugin here uses yet (ResourceClaim, ResourceSlice, ...).
struct OtherObject {
  std::string api_version, kind;
  ObjectMeta metadata;
};

}  // namespace ksched::api
