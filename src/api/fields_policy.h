// Field tables of budgets, limits, quotas, autoscalers and services, and of what a snapshot says of itself.
#pragma once

#include "api/fields.h"
#include "api/fields_meta.h"
#include "api/types_policy.h"

namespace ksched::api {

struct DisruptionBudgetSpecPart {};
template <>
struct Fields<DisruptionBudgetSpecPart> {
  static constexpr auto kTable = std::tuple(Field{"selector", 2, At(&PodDisruptionBudget::selector)});
};
template <>
struct Fields<PodDisruptionBudget::Status> {
  using T = PodDisruptionBudget::Status;
  static constexpr auto kTable = std::tuple(Field{"disruptedPods", 2, AtTime(&T::disrupted_pods)},
                                            Field{"disruptionsAllowed", 3, At(&T::disruptions_allowed)});
};
template <>
struct Fields<PodDisruptionBudget> {
  using T = PodDisruptionBudget;
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&T::metadata)}, Field{"spec", 2, Part<DisruptionBudgetSpecPart>()},
                 Field{"status", 3, At(&T::status)});
};

template <>
struct Fields<LimitRangeItem> {
  using T = LimitRangeItem;
  static constexpr auto kTable =
      std::tuple(Field{"type", 1, At(&T::type)}, Field{"max", 2, At(&T::max)}, Field{"min", 3, At(&T::min)},
                 Field{"default", 4, At(&T::defaults)}, Field{"defaultRequest", 5, At(&T::default_requests)},
                 Field{"maxLimitRequestRatio", 6, At(&T::max_limit_request_ratio)});
};
struct LimitRangeSpecPart {};
template <>
struct Fields<LimitRangeSpecPart> {
  static constexpr auto kTable = std::tuple(Field{"limits", 1, At(&LimitRange::limits)});
};
template <>
struct Fields<LimitRange> {
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&LimitRange::metadata)}, Field{"spec", 2, Part<LimitRangeSpecPart>()});
};

template <>
struct Fields<ScopedResourceSelectorRequirement> {
  using T = ScopedResourceSelectorRequirement;
  static constexpr auto kTable = std::tuple(Field{"scopeName", 1, At(&T::scope_name)}, Field{"operator", 2, At(&T::op)},
                                            Field{"values", 3, At(&T::values)});
};
struct ScopeSelectorPart {};
template <>
struct Fields<ScopeSelectorPart> {
  static constexpr auto kTable = std::tuple(Field{"matchExpressions", 1, At(&ResourceQuota::Spec::scope_selector)});
};
template <>
struct Fields<ResourceQuota::Spec> {
  using T = ResourceQuota::Spec;
  static constexpr auto kTable = std::tuple(Field{"hard", 1, At(&T::hard)}, Field{"scopes", 2, At(&T::scopes)},
                                            Field{"scopeSelector", 3, Part<ScopeSelectorPart>()});
};
template <>
struct Fields<ResourceQuota::Status> {
  using T = ResourceQuota::Status;
  static constexpr auto kTable = std::tuple(Field{"hard", 1, At(&T::hard)}, Field{"used", 2, At(&T::used)});
};
template <>
struct Fields<ResourceQuota> {
  using T = ResourceQuota;
  static constexpr auto kTable = std::tuple(Field{"metadata", 1, At(&T::metadata)}, Field{"spec", 2, At(&T::spec)},
                                            Field{"status", 3, At(&T::status)});
};

// What autoscaling/v1 and v2 have in common, by the same numbers.
struct ScaleTargetPart {};
template <>
struct Fields<ScaleTargetPart> {
  using T = HorizontalPodAutoscaler;
  static constexpr auto kTable =
      std::tuple(Field{"kind", 1, At(&T::target_kind)}, Field{"name", 2, At(&T::target_name)},
                 Field{"apiVersion", 3, At(&T::target_api_version)});
};
struct AutoscalerSpecPart {};
template <>
struct Fields<AutoscalerSpecPart> {
  using T = HorizontalPodAutoscaler;
  static constexpr auto kTable =
      std::tuple(Field{"scaleTargetRef", 1, Part<ScaleTargetPart>()}, Field{"minReplicas", 2, At(&T::min_replicas)},
                 Field{"maxReplicas", 3, At(&T::max_replicas)});
};
template <>
struct Fields<HorizontalPodAutoscaler> {
  static constexpr auto kTable = std::tuple(Field{"metadata", 1, At(&HorizontalPodAutoscaler::metadata)},
                                            Field{"spec", 2, Part<AutoscalerSpecPart>()});
};

struct ServiceSpecPart {};
template <>
struct Fields<ServiceSpecPart> {
  static constexpr auto kTable = std::tuple(Field{"selector", 2, At(&Service::selector)});
};
template <>
struct Fields<Service> {
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&Service::metadata)}, Field{"spec", 2, Part<ServiceSpecPart>()});
};

// There is no protobuf of it; the numbers only tell the fields apart.
template <>
struct Fields<ClusterSnapshot::Absent> {
  using T = ClusterSnapshot::Absent;
  static constexpr auto kTable = std::tuple(Field{"kind", 1, At(&T::kind)}, Field{"resource", 2, At(&T::resource)},
                                            Field{"reason", 3, At(&T::reason)}, Field{"message", 4, At(&T::message)},
                                            Field{"namespaces", 5, At(&T::namespaces)});
};
template <>
struct Fields<ClusterSnapshot> {
  using T = ClusterSnapshot;
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&T::metadata)}, Field{"serverVersion", 2, At(&T::server_version)},
                 Field{"absent", 3, At(&T::absent)});
};

}  // namespace ksched::api
