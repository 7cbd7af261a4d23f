// Requests and limits. Reference: validateResourceRequirements and validatePodResources.
#include <algorithm>

#include "api/field_errors.h"
#include "api/validation_parts.h"

namespace ksched::api {
namespace {

using NameRule = void (*)(const std::string& name, const FieldPath& path, const Validation& v);

// False if something was wrong.
bool ValidateResourceName(const std::string& name, const FieldPath& path, const Validation& v) {
  if (!IsLabelKey(name)) {
    v.AddInvalid(path, name, CheckLabelKey(name));
    return false;
  }
  if (name.find('/') == std::string::npos && !IsStandardResource(name)) {
    v.reporter.Add(path, Invalid(name, "must be a standard resource type or fully qualified"));
    return false;
  }
  return true;
}

void ValidateContainerResourceName(const std::string& name, const FieldPath& path, const Validation& v) {
  if (!ValidateResourceName(name, path, v)) return;
  if (name.find('/') == std::string::npos) {
    if (!IsStandardContainerResource(name)) {
      v.reporter.Add(path, Invalid(name, "must be a standard resource for containers"));
    }
  } else if (!IsNativeResource(name) && !IsExtendedResource(name)) {
    v.reporter.Add(path, Invalid(name, "doesn't follow extended resource name standard"));
  }
}

void ValidatePodResourceName(const std::string& name, const FieldPath& path, const Validation& v) {
  if (!ValidateResourceName(name, path, v)) return;
  if (!IsPodLevelResource(name)) v.reporter.Add(path, NotSupported(name, {"cpu", "hugepages-", "memory"}));
}

void ValidateHugePages(const std::string& name, const Quantity& quantity, const FieldPath& path, const Validation& v) {
  if (!IsHugePageResource(name)) return;
  const Result<Quantity> page = Quantity::Parse(std::string_view(name).substr(sizeof("hugepages-") - 1));
  const bool whole_page = page.ok() && page->nano() > 0 && page->MilliValue() % 1000 == 0 && page->Value() != 0;
  if (whole_page && quantity.Value() % page->Value() == 0) return;
  v.reporter.Add(path,
                 Invalid(quantity.ToString(), quantity.ToString() + " is not positive integer multiple of " + name));
}

void ValidateAmount(const std::string& name, const Quantity& quantity, const FieldPath& path, NameRule name_rule,
                    const Validation& v) {
  name_rule(name, path, v);
  ValidateQuantity(name, quantity, path, v);
  ValidateHugePages(name, quantity, path, v);
}

void ValidateRequestAgainstLimit(const std::string& name, const Quantity& request, const ResourceList& limits,
                                 const FieldPath& path, const Validation& v) {
  const FieldPath requests = path.Child("requests");
  const auto limit = limits.find(name);
  if (limit == limits.end()) {
    if (!IsOvercommitAllowed(name)) {
      v.reporter.Add(path.Child("limits"), requests.Key(name),
                     Required("Limit must be set for non overcommitable resources"));
    }
    return;
  }
  const std::string of_limit = name + " limit of " + limit->second.ToString();
  if (request != limit->second && !IsOvercommitAllowed(name)) {
    v.reporter.Add(requests, requests.Key(name), Invalid(request.ToString(), "must be equal to " + of_limit));
  } else if (request > limit->second) {
    v.reporter.Add(requests, requests.Key(name),
                   Invalid(request.ToString(), "must be less than or equal to " + of_limit));
  }
}

template <typename Predicate>
bool HasResource(const ResourceRequirements& resources, const Predicate& predicate) {
  const auto matches = [&](const auto& entry) { return predicate(entry.first); };
  return std::any_of(resources.limits.begin(), resources.limits.end(), matches) ||
         std::any_of(resources.requests.begin(), resources.requests.end(), matches);
}

void ValidateResources(const ResourceRequirements& resources, const FieldPath& path, NameRule name_rule,
                       const Validation& v) {
  const FieldPath limits = path.Child("limits"), requests = path.Child("requests");
  for (const auto& [name, limit] : resources.limits) ValidateAmount(name, limit, limits.Key(name), name_rule, v);
  for (const auto& [name, request] : resources.requests) {
    // A request that defaulting took from the limit has been judged with it.
    const auto limit = resources.limits.find(name);
    if (limit != resources.limits.end() && limit->second == request) continue;
    ValidateAmount(name, request, requests.Key(name), name_rule, v);
    ValidateRequestAgainstLimit(name, request, resources.limits, path, v);
  }
  const bool huge_pages = HasResource(resources, [](const std::string& name) { return IsHugePageResource(name); });
  const bool compute =
      HasResource(resources, [](const std::string& name) { return name == "cpu" || name == "memory"; });
  if (huge_pages && !compute) v.reporter.Add(path, Forbidden("HugePages require cpu or memory"));
}

void ValidateClaimNames(const std::vector<std::string>& names, const std::vector<PodResourceClaim>& claims,
                        const FieldPath& path, const Validation& v) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) {
      v.reporter.Add(path.Index(i), Required());
      continue;
    }
    const bool known = std::any_of(claims.begin(), claims.end(),
                                   [&](const PodResourceClaim& claim) { return claim.name == names[i]; });
    if (known) continue;
    std::string detail = "must be one of the names in pod.spec.resourceClaims";
    if (claims.empty()) detail += " which is empty";
    for (size_t c = 0; c < claims.size(); ++c) detail += (c == 0 ? ": " : ", ") + claims[c].name;
    v.reporter.Add(path.Index(i), "Not found: " + Quote(names[i]) + ": " + detail);
  }
}

