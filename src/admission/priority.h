// A pod's priority and preemption policy, from its PriorityClass or the default one.
// Reference: plugin/pkg/admission/priority, v1.37.2.
#pragma once

#include <string_view>
#include <vector>

#include "api/types.h"
#include "base/result.h"

namespace ksched {

class PriorityPlugin {
 public:
  PriorityPlugin();  // with system-node-critical and system-cluster-critical

  void Put(api::PriorityClass one);
  void Remove(std::string_view name);

  // As long as spec.priority is absent, sets what is missing.
  Result<void> Complete(api::PodSpec& spec) const;
  // Sets all; what the pod says itself must be the same. Errors are bare reasons.
  Result<void> Admit(api::PodSpec& spec) const;

 private:
  // The class by name, or the default one; null if there is no default.
  Result<const api::PriorityClass*> Choose(const api::PodSpec& spec) const;

  std::vector<api::PriorityClass> classes_;  // in the order in which they came
};

}  // namespace ksched
