// Validation of a defaulted configuration. Reference: pkg/scheduler/apis/config/validation, v1.37.2, with its texts and
// in its order.
#pragma once

#include "config/feature_gates.h"
#include "config/field_error.h"
#include "config/types.h"

namespace ksched::config {

FieldErrors ValidateConfiguration(const SchedulerConfiguration& configuration, const FeatureGates& gates);

// Of one plugin's arguments; those of NodeResourcesFit included, which the reference checks only when it creates the
// plugin (see ExpandProfile).
FieldErrors ValidatePluginArgs(const PluginArgs& args, const api::FieldPath& path, const FeatureGates& gates);
FieldErrors ValidateNodeResourcesFitArgs(const NodeResourcesFitArgs& args, const api::FieldPath& path);

// Nothing is wrong when it is absent.
FieldErrors ValidatePercentageOfNodesToScore(const std::optional<int32_t>& percentage, const api::FieldPath& path);

}  // namespace ksched::config
