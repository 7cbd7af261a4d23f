// Field tables of metadata and selectors.
#pragma once

#include "api/fields.h"
#include "api/types.h"

namespace ksched::api {

template <>
struct Fields<OwnerReference> {
  static constexpr auto kTable =
      std::tuple(Field{"kind", 1, At(&OwnerReference::kind)}, Field{"name", 3, At(&OwnerReference::name)},
                 Field{"uid", 4, At(&OwnerReference::uid)}, Field{"apiVersion", 5, At(&OwnerReference::api_version)},
                 Field{"controller", 6, At(&OwnerReference::controller)});
};

template <>
struct Fields<ObjectMeta> {
  static constexpr auto kTable =
      std::tuple(Field{"name", 1, At(&ObjectMeta::name)}, Field{"generateName", 2, At(&ObjectMeta::generate_name)},
                 Field{"namespace", 3, At(&ObjectMeta::ns)}, Field{"uid", 5, At(&ObjectMeta::uid)},
                 Field{"resourceVersion", 6, At(&ObjectMeta::resource_version)},
                 Field{"generation", 7, At(&ObjectMeta::generation)},
                 Field{"creationTimestamp", 8, AtTime(&ObjectMeta::creation_timestamp)},
                 Field{"deletionTimestamp", 9, AtTime(&ObjectMeta::deletion_timestamp)},
                 Field{"deletionGracePeriodSeconds", 10, At(&ObjectMeta::deletion_grace_period_seconds)},
                 Field{"labels", 11, At(&ObjectMeta::labels)}, Field{"annotations", 12, At(&ObjectMeta::annotations)},
                 Field{"ownerReferences", 13, At(&ObjectMeta::owner_references)});
};

template <>
struct Fields<LabelSelectorRequirement> {
  static constexpr auto kTable = std::tuple(Field{"key", 1, At(&LabelSelectorRequirement::key)},
                                            Field{"operator", 2, At(&LabelSelectorRequirement::op)},
                                            Field{"values", 3, At(&LabelSelectorRequirement::values)});
};

template <>
struct Fields<LabelSelector> {
  static constexpr auto kTable = std::tuple(Field{"matchLabels", 1, At(&LabelSelector::match_labels)},
                                            Field{"matchExpressions", 2, At(&LabelSelector::match_expressions)});
};

template <>
struct Fields<NodeSelectorRequirement> {
  static constexpr auto kTable = std::tuple(Field{"key", 1, At(&NodeSelectorRequirement::key)},
                                            Field{"operator", 2, At(&NodeSelectorRequirement::op)},
                                            Field{"values", 3, At(&NodeSelectorRequirement::values)});
};

template <>
struct Fields<NodeSelectorTerm> {
  static constexpr auto kTable = std::tuple(Field{"matchExpressions", 1, At(&NodeSelectorTerm::match_expressions)},
                                            Field{"matchFields", 2, At(&NodeSelectorTerm::match_fields)});
};

template <>
struct Fields<NodeSelector> {
  static constexpr auto kTable = std::tuple(Field{"nodeSelectorTerms", 1, At(&NodeSelector::terms)});
};

}  // namespace ksched::api
