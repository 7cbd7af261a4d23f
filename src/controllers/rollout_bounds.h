// maxSurge and maxUnavailable as numbers of pods. Reference: apimachinery pkg/util/intstr, deployment_util.go.
#pragma once

#include "api/types_meta.h"
#include "base/result.h"

namespace ksched::controllers {

// A share is one of `total`, rounded up or down. Fails for a text that is no percentage.
Result<int32_t> ScaledValue(const api::IntOrString& value, int32_t total, bool round_up);

struct RolloutBounds {
  int32_t max_surge = 0, max_unavailable = 0;
};
// Of a Deployment with so many replicas wanted. A surge is rounded up, what may be unavailable down; if both come to 0,
// one may be unavailable, or nothing would ever move.
Result<RolloutBounds> ResolveBounds(const std::optional<api::IntOrString>& max_surge,
                                    const std::optional<api::IntOrString>& max_unavailable, int32_t replicas);

}  // namespace ksched::controllers
