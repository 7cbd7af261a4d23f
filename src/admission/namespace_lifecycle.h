// Nothing is created in a namespace that does not exist or is being terminated.
// Reference: apiserver pkg/admission/plugin/namespace/lifecycle, v0.37.2.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/types.h"
#include "base/result.h"

namespace ksched {

class NamespaceLifecycle {
 public:
  NamespaceLifecycle();  // with the namespaces that every cluster has: default and three of the system

  void Put(const api::Namespace& one);
  void Remove(std::string_view name);

  // For an object that is created; the error is the whole message. `resource`: plural, lower case.
  Result<void> Admit(std::string_view resource, const api::ObjectMeta& metadata) const;

 private:
  std::map<std::string, bool, std::less<>> terminating_;  // by name
};

}  // namespace ksched
