// What a LimitRange has against a pod or a claim. Reference: plugin/pkg/admission/limitranger, v1.37.2.
#pragma once

#include <string>
#include <vector>

#include "api/types.h"
#include "api/types_policy.h"

namespace ksched {

// In the API server's words, maybe the same more than once.
std::vector<std::string> LimitProblems(const api::LimitRange& range, const api::PodSpec& spec);
std::vector<std::string> LimitProblems(const api::LimitRange& range, const api::ClaimSpec& claim);

}  // namespace ksched
