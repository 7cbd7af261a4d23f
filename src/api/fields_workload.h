// Field tables of what makes pods. Their specs differ, so each kind has a table; all are stored in a Workload. The
// protobuf numbers are the same in all versions of a kind.
#pragma once

#include "api/fields.h"
#include "api/fields_meta.h"
#include "api/fields_pod.h"
#include "api/types_workload.h"

namespace ksched::api {

template <>
struct Fields<PodTemplateSpec> {
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&PodTemplateSpec::metadata)}, Field{"spec", 2, At(&PodTemplateSpec::spec)});
};

struct DeploymentSpecPart {};
template <>
struct Fields<DeploymentSpecPart> {
  static constexpr auto kTable =
      std::tuple(Field{"replicas", 1, At(&Workload::replicas, &Workload::replicas_given)},
                 Field{"selector", 2, At(&Workload::selector)}, Field{"template", 3, At(&Workload::pod_template)});
};

struct ReplicaSetSpecPart {};
template <>
struct Fields<ReplicaSetSpecPart> {
  static constexpr auto kTable =
      std::tuple(Field{"replicas", 1, At(&Workload::replicas, &Workload::replicas_given)},
                 Field{"selector", 2, At(&Workload::selector)}, Field{"template", 3, At(&Workload::pod_template)});
};

struct ReplicationControllerSpecPart {};
template <>
struct Fields<ReplicationControllerSpecPart> {
  static constexpr auto kTable = std::tuple(Field{"replicas", 1, At(&Workload::replicas, &Workload::replicas_given)},
                                            Field{"selector", 2, AtMatchLabels(&Workload::selector)},
                                            Field{"template", 3, At(&Workload::pod_template)});
};

struct StatefulSetOrdinalsPart {};
template <>
struct Fields<StatefulSetOrdinalsPart> {
  static constexpr auto kTable = std::tuple(Field{"start", 1, At(&Workload::ordinals_start)});
};
struct StatefulSetSpecPart {};
template <>
struct Fields<StatefulSetSpecPart> {
  static constexpr auto kTable =
      std::tuple(Field{"replicas", 1, At(&Workload::replicas, &Workload::replicas_given)},
                 Field{"selector", 2, At(&Workload::selector)}, Field{"template", 3, At(&Workload::pod_template)},
                 Field{"ordinals", 11, Part<StatefulSetOrdinalsPart>()});
};

struct JobSpecPart {};
template <>
struct Fields<JobSpecPart> {
  static constexpr auto kTable = std::tuple(
      Field{"parallelism", 1, At(&Workload::parallelism)}, Field{"completions", 2, At(&Workload::completions)},
      Field{"selector", 4, At(&Workload::selector)}, Field{"manualSelector", 5, At(&Workload::manual_selector)},
      Field{"template", 6, At(&Workload::pod_template)}, Field{"completionMode", 9, At(&Workload::completion_mode)},
      Field{"suspend", 10, At(&Workload::suspend)});
};

// The whole object, by its spec: Fields<WorkloadKind<JobSpecPart>>.
template <typename SpecPart>
struct WorkloadKind {};
template <typename SpecPart>
struct Fields<WorkloadKind<SpecPart>> {
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&Workload::metadata)}, Field{"spec", 2, Part<SpecPart>()});
};

}  // namespace ksched::api
