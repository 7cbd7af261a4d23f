// Builders for tests of admission.
#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "api/defaults.h"
#include "api/types.h"
#include "api/types_policy.h"

namespace ksched::testing_admission {

// "cpu=500m memory=1Gi".
inline api::ResourceList Resources(const std::string& text) {
  api::ResourceList list;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    auto quantity = api::Quantity::Parse(word.substr(equals + 1));
    list[word.substr(0, equals)] = quantity.ok() ? *quantity : api::Quantity::FromUnits(-999999);
  }
  return list;
}

inline api::Container MakeContainer(const std::string& name, const std::string& requests,
                                    const std::string& limits = "", const std::string& restart_policy = "") {
  api::Container one;
  one.name = name;
  one.image = "i";
  one.restart_policy = restart_policy;
  one.resources.requests = Resources(requests);
  one.resources.limits = Resources(limits);
  return one;
}

// default/NAME with one container, "c".
inline api::Pod MakePod(const std::string& name, const std::string& requests = "", const std::string& limits = "") {
  api::Pod pod;
  pod.metadata.name = name;
  pod.metadata.ns = "default";
  api::SetPodDefaults(pod.spec);
  pod.spec.containers = {MakeContainer("c", requests, limits)};
  return pod;
}

inline api::PersistentVolumeClaim MakeClaim(const std::string& name, const std::string& requests) {
  api::PersistentVolumeClaim claim;
  claim.metadata.name = name;
  claim.metadata.ns = "default";
  claim.spec.requests = Resources(requests);
  return claim;
}

inline api::LimitRange MakeLimitRange(const std::string& name, std::vector<api::LimitRangeItem> items) {
  api::LimitRange range;
  range.metadata.name = name;
  range.metadata.ns = "default";
  range.limits = std::move(items);
  return range;
}

inline api::ResourceQuota MakeQuota(const std::string& name, const std::string& hard, const std::string& used) {
  api::ResourceQuota quota;
  quota.metadata.name = name;
  quota.metadata.ns = "default";
  quota.spec.hard = quota.status.hard = Resources(hard);
  quota.status.used = Resources(used);
  return quota;
}

// What went wrong; empty if nothing did.
template <typename T>
std::string ErrorOf(const T& result) {
  return result.ok() ? "" : result.error().message;
}

}  // namespace ksched::testing_admission
