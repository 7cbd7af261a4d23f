// The ResourceQuotas of a namespace: what is created must fit into all that are about it, and is charged to them.
// Reference: apiserver pkg/admission/plugin/resourcequota/controller.go, v0.37.2, without limited resources (a setting
// of the server that is empty by default). Several quotas are asked in the order of their names; in the reference, in
// any.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/types.h"
#include "api/types_policy.h"
#include "base/result.h"

namespace ksched {

// The quota as its controller would make it, had it seen the quota and none of what it counts: status.hard is what
// spec.hard says, nothing is used. Charge then what is there.
api::ResourceQuota WithFreshStatus(api::ResourceQuota quota);

class QuotaPlugin {
 public:
  void Put(api::ResourceQuota one);
  void Remove(std::string_view ns, std::string_view name);
  const api::ResourceQuota* Find(std::string_view ns, std::string_view name) const;  // null: there is none

  bool HasAny(std::string_view ns) const;  // whether anything that is created there is counted

  // Charges all quotas or none. The errors are bare reasons.
  Result<void> Admit(const api::Pod& pod);
  Result<void> Admit(const api::PersistentVolumeClaim& claim);

  void Charge(const api::Pod& pod);
  void Charge(const api::PersistentVolumeClaim& claim);
  void Release(const api::Pod& pod);
  void Release(const api::PersistentVolumeClaim& claim);

 private:
  std::vector<api::ResourceQuota>* Of(const std::string& ns);

  std::map<std::string, std::vector<api::ResourceQuota>, std::less<>> quotas_;  // by namespace, then by name
};

}  // namespace ksched
