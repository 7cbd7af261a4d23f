// Taints and the tolerations that let pods ignore them. Reference: k8s.io/api/core/v1/toleration.go and
// k8s.io/component-helpers/scheduling/corev1/helpers.go, v0.37.2.
#pragma once

#include <span>
#include <string>

#include "api/types.h"

namespace ksched {

// `comparison_operators`: whether Lt and Gt count (the gate TaintTolerationComparisonOperators); if not, they tolerate
// nothing. An empty key or effect stands for every one.
bool Tolerates(const api::Toleration& toleration, const api::Taint& taint, bool comparison_operators);
bool AnyTolerates(std::span<const api::Toleration> tolerations, const api::Taint& taint, bool comparison_operators);

// Whether one of the taints with effect NoSchedule or NoExecute is not tolerated.
bool HasUntoleratedTaint(std::span<const api::Taint> taints, std::span<const api::Toleration> tolerations,
                         bool comparison_operators);

// What plugins that read tolerations sign of a pod.
void AppendSignedTolerations(std::span<const api::Toleration> tolerations, std::string& signature);

}  // namespace ksched
