// Field tables of pods: spec and status.
#pragma once

#include "api/fields.h"
#include "api/fields_meta.h"
#include "api/fields_storage.h"
#include "api/types.h"

namespace ksched::api {

template <>
struct Fields<PreferredSchedulingTerm> {
  static constexpr auto kTable = std::tuple(Field{"weight", 1, At(&PreferredSchedulingTerm::weight)},
                                            Field{"preference", 2, At(&PreferredSchedulingTerm::preference)});
};

template <>
struct Fields<NodeAffinity> {
  static constexpr auto kTable =
      std::tuple(Field{"requiredDuringSchedulingIgnoredDuringExecution", 1, At(&NodeAffinity::required)},
                 Field{"preferredDuringSchedulingIgnoredDuringExecution", 2, At(&NodeAffinity::preferred)});
};

template <>
struct Fields<PodAffinityTerm> {
  static constexpr auto kTable = std::tuple(Field{"labelSelector", 1, At(&PodAffinityTerm::label_selector)},
                                            Field{"namespaces", 2, At(&PodAffinityTerm::namespaces)},
                                            Field{"topologyKey", 3, At(&PodAffinityTerm::topology_key)},
                                            Field{"namespaceSelector", 4, At(&PodAffinityTerm::namespace_selector)},
                                            Field{"matchLabelKeys", 5, At(&PodAffinityTerm::match_label_keys)},
                                            Field{"mismatchLabelKeys", 6, At(&PodAffinityTerm::mismatch_label_keys)});
};

template <>
struct Fields<WeightedPodAffinityTerm> {
  static constexpr auto kTable = std::tuple(Field{"weight", 1, At(&WeightedPodAffinityTerm::weight)},
                                            Field{"podAffinityTerm", 2, At(&WeightedPodAffinityTerm::term)});
};

template <>
struct Fields<PodAffinity> {
  static constexpr auto kTable =
      std::tuple(Field{"requiredDuringSchedulingIgnoredDuringExecution", 1, At(&PodAffinity::required)},
                 Field{"preferredDuringSchedulingIgnoredDuringExecution", 2, At(&PodAffinity::preferred)});
};

template <>
struct Fields<Affinity> {
  static constexpr auto kTable = std::tuple(Field{"nodeAffinity", 1, At(&Affinity::node_affinity)},
                                            Field{"podAffinity", 2, At(&Affinity::pod_affinity)},
                                            Field{"podAntiAffinity", 3, At(&Affinity::pod_anti_affinity)});
};

template <>
struct Fields<TopologySpreadConstraint> {
  using T = TopologySpreadConstraint;
  static constexpr auto kTable = std::tuple(
      Field{"maxSkew", 1, At(&T::max_skew)}, Field{"topologyKey", 2, At(&T::topology_key)},
      Field{"whenUnsatisfiable", 3, At(&T::when_unsatisfiable)}, Field{"labelSelector", 4, At(&T::label_selector)},
      Field{"minDomains", 5, At(&T::min_domains)}, Field{"nodeAffinityPolicy", 6, At(&T::node_affinity_policy)},
      Field{"nodeTaintsPolicy", 7, At(&T::node_taints_policy)}, Field{"matchLabelKeys", 8, At(&T::match_label_keys)});
};

template <>
struct Fields<Toleration> {
  static constexpr auto kTable =
      std::tuple(Field{"key", 1, At(&Toleration::key)}, Field{"operator", 2, At(&Toleration::op)},
                 Field{"value", 3, At(&Toleration::value)}, Field{"effect", 4, At(&Toleration::effect)},
                 Field{"tolerationSeconds", 5, At(&Toleration::toleration_seconds)});
};

template <>
struct Fields<ResourceRequirements> {
  static constexpr auto kTable = std::tuple(Field{"limits", 1, At(&ResourceRequirements::limits)},
                                            Field{"requests", 2, At(&ResourceRequirements::requests)},
                                            Field{"claims", 3, AtNames(&ResourceRequirements::claims)});
};

template <>
struct Fields<ContainerPort> {
  static constexpr auto kTable =
      std::tuple(Field{"name", 1, At(&ContainerPort::name)}, Field{"hostPort", 2, At(&ContainerPort::host_port)},
                 Field{"containerPort", 3, At(&ContainerPort::container_port)},
                 Field{"protocol", 4, At(&ContainerPort::protocol)}, Field{"hostIP", 5, At(&ContainerPort::host_ip)});
};

template <>
struct Fields<ContainerRestartRule> {
  static constexpr auto kTable = std::tuple(Field{"action", 1, At(&ContainerRestartRule::action)});
};

template <>
struct Fields<VolumeMount> {
  static constexpr auto kTable = std::tuple(Field{"bindMountOptions", 8, At(&VolumeMount::bind_mount_options)});
};

template <>
struct Fields<Container> {
  static constexpr auto kTable =
      std::tuple(Field{"name", 1, At(&Container::name)}, Field{"image", 2, At(&Container::image)},
                 Field{"ports", 6, At(&Container::ports)}, Field{"resources", 8, At(&Container::resources)},
                 Field{"volumeMounts", 9, At(&Container::volume_mounts)},
                 Field{"restartPolicy", 24, At(&Container::restart_policy)},
                 Field{"restartPolicyRules", 25, At(&Container::restart_policy_rules)});
};

template <>
struct Fields<PodResourceClaim> {
  static constexpr auto kTable =
      std::tuple(Field{"name", 1, At(&PodResourceClaim::name)},
                 Field{"resourceClaimName", 3, At(&PodResourceClaim::resource_claim_name)},
                 Field{"resourceClaimTemplateName", 4, At(&PodResourceClaim::resource_claim_template_name)});
};

struct ClaimVolumePart {};
template <>
struct Fields<ClaimVolumePart> {
  static constexpr auto kTable =
      std::tuple(Field{"claimName", 1, At(&Volume::claim_name)}, Field{"readOnly", 2, At(&Volume::claim_read_only)});
};
struct EphemeralVolumePart {};
template <>
struct Fields<EphemeralVolumePart> {
  static constexpr auto kTable = std::tuple(Field{"volumeClaimTemplate", 1, At(&Volume::ephemeral)});
};
template <>
struct Fields<ImageVolume> {
  static constexpr auto kTable = std::tuple(Field{"reference", 1, At(&ImageVolume::reference)});
};
template <>
struct Fields<Volume> {
  static constexpr int kSource = 2;
  static constexpr auto kTable =
      std::tuple_cat(std::tuple(Field{"name", 1, At(&Volume::name)},
                                Field{"persistentVolumeClaim", 10, Part<ClaimVolumePart>(), kSource},
                                Field{"ephemeral", 29, Part<EphemeralVolumePart>(), kSource},
                                Field{"image", 30, At(&Volume::image), kSource}),
                     PodVolumeSourceFields(&Volume::source, kSource));
};

template <>
struct Fields<PodSpec> {
  static constexpr auto kTable = std::tuple(
      Field{"volumes", 1, At(&PodSpec::volumes)}, Field{"containers", 2, At(&PodSpec::containers)},
      Field{"restartPolicy", 3, At(&PodSpec::restart_policy)},
      Field{"terminationGracePeriodSeconds", 4, At(&PodSpec::termination_grace_period_seconds)},
      Field{"activeDeadlineSeconds", 5, At(&PodSpec::active_deadline_seconds)},
      Field{"nodeSelector", 7, At(&PodSpec::node_selector)}, Field{"nodeName", 10, At(&PodSpec::node_name)},
      Field{"hostNetwork", 11, At(&PodSpec::host_network)}, Field{"affinity", 18, At(&PodSpec::affinity)},
      Field{"schedulerName", 19, At(&PodSpec::scheduler_name)},
      Field{"initContainers", 20, At(&PodSpec::init_containers)}, Field{"tolerations", 22, At(&PodSpec::tolerations)},
      Field{"priorityClassName", 24, At(&PodSpec::priority_class_name)}, Field{"priority", 25, At(&PodSpec::priority)},
      Field{"runtimeClassName", 29, At(&PodSpec::runtime_class_name)},
      Field{"preemptionPolicy", 31, At(&PodSpec::preemption_policy)}, Field{"overhead", 32, At(&PodSpec::overhead)},
      Field{"topologySpreadConstraints", 33, At(&PodSpec::topology_spread_constraints)},
      Field{"hostUsers", 37, At(&PodSpec::host_users)},
      Field{"schedulingGates", 38, AtNames(&PodSpec::scheduling_gates)},
      Field{"resourceClaims", 39, At(&PodSpec::resource_claims)}, Field{"resources", 40, At(&PodSpec::resources)},
      Field{"schedulingGroup", 43, AtPresence(&PodSpec::has_scheduling_group)});
};

template <>
struct Fields<PodCondition> {
  static constexpr auto kTable =
      std::tuple(Field{"type", 1, At(&PodCondition::type)}, Field{"status", 2, At(&PodCondition::status)},
                 Field{"lastTransitionTime", 4, AtTime(&PodCondition::last_transition_time)},
                 Field{"reason", 5, At(&PodCondition::reason)}, Field{"message", 6, At(&PodCondition::message)});
};

// Of resources in a status only that they are there and the requests.
struct ContainerStatusResourcesPart {};
template <>
struct Fields<ContainerStatusResourcesPart> {
  static constexpr auto kTable = std::tuple(Field{"requests", 2, At(&ContainerStatus::resources_requests)});
};
template <>
struct Fields<ContainerStatus> {
  static constexpr auto kTable = std::tuple(
      Field{"name", 1, At(&ContainerStatus::name)}, Field{"restartCount", 5, At(&ContainerStatus::restart_count)},
      Field{"allocatedResources", 10, At(&ContainerStatus::allocated_resources)},
      Field{"resources", 11, Part<ContainerStatusResourcesPart>(&ContainerStatus::has_resources)});
};

struct PodStatusResourcesPart {};
template <>
struct Fields<PodStatusResourcesPart> {
  static constexpr auto kTable = std::tuple(Field{"requests", 2, At(&PodStatus::resources_requests)});
};
template <>
struct Fields<PodStatus> {
  static constexpr auto kTable =
      std::tuple(Field{"phase", 1, At(&PodStatus::phase)}, Field{"conditions", 2, At(&PodStatus::conditions)},
                 Field{"startTime", 7, AtTime(&PodStatus::start_time)},
                 Field{"containerStatuses", 8, At(&PodStatus::container_statuses)},
                 Field{"initContainerStatuses", 10, At(&PodStatus::init_container_statuses)},
                 Field{"nominatedNodeName", 11, At(&PodStatus::nominated_node_name)},
                 Field{"allocatedResources", 19, At(&PodStatus::allocated_resources)},
                 Field{"resources", 20, Part<PodStatusResourcesPart>(&PodStatus::has_resources)});
};

template <>
struct Fields<Pod> {
  static constexpr auto kTable = std::tuple(Field{"metadata", 1, At(&Pod::metadata)}, Field{"spec", 2, At(&Pod::spec)},
                                            Field{"status", 3, At(&Pod::status)});
};

}  // namespace ksched::api
