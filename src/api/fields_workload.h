// Field tables of what makes pods. Their specs differ, so each kind has a table; all are stored in a Workload. The
// protobuf numbers are the same in all versions of a kind.
#pragma once

#include "api/fields.h"
#include "api/fields_meta.h"
#include "api/fields_pod.h"
#include "api/fields_storage.h"
#include "api/types_workload.h"

namespace ksched::api {

template <>
struct Fields<PodTemplateSpec> {
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&PodTemplateSpec::metadata)}, Field{"spec", 2, At(&PodTemplateSpec::spec)});
};

// strategy of a Deployment, updateStrategy of a DaemonSet.
struct RollingUpdatePart {};
template <>
struct Fields<RollingUpdatePart> {
  static constexpr auto kTable = std::tuple(Field{"maxUnavailable", 1, At(&Workload::max_unavailable)},
                                            Field{"maxSurge", 2, At(&Workload::max_surge)});
};
struct StrategyPart {};
template <>
struct Fields<StrategyPart> {
  static constexpr auto kTable =
      std::tuple(Field{"type", 1, At(&Workload::strategy)},
                 Field{"rollingUpdate", 2, Part<RollingUpdatePart>(&Workload::has_rolling_update)});
};

struct DeploymentSpecPart {};
template <>
struct Fields<DeploymentSpecPart> {
  using T = Workload;
  static constexpr auto kTable =
      std::tuple(Field{"replicas", 1, At(&T::replicas, &T::replicas_given)}, Field{"selector", 2, At(&T::selector)},
                 Field{"template", 3, At(&T::pod_template)}, Field{"strategy", 4, Part<StrategyPart>()},
                 Field{"minReadySeconds", 5, At(&T::min_ready_seconds)}, Field{"paused", 7, At(&T::paused)});
};
struct DeploymentStatusPart {};
template <>
struct Fields<DeploymentStatusPart> {
  using T = Workload::Status;
  static constexpr auto kTable =
      std::tuple(Field{"observedGeneration", 1, At(&T::observed_generation)}, Field{"replicas", 2, At(&T::replicas)});
};

struct ReplicaSetSpecPart {};
template <>
struct Fields<ReplicaSetSpecPart> {
  using T = Workload;
  static constexpr auto kTable =
      std::tuple(Field{"replicas", 1, At(&T::replicas, &T::replicas_given)}, Field{"selector", 2, At(&T::selector)},
                 Field{"template", 3, At(&T::pod_template)}, Field{"minReadySeconds", 4, At(&T::min_ready_seconds)});
};
struct ReplicationControllerSpecPart {};
template <>
struct Fields<ReplicationControllerSpecPart> {
  using T = Workload;
  static constexpr auto kTable = std::tuple(
      Field{"replicas", 1, At(&T::replicas, &T::replicas_given)}, Field{"selector", 2, AtMatchLabels(&T::selector)},
      Field{"template", 3, At(&T::pod_template)}, Field{"minReadySeconds", 4, At(&T::min_ready_seconds)});
};
struct ReplicaSetStatusPart {};  // and of a ReplicationController
template <>
struct Fields<ReplicaSetStatusPart> {
  using T = Workload::Status;
  static constexpr auto kTable =
      std::tuple(Field{"replicas", 1, At(&T::replicas)}, Field{"observedGeneration", 3, At(&T::observed_generation)});
};

struct StatefulSetOrdinalsPart {};
template <>
struct Fields<StatefulSetOrdinalsPart> {
  static constexpr auto kTable = std::tuple(Field{"start", 1, At(&Workload::ordinals_start)});
};
struct StatefulSetRollingUpdatePart {};
template <>
struct Fields<StatefulSetRollingUpdatePart> {
  static constexpr auto kTable = std::tuple(Field{"partition", 1, At(&Workload::partition)},
                                            Field{"maxUnavailable", 2, At(&Workload::max_unavailable)});
};
struct StatefulSetStrategyPart {};
template <>
struct Fields<StatefulSetStrategyPart> {
  static constexpr auto kTable =
      std::tuple(Field{"type", 1, At(&Workload::strategy)},
                 Field{"rollingUpdate", 2, Part<StatefulSetRollingUpdatePart>(&Workload::has_rolling_update)});
};
struct ClaimRetentionPart {};
template <>
struct Fields<ClaimRetentionPart> {
  static constexpr auto kTable = std::tuple(Field{"whenDeleted", 1, At(&Workload::claims_when_deleted)},
                                            Field{"whenScaled", 2, At(&Workload::claims_when_scaled)});
};
struct StatefulSetSpecPart {};
template <>
struct Fields<StatefulSetSpecPart> {
  using T = Workload;
  static constexpr auto kTable = std::tuple(
      Field{"replicas", 1, At(&T::replicas, &T::replicas_given)}, Field{"selector", 2, At(&T::selector)},
      Field{"template", 3, At(&T::pod_template)}, Field{"volumeClaimTemplates", 4, At(&T::claim_templates)},
      Field{"serviceName", 5, At(&T::service_name)}, Field{"podManagementPolicy", 6, At(&T::pod_management_policy)},
      Field{"updateStrategy", 7, Part<StatefulSetStrategyPart>()},
      Field{"minReadySeconds", 9, At(&T::min_ready_seconds)},
      Field{"persistentVolumeClaimRetentionPolicy", 10, Part<ClaimRetentionPart>()},
      Field{"ordinals", 11, Part<StatefulSetOrdinalsPart>()});
};
struct StatefulSetStatusPart {};
template <>
struct Fields<StatefulSetStatusPart> {
  using T = Workload::Status;
  static constexpr auto kTable = std::tuple(
      Field{"observedGeneration", 1, At(&T::observed_generation)}, Field{"replicas", 2, At(&T::replicas)},
      Field{"currentRevision", 6, At(&T::current_revision)}, Field{"updateRevision", 7, At(&T::update_revision)});
};

