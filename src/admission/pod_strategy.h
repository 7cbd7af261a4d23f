// What the API server itself makes of a pod that is created, between the plugins that change it and those that check:
// the status starts anew, matchLabelKeys become part of selectors, pod-level resources are completed.
// Reference: pkg/registry/core/pod/strategy.go (PrepareForCreate) and pkg/api/pod/util.go (DefaultPodLevelResources),
// v1.37.2, with the feature gates at their defaults.
#pragma once

#include "api/types.h"

namespace ksched {

void PreparePodForCreate(api::Pod& pod);

}  // namespace ksched
