// What the API server's admission adds to pods: the priority of their class, and what their RuntimeClass says.
// Reference: plugin/pkg/admission/{priority,runtimeclass}, v1.37.2, as docs/report.md limits them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/types.h"
#include "base/result.h"

namespace ksched {

// Whether the pod is over: phase Succeeded or Failed.
bool IsTerminal(const api::Pod& pod);

class Admission {
 public:
  Admission();  // with system-node-critical and system-cluster-critical

  // Adds the class, or replaces the one of that name.
  void Put(api::PriorityClass priority_class);
  void Put(api::RuntimeClass runtime_class);
  void RemovePriorityClass(std::string_view name);
  void RemoveRuntimeClass(std::string_view name);

  // Whether Admit may change the pod, whatever classes there are. Of others it need not be asked.
  static bool MayChange(const api::Pod& pod);

  // Completes the pod. The error is the reference's text: an unknown class, or a pod that contradicts its class.
  Result<void> Admit(api::Pod& pod) const;

 private:
  Result<void> SetPriority(api::Pod& pod) const;
  Result<void> ApplyRuntimeClass(api::Pod& pod) const;

  std::vector<api::PriorityClass> priority_classes_;  // in the order in which they came
  std::vector<api::RuntimeClass> runtime_classes_;
};

// Both lists in one, without those that another one covers. Reference: pkg/util/tolerations.MergeTolerations.
std::vector<api::Toleration> MergeTolerations(const std::vector<api::Toleration>& first,
                                              const std::vector<api::Toleration>& second);

}  // namespace ksched
