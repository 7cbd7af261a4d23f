#include "admission/quota.h"

#include <algorithm>
#include <utility>

#include "admission/messages.h"
#include "admission/named_objects.h"
#include "admission/quota_usage.h"
#include "admission/resource_lists.h"

namespace ksched {
namespace {

using api::Quantity;
using api::ResourceList;
using api::ResourceQuota;

bool IsQuotaResource(const api::Pod&, std::string_view resource) { return IsPodQuotaResource(resource); }
bool IsQuotaResource(const api::PersistentVolumeClaim&, std::string_view resource) {
  return IsClaimQuotaResource(resource);
}
Result<void> CheckConstraints(const std::vector<std::string>& resources, const api::Pod& pod) {
  return CheckQuotaConstraints(resources, pod.spec);
}
Result<void> CheckConstraints(const std::vector<std::string>&, const api::PersistentVolumeClaim&) { return {}; }

// What the quota limits that objects of this kind count for, by name.
template <typename T>
std::vector<std::string> RestrictedResources(const ResourceQuota& quota, const T& object) {
  std::vector<std::string> resources;
  for (const auto& [name, quantity] : quota.status.hard) {
    if (IsQuotaResource(object, name)) resources.push_back(name);
  }
  return resources;
}

std::string Text(const ResourceList& list) {
  std::vector<std::string> parts;
  for (const auto& [name, quantity] : list) parts.push_back(name + "=" + quantity.ToString());
  return Join(parts, ",");
}

// Whether the quota is about the object; if so, it must be possible to tell what the object would use of it.
template <typename T>
Result<bool> IsPertinent(const ResourceQuota& quota, const T& object) {
  const auto matches = MatchesQuotaScopes(quota, object);
  if (!matches) return matches.error();
  const std::vector<std::string> resources = RestrictedResources(quota, object);
  if (!*matches || resources.empty()) return false;
  if (auto done = CheckConstraints(resources, object); !done) {
    return Error{"failed quota: " + quota.metadata.name + ": " + done.error().message};
  }
  const auto is_known = [&](const std::string& name) { return quota.status.used.contains(name); };
  if (!std::ranges::all_of(resources, is_known)) {
    return Error{"status unknown for quota: " + quota.metadata.name + ", resources: " + Join(resources, ",")};
  }
  return true;
}

// What of the usage the quota limits. What is zero changes nothing.
ResourceList Requested(const ResourceQuota& quota, const ResourceList& usage) {
  ResourceList requested;
  for (const auto& [name, quantity] : usage) {
    if (!quantity.IsZero() && quota.status.hard.contains(name)) requested.emplace(name, quantity);
  }
  return requested;
}

Result<void> CheckFits(const ResourceQuota& quota, const ResourceList& requested) {
  ResourceList over, used, limited;
  for (const auto& [name, quantity] : requested) {
    const Quantity before = AmountOf(quota.status.used, name), hard = AmountOf(quota.status.hard, name);
    if (Sum(before, quantity) <= hard) continue;
    over.emplace(name, quantity);
    limited.emplace(name, hard);
    if (quota.status.used.contains(name)) used.emplace(name, before);
  }
  if (over.empty()) return {};
  return Error{"exceeded quota: " + quota.metadata.name + ", requested: " + Text(over) + ", used: " + Text(used) +
               ", limited: " + Text(limited)};
}

Result<void> CheckNotNegative(const ResourceList& usage) {
  std::vector<std::string> negative;
  for (const auto& [name, quantity] : usage) {
    if (quantity.IsNegative()) negative.push_back(name);
  }
  if (negative.empty()) return {};
  return Error{"quota usage is negative for resource(s): " + Join(negative, ",")};
}

template <typename T>
Result<void> AdmitTo(std::vector<ResourceQuota>& quotas, const T& object) {
  std::vector<ResourceQuota*> pertinent;
  for (ResourceQuota& quota : quotas) {
    const auto is_pertinent = IsPertinent(quota, object);
    if (!is_pertinent) return is_pertinent.error();
    if (*is_pertinent) pertinent.push_back(&quota);
  }
  const ResourceList usage = QuotaUsage(object);
  if (auto done = CheckNotNegative(usage); !done) return done;
  for (const ResourceQuota* quota : pertinent) {
    if (auto done = CheckFits(*quota, Requested(*quota, usage)); !done) return done;
  }
  for (ResourceQuota* quota : pertinent) AddTo(quota->status.used, Requested(*quota, usage));
  return {};
}

// A quota of which it cannot be told whether it is about the object is left alone.
template <typename T, typename Change>
void ForEachCharged(std::vector<ResourceQuota>& quotas, const T& object, const Change& change) {
  const ResourceList usage = QuotaUsage(object);
  for (ResourceQuota& quota : quotas) {
    const auto matches = MatchesQuotaScopes(quota, object);
    if (!matches || !*matches) continue;
    for (const auto& [name, quantity] : Requested(quota, usage)) change(quota.status.used[name], quantity);
  }
}

void Give(Quantity& used, Quantity quantity) { used = Sum(used, quantity); }
void Take(Quantity& used, Quantity quantity) {
  used -= quantity;
  if (used.IsNegative()) used = Quantity();
}

}  // namespace

ResourceQuota WithFreshStatus(ResourceQuota quota) {
  quota.status.hard = quota.spec.hard;
  quota.status.used.clear();
  for (const auto& [name, quantity] : quota.spec.hard) quota.status.used.emplace(name, Quantity());
  return quota;
}

void QuotaPlugin::Put(ResourceQuota one) {
  auto& of_namespace = quotas_[one.metadata.ns];  // before it is moved from
  PutSorted(of_namespace, std::move(one));
}

void QuotaPlugin::Remove(std::string_view ns, std::string_view name) {
  if (const auto found = quotas_.find(ns); found != quotas_.end()) RemoveByName(found->second, name);
}

bool QuotaPlugin::HasAny(std::string_view ns) const {
  const auto found = quotas_.find(ns);
  return found != quotas_.end() && !found->second.empty();
}

const ResourceQuota* QuotaPlugin::Find(std::string_view ns, std::string_view name) const {
  const auto of_namespace = quotas_.find(ns);
  if (of_namespace == quotas_.end()) return nullptr;
  const auto found = FindByName(of_namespace->second, name);
  return found == of_namespace->second.end() ? nullptr : &*found;
}

std::vector<ResourceQuota>* QuotaPlugin::Of(const std::string& ns) {
  const auto found = quotas_.find(ns);
  return found == quotas_.end() || found->second.empty() ? nullptr : &found->second;
}

Result<void> QuotaPlugin::Admit(const api::Pod& pod) {
  auto* quotas = Of(pod.metadata.ns);
  return quotas == nullptr ? Result<void>() : AdmitTo(*quotas, pod);
}
Result<void> QuotaPlugin::Admit(const api::PersistentVolumeClaim& claim) {
  auto* quotas = Of(claim.metadata.ns);
  return quotas == nullptr ? Result<void>() : AdmitTo(*quotas, claim);
}
void QuotaPlugin::Charge(const api::Pod& pod) {
  if (auto* quotas = Of(pod.metadata.ns)) ForEachCharged(*quotas, pod, Give);
}
void QuotaPlugin::Charge(const api::PersistentVolumeClaim& claim) {
  if (auto* quotas = Of(claim.metadata.ns)) ForEachCharged(*quotas, claim, Give);
}
void QuotaPlugin::Release(const api::Pod& pod) {
  if (auto* quotas = Of(pod.metadata.ns)) ForEachCharged(*quotas, pod, Take);
}
void QuotaPlugin::Release(const api::PersistentVolumeClaim& claim) {
  if (auto* quotas = Of(claim.metadata.ns)) ForEachCharged(*quotas, claim, Take);
}

}  // namespace ksched
