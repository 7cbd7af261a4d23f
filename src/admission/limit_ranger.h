// The LimitRanges of a namespace: defaults for containers, and bounds on containers, pods and claims.
// Reference: plugin/pkg/admission/limitranger, v1.37.2. Where the reference goes through a map or asks several
// LimitRanges in no particular order, the order here is that of the names.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/types.h"
#include "api/types_policy.h"
#include "base/result.h"

namespace ksched {

class LimitRanger {
 public:
  void Put(api::LimitRange one);  // gets the defaults of the API: limits from max, requests from limits and min
  void Remove(std::string_view ns, std::string_view name);

  // Adds what containers do not say, and the annotation that tells so.
  void Complete(api::Pod& pod) const;
  // The errors are bare reasons: all that one LimitRange has to say.
  Result<void> Check(const api::Pod& pod) const;
  Result<void> Check(const api::PersistentVolumeClaim& claim) const;

 private:
  std::span<const api::LimitRange> Of(const std::string& ns) const;

  std::map<std::string, std::vector<api::LimitRange>, std::less<>> ranges_;  // by namespace, then by name
};

}  // namespace ksched
