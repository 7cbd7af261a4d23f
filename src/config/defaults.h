// Defaulting. Reference: pkg/scheduler/apis/config/v1/{defaults,default_plugins}.go, v1.37.2.
#pragma once

#include "config/feature_gates.h"
#include "config/types.h"

namespace ksched::config {

// The plugins of kube-scheduler, in its order: all of them in multiPoint, marked from_default.
Plugins DefaultPlugins(const FeatureGates& gates);

// The user's plugins over the default ones: a plugin named again replaces the default in its place, others follow.
Plugins MergePlugins(Plugins defaults, const Plugins& custom);

// Completes a decoded configuration.
void SetDefaults(SchedulerConfiguration& configuration, const FeatureGates& gates);

}  // namespace ksched::config