struct DaemonSetSpecPart {};
template <>
struct Fields<DaemonSetSpecPart> {
  using T = Workload;
  static constexpr auto kTable = std::tuple(
      Field{"selector", 1, At(&T::selector)}, Field{"template", 2, At(&T::pod_template)},
      Field{"updateStrategy", 3, Part<StrategyPart>()}, Field{"minReadySeconds", 4, At(&T::min_ready_seconds)});
};
struct DaemonSetStatusPart {};
template <>
struct Fields<DaemonSetStatusPart> {
  static constexpr auto kTable = std::tuple(Field{"observedGeneration", 5, At(&Workload::Status::observed_generation)});
};

struct JobSpecPart {};
template <>
struct Fields<JobSpecPart> {
  using T = Workload;
  static constexpr auto kTable =
      std::tuple(Field{"parallelism", 1, At(&T::parallelism)}, Field{"completions", 2, At(&T::completions)},
                 Field{"selector", 4, At(&T::selector)}, Field{"manualSelector", 5, At(&T::manual_selector)},
                 Field{"template", 6, At(&T::pod_template)}, Field{"completionMode", 9, At(&T::completion_mode)},
                 Field{"suspend", 10, At(&T::suspend)});
};
struct JobStatusPart {};
template <>
struct Fields<JobStatusPart> {
  using T = Workload::Status;
  static constexpr auto kTable =
      std::tuple(Field{"active", 4, At(&T::active)}, Field{"succeeded", 5, At(&T::succeeded)},
                 Field{"failed", 6, At(&T::failed)}, Field{"completedIndexes", 7, At(&T::completed_indexes)});
};

// spec.jobTemplate.spec: a Job's, but its suspend has a place of its own.
struct JobTemplateSpecPart {};
template <>
struct Fields<JobTemplateSpecPart> {
  using T = Workload;
  static constexpr auto kTable =
      std::tuple(Field{"parallelism", 1, At(&T::parallelism)}, Field{"completions", 2, At(&T::completions)},
                 Field{"selector", 4, At(&T::selector)}, Field{"manualSelector", 5, At(&T::manual_selector)},
                 Field{"template", 6, At(&T::pod_template)}, Field{"completionMode", 9, At(&T::completion_mode)},
                 Field{"suspend", 10, At(&T::job_suspend)});
};
struct JobTemplatePart {};
template <>
struct Fields<JobTemplatePart> {
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&Workload::job_metadata)}, Field{"spec", 2, Part<JobTemplateSpecPart>()});
};
struct CronJobSpecPart {};
template <>
struct Fields<CronJobSpecPart> {
  using T = Workload;
  static constexpr auto kTable =
      std::tuple(Field{"schedule", 1, At(&T::schedule)}, Field{"suspend", 4, At(&T::suspend)},
                 Field{"jobTemplate", 5, Part<JobTemplatePart>()});
};

// The whole object, by its spec and status: Fields<WorkloadKind<JobSpecPart, JobStatusPart>>.
template <typename SpecPart, typename StatusPart = void>
struct WorkloadKind {};
template <typename SpecPart, typename StatusPart>
struct Fields<WorkloadKind<SpecPart, StatusPart>> {
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&Workload::metadata)}, Field{"spec", 2, Part<SpecPart>()},
                 Field{"status", 3, AtTable<StatusPart>(&Workload::status)});
};
template <typename SpecPart>
struct Fields<WorkloadKind<SpecPart, void>> {
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&Workload::metadata)}, Field{"spec", 2, Part<SpecPart>()});
};

// A PodTemplate has its template at the top.
struct PodTemplateTable {};
template <>
struct Fields<PodTemplateTable> {
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&Workload::metadata)}, Field{"template", 2, At(&Workload::pod_template)});
};

}  // namespace ksched::api
