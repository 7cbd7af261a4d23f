#include "preemption/budgets.h"

#include "api/label_selector.h"

namespace ksched {
namespace {

// A budget without a selector, or with an empty one, means no pod.
bool Means(const api::PodDisruptionBudget& budget, const PodClass& pod_class) {
  if (budget.metadata.ns != pod_class.ns || !budget.selector) return false;
  return !api::MatchesEverything(*budget.selector) && api::Matches(*budget.selector, pod_class.labels);
}

}  // namespace

void DisruptionBudgets::Refresh(const ObjectTable<api::PodDisruptionBudget>& table) {
  if (fresh_ && version_ == table.version()) return;
  fresh_ = true;
  version_ = table.version();
  matching_.clear();
  budgets_.clear();
  for (const auto& [key, budget] : table.all()) budgets_.push_back(budget);
}

const std::vector<uint32_t>& DisruptionBudgets::BudgetsOf(const PodClass& pod_class) {
  Matching& matching = matching_[pod_class.id];
  if (matching.serial == pod_class.serial) return matching.budgets;
  matching.serial = pod_class.serial;
  matching.budgets.clear();
  if (pod_class.labels.empty()) return matching.budgets;
  for (uint32_t i = 0; i < budgets_.size(); ++i) {
    if (Means(*budgets_[i], pod_class)) matching.budgets.push_back(i);
  }
  return matching.budgets;
}

void DisruptionBudgets::FindViolations(std::span<PodInfo* const> victims, std::vector<bool>& violates) {
  violates.assign(victims.size(), false);
  if (budgets_.empty()) return;
  allowed_.clear();
  for (const auto& budget : budgets_) allowed_.push_back(budget->status.disruptions_allowed);
  for (size_t i = 0; i < victims.size(); ++i) {
    for (const uint32_t budget : BudgetsOf(*victims[i]->pod_class)) {
      // The API server has counted it already.
      if (budgets_[budget]->status.disrupted_pods.contains(victims[i]->name())) continue;
      if (--allowed_[budget] >= 0) continue;
      violates[i] = true;
      break;
    }
  }
}

}  // namespace ksched
