// What a pod's RuntimeClass adds to it: overhead, node selector, tolerations.
// Reference: plugin/pkg/admission/runtimeclass, v1.37.2.
#pragma once

#include <string_view>
#include <vector>

#include "api/types.h"
#include "base/result.h"

namespace ksched {

class RuntimeClassPlugin {
 public:
  void Put(api::RuntimeClass one);
  void Remove(std::string_view name);

  // Whether Complete may change a pod like this.
  static bool MayComplete(const api::PodSpec& spec);
  // Adds what the class says to a pod that has no node or no overhead. A class that is not there is ignored.
  Result<void> Complete(api::PodSpec& spec) const;
  // The same whatever the pod has; the class must be there. Errors are bare reasons.
  Result<void> Admit(api::PodSpec& spec) const;
  // Whether the overhead is the class's, at the end.
  Result<void> Check(const api::PodSpec& spec) const;

 private:
  const api::RuntimeClass* Find(const api::PodSpec& spec) const;  // null: none asked for, or not there

  std::vector<api::RuntimeClass> classes_;
};

}  // namespace ksched
