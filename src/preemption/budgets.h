// DisruptionBudgets: which of several victims a PodDisruptionBudget does not want to lose.
// Reference: FilterVictimsWithPDBViolation in pkg/scheduler/framework/preemption/util.go, v1.37.2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "state/cluster_objects.h"
#include "state/pod_store.h"

namespace ksched {

class DisruptionBudgets {
 public:
  // Takes the budgets as they are now. Cheap as long as none has changed.
  void Refresh(const ObjectTable<api::PodDisruptionBudget>& table);
  // Says for each victim, in this order, whether evicting it, after those before it, violates a budget. Every budget
  // that means the pod is charged until one has nothing left.
  void FindViolations(std::span<PodInfo* const> victims, std::vector<bool>& violates);

 private:
  const std::vector<uint32_t>& BudgetsOf(const PodClass& pod_class);

  uint64_t version_ = 0;
  bool fresh_ = false;
  std::vector<ObjectTable<api::PodDisruptionBudget>::Pointer> budgets_;  // by namespace and name
  struct Matching {
    uint64_t serial = 0;  // of the class
    std::vector<uint32_t> budgets;
  };
  boost::unordered_flat_map<uint32_t, Matching> matching_;  // by PodClass::id
  std::vector<int64_t> allowed_;  // wider than the API's number, from which every victim takes one
};

}  // namespace ksched