void Add(ResourceList& sum, const ResourceList& other) {
  for (const auto& [name, quantity] : other) sum[name] += quantity;
}

void Max(ResourceList& most, const ResourceList& other) {
  for (const auto& [name, quantity] : other) {
    auto [entry, added] = most.emplace(name, quantity);
    if (!added && entry->second < quantity) entry->second = quantity;
  }
}

// What the containers need together: the running ones at once, the init containers one after the other beside the
// sidecars that are up by then.
ResourceList Aggregate(const PodSpec& spec, ResourceList ResourceRequirements::*list) {
  ResourceList total, sidecars, peak;
  for (const Container& container : spec.containers) Add(total, container.resources.*list);
  for (const Container& container : spec.init_containers) {
    if (container.restart_policy == "Always") {
      Add(sidecars, container.resources.*list);
      Max(peak, sidecars);
    } else {
      ResourceList now = sidecars;
      Add(now, container.resources.*list);
      Max(peak, now);
    }
  }
  Add(total, sidecars);
  Max(total, peak);
  return total;
}

// Container limits are at most those of the pod.
void ValidateContainersFit(const PodSpec& spec, const FieldPath& path, const Validation& v) {
  const FieldPath containers = path.Child("containers");
  for (size_t i = 0; i < spec.containers.size(); ++i) {
    for (const auto& [name, limit] : spec.containers[i].resources.limits) {
      const auto pod_limit = spec.resources->limits.find(name);
      if (pod_limit == spec.resources->limits.end() || limit <= pod_limit->second) continue;
      const FieldPath container = containers.Index(i);
      const FieldPath key = container.Key(name);  // the reference's path, odd as it is
      v.reporter.Add(
          key.Child("limits"), path,
          Invalid(limit.ToString(), "must be less than or equal to pod limits of " + pod_limit->second.ToString()));
    }
  }
}

}  // namespace

void ValidateQuantity(std::string_view resource, const Quantity& quantity, const FieldPath& path, const Validation& v) {
  if (quantity.IsNegative()) v.reporter.Add(path, Invalid(quantity.ToString(), kNegative));
  if (IsIntegerResource(resource) && quantity.MilliValue() % 1000 != 0) {
    v.reporter.Add(path, Invalid(quantity.ToString(), "must be an integer"));
  }
}

void ValidateContainerResources(const ResourceRequirements& resources, const std::vector<PodResourceClaim>& claims,
                                const FieldPath& path, const Validation& v) {
  ValidateResources(resources, path, &ValidateContainerResourceName, v);
  ValidateClaimNames(resources.claims, claims, path.Child("claims"), v);
}

void ValidateOverhead(const std::optional<ResourceList>& overhead, const FieldPath& path, const Validation& v) {
  if (!overhead) return;
  // The API judges it as limits; it stands in the object without that word.
  for (const auto& [name, quantity] : *overhead) {
    ValidateAmount(name, quantity, path.Key(name), &ValidateContainerResourceName, v);
  }
}

void ValidatePodLevelResources(const PodSpec& spec, const FieldPath& spec_path, const Validation& v) {
  if (!spec.resources) return;
  const FieldPath path = spec_path.Child("resources");
  if (!spec.resources->claims.empty()) {
    v.reporter.Add(path.Child("claims"), Forbidden("claims may not be set for Resources at pod-level"));
  }
  ValidateResources(*spec.resources, path, &ValidatePodResourceName, v);

  const FieldPath requests = path.Child("requests"), limits = path.Child("limits");
  for (const auto& [name, needed] : Aggregate(spec, &ResourceRequirements::requests)) {
    const auto request = spec.resources->requests.find(name);
    if (request == spec.resources->requests.end() || needed <= request->second) continue;
    v.reporter.Add(requests.Key(name),
                   Invalid(request->second.ToString(),
                           "must be greater than or equal to aggregate container requests of " + needed.ToString()));
  }
  for (const auto& [name, needed] : Aggregate(spec, &ResourceRequirements::limits)) {
    const auto limit = spec.resources->limits.find(name);
    if (!IsHugePageResource(name) || limit == spec.resources->limits.end() || needed <= limit->second) continue;
    v.reporter.Add(limits.Key(name),
                   Invalid(limit->second.ToString(),
                           "must be greater than or equal to aggregate container limits of " + needed.ToString()));
  }
  ValidateContainersFit(spec, path, v);
}

}  // namespace ksched::api
