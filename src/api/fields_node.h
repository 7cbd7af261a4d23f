// Field tables of nodes, and of the small kinds: namespaces and classes.
#pragma once

#include "api/fields.h"
#include "api/fields_meta.h"
#include "api/fields_pod.h"
#include "api/types.h"

namespace ksched::api {

template <>
struct Fields<Taint> {
  static constexpr auto kTable = std::tuple(Field{"key", 1, At(&Taint::key)}, Field{"value", 2, At(&Taint::value)},
                                            Field{"effect", 3, At(&Taint::effect)});
};

struct PodPreemptionPolicy {
  std::vector<std::string> disable_resize_preemption;
};
template <>
struct Fields<PodPreemptionPolicy> {
  static constexpr auto kTable =
      std::tuple(Field{"disableResizePreemption", 1, At(&PodPreemptionPolicy::disable_resize_preemption)});
};

template <>
struct Fields<Node::Spec> {
  static constexpr auto kTable =
      std::tuple(Field{"unschedulable", 4, At(&Node::Spec::unschedulable)}, Field{"taints", 5, At(&Node::Spec::taints)},
                 Field{"podPreemptionPolicy", 8, AtText<PodPreemptionPolicy>(&Node::Spec::pod_preemption_policy)});
};

template <>
struct Fields<NodeCondition> {
  static constexpr auto kTable =
      std::tuple(Field{"type", 1, At(&NodeCondition::type)}, Field{"status", 2, At(&NodeCondition::status)});
};

template <>
struct Fields<ContainerImage> {
  static constexpr auto kTable =
      std::tuple(Field{"names", 1, At(&ContainerImage::names)}, Field{"sizeBytes", 2, At(&ContainerImage::size_bytes)});
};

template <>
struct Fields<Node::Status> {
  static constexpr auto kTable =
      std::tuple(Field{"capacity", 1, At(&Node::Status::capacity)},
                 Field{"allocatable", 2, At(&Node::Status::allocatable, &Node::Status::has_allocatable)},
                 Field{"conditions", 4, At(&Node::Status::conditions)}, Field{"images", 8, At(&Node::Status::images)},
                 Field{"declaredFeatures", 14, At(&Node::Status::declared_features)});
};

template <>
struct Fields<Node> {
  static constexpr auto kTable = std::tuple(Field{"metadata", 1, At(&Node::metadata)},
                                            Field{"spec", 2, At(&Node::spec)}, Field{"status", 3, At(&Node::status)});
};

template <>
struct Fields<Namespace> {
  static constexpr auto kTable = std::tuple(Field{"metadata", 1, At(&Namespace::metadata)});
};

template <>
struct Fields<PriorityClass> {
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&PriorityClass::metadata)}, Field{"value", 2, At(&PriorityClass::value)},
                 Field{"globalDefault", 3, At(&PriorityClass::global_default)},
                 Field{"preemptionPolicy", 5, At(&PriorityClass::preemption_policy)});
};

struct RuntimeClassOverheadPart {};
template <>
struct Fields<RuntimeClassOverheadPart> {
  static constexpr auto kTable = std::tuple(Field{"podFixed", 1, At(&RuntimeClass::overhead)});
};
struct RuntimeClassSchedulingPart {};
template <>
struct Fields<RuntimeClassSchedulingPart> {
  static constexpr auto kTable = std::tuple(Field{"nodeSelector", 1, At(&RuntimeClass::node_selector)},
                                            Field{"tolerations", 2, At(&RuntimeClass::tolerations)});
};
template <>
struct Fields<RuntimeClass> {
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&RuntimeClass::metadata)}, Field{"handler", 2, At(&RuntimeClass::handler)},
                 Field{"overhead", 3, Part<RuntimeClassOverheadPart>()},
                 Field{"scheduling", 4, Part<RuntimeClassSchedulingPart>(&RuntimeClass::has_scheduling)});
};

struct DeviceClassSpecPart {};
template <>
struct Fields<DeviceClassSpecPart> {
  static constexpr auto kTable = std::tuple(Field{"extendedResourceName", 4, At(&DeviceClass::extended_resource_name)});
};
template <>
struct Fields<DeviceClass> {
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&DeviceClass::metadata)}, Field{"spec", 2, Part<DeviceClassSpecPart>()});
};

template <>
struct Fields<OtherObject> {
  static constexpr auto kTable = std::tuple(Field{"metadata", 1, At(&OtherObject::metadata)});
};

}  // namespace ksched::api
