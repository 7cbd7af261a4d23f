// Tolerations that admission adds.
#pragma once

#include <vector>

#include "api/types.h"

namespace ksched {

// Both lists in one, without those that another one covers. Reference: pkg/util/tolerations.MergeTolerations.
std::vector<api::Toleration> MergeTolerations(const std::vector<api::Toleration>& first,
                                              const std::vector<api::Toleration>& second);

// Nodes that are not ready or not reachable are tolerated for 300 seconds, unless the pod says anything about them.
// Reference: plugin/pkg/admission/defaulttolerationseconds, v1.37.2.
void AddDefaultTolerations(std::vector<api::Toleration>& tolerations);

}  // namespace ksched
