// What a pod or a claim counts for in quotas, and which quotas count it.
// Reference: pkg/quota/v1/evaluator/core/{pods,persistent_volume_claims}.go, v1.37.2. Not counted: what a pod asks of
// dynamic resource allocation by claims.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/types.h"
#include "api/types_policy.h"
#include "base/result.h"

namespace ksched {

// By the resources of quotas. A pod that is over counts as an object only. Pods being deleted count until they are gone
// (in the reference, until their grace period has passed).
api::ResourceList QuotaUsage(const api::Pod& pod);
api::ResourceList QuotaUsage(const api::PersistentVolumeClaim& claim);

// Whether pods, or claims, count for this resource of a quota.
bool IsPodQuotaResource(std::string_view resource);
bool IsClaimQuotaResource(std::string_view resource);

// What each container must say, since one of `resources`, all of a quota, is about it. The error is the bare reason.
Result<void> CheckQuotaConstraints(const std::vector<std::string>& resources, const api::PodSpec& spec);

// Whether all scopes of the quota match. The error is one of a selector that the API server would not have stored.
Result<bool> MatchesQuotaScopes(const api::ResourceQuota& quota, const api::Pod& pod);
Result<bool> MatchesQuotaScopes(const api::ResourceQuota& quota, const api::PersistentVolumeClaim& claim);

}  // namespace ksched
