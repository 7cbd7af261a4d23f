// Which events may make a pod schedulable that VolumeBinding has rejected.
#pragma once

#include <vector>

#include "framework/cluster_event.h"

namespace ksched {

std::vector<ClusterEventWithHint> VolumeBindingEvents();

}  // namespace ksched
