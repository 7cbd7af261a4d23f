#include "admission/quota_usage.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "admission/messages.h"
#include "admission/resource_lists.h"
#include "api/names.h"

namespace ksched {
namespace {

using api::Quantity;
using api::ResourceList;

constexpr std::string_view kClassSuffix = ".storageclass.storage.k8s.io/";
constexpr std::string_view kRequestsPrefix = "requests.", kHugePagesPrefix = "hugepages-";
constexpr std::string_view kDeviceClassPrefix = "deviceclass.resource.kubernetes.io/";
constexpr const char* kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

constexpr std::string_view kPodResources[] = {"count/pods",
                                              "cpu",
                                              "memory",
                                              "ephemeral-storage",
                                              "requests.cpu",
                                              "requests.memory",
                                              "requests.ephemeral-storage",
                                              "limits.cpu",
                                              "limits.memory",
                                              "limits.ephemeral-storage",
                                              "pods"};
// A quota on one of these makes it a must for every container. It holds for no other resource.
constexpr std::string_view kConstrained[] = {"cpu",    "limits.cpu",   "limits.memory",
                                             "memory", "requests.cpu", "requests.memory"};
constexpr std::string_view kMeasured[] = {"cpu", "memory", "ephemeral-storage"};

template <size_t kSize>
bool IsOneOf(std::string_view name, const std::string_view (&names)[kSize]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::string Join(std::string_view prefix, std::string_view name) { return std::string(prefix) + std::string(name); }

// With both names that quotas have for a request.
ResourceList ComputeUsage(const ResourceList& requests, const ResourceList& limits) {
  ResourceList usage;
  usage["pods"] = Quantity::FromUnits(1);
  for (const auto& [name, quantity] : requests) {
    const bool both = IsOneOf(name, kMeasured) || name.starts_with(kHugePagesPrefix);
    if (both) usage[name] = quantity;
    if (both || api::IsExtendedResource(name) || name.starts_with(kDeviceClassPrefix)) {
      usage[Join(kRequestsPrefix, name)] = quantity;
    }
  }
  for (const auto& [name, quantity] : limits) {
    if (IsOneOf(name, kMeasured)) usage[Join("limits.", name)] = quantity;
  }
  return usage;
}

std::string ClassOf(const api::PersistentVolumeClaim& claim) {
  const auto annotation = claim.metadata.annotations.find(kClassAnnotation);
  if (annotation != claim.metadata.annotations.end()) return annotation->second;
  return claim.spec.storage_class_name.value_or("");
}

// Quotas want whole bytes.
Quantity RoundUpToUnits(Quantity quantity) {
  constexpr int64_t kNanoPerUnit = 1'000'000'000;
  const auto rest = quantity.nano() % kNanoPerUnit;
  if (rest == 0) return quantity;
  return Quantity::FromNano(quantity.nano() + (rest > 0 ? kNanoPerUnit - rest : -kNanoPerUnit - rest),
                            quantity.format());
}

}  // namespace

ResourceList QuotaUsage(const api::Pod& pod) {
  ResourceList usage;
  if (pod.status.phase != "Failed" && pod.status.phase != "Succeeded") {
    usage = ComputeUsage(TotalRequests(pod.spec), TotalLimits(pod.spec));
  }
  usage["count/pods"] = Quantity::FromUnits(1);
  return usage;
}

ResourceList QuotaUsage(const api::PersistentVolumeClaim& claim) {
  ResourceList usage;
  const std::string by_class = ClassOf(claim).empty() ? "" : Join(ClassOf(claim), kClassSuffix);
  const auto count = [&](const std::string& resource, Quantity quantity) {
    usage[resource] = quantity;
    if (!by_class.empty()) usage[by_class + resource] = quantity;
  };
  count("persistentvolumeclaims", Quantity::FromUnits(1));
  usage["count/persistentvolumeclaims"] = Quantity::FromUnits(1);
  const auto storage = claim.spec.requests.find("storage");
  if (storage != claim.spec.requests.end()) count("requests.storage", RoundUpToUnits(storage->second));
  return usage;
}

bool IsPodQuotaResource(std::string_view resource) {
  if (IsOneOf(resource, kPodResources) || resource.starts_with(kHugePagesPrefix)) return true;
  if (!resource.starts_with(kRequestsPrefix)) return false;
  const std::string_view of = resource.substr(kRequestsPrefix.size());
  return of.starts_with(kHugePagesPrefix) || of.starts_with(kDeviceClassPrefix) || !api::IsNativeResource(resource);
}

bool IsClaimQuotaResource(std::string_view resource) {
  for (const std::string_view one : {"persistentvolumeclaims", "requests.storage"}) {
    if (resource == one || resource.ends_with(Join(kClassSuffix, one))) return true;
  }
  return resource == "count/persistentvolumeclaims";
}

Result<void> CheckQuotaConstraints(const std::vector<std::string>& resources, const api::PodSpec& spec) {
  if (HasPodLevelResources(spec)) return {};
  std::map<std::string, std::set<std::string>> missing;  // names of containers by resource
  for (const auto* containers : {&spec.containers, &spec.init_containers}) {
    for (const api::Container& one : *containers) {
      const ResourceList usage = ComputeUsage(one.resources.requests, one.resources.limits);
      for (const std::string& resource : resources) {
        if (IsOneOf(resource, kConstrained) && !usage.contains(resource)) missing[resource].insert(one.name);
      }
    }
  }
  if (missing.empty()) return {};
  std::vector<std::string> parts;
  parts.reserve(missing.size());
  for (const auto& [resource, names] : missing) {
    parts.push_back(resource + " for: " + ksched::Join({names.begin(), names.end()}, ","));
  }
  return Error{"must specify " + ksched::Join(parts, "; ")};
}

}  // namespace ksched
