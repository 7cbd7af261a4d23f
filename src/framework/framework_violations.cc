// Framework: all that speaks against one node.

#include <algorithm>
#include <utility>

#include "framework/framework.h"

namespace ksched {

std::vector<Status> Framework::Violations(CycleState& cycle, const PodInfo& pod, const NodeView& node) const {
  std::vector<Status> found;
  const auto add = [&](Status status) {
    // The same may be said of the pod and of the node.
    const auto same = [&](const Status& one) { return one.plugin() == status.plugin(); };
    if (std::none_of(found.begin(), found.end(), same)) found.push_back(std::move(status));
  };
  for (const auto& entry : pre_filters_) {
    PreFilterResult result;
    const Status status = entry.plugin->PreFilter(cycle, pod, result);
    if (status.ok()) {
      cycle.pre_filtered.Insert(entry.id);
      if (entry.plugin->extensions() != nullptr) cycle.extended.Insert(entry.id);
      continue;
    }
    cycle.skip_filter.Insert(entry.id);
    if (!status.IsSkip()) add(FailureOf("running PreFilter plugin", entry.id, status));
  }
  for (const auto& entry : filters_) {
    if (cycle.skip_filter.Has(entry.id)) continue;
    Status status = RunFilterPlugin(entry, cycle, pod, node);
    if (!status.ok()) add(std::move(status));
  }
  return found;
}

}  // namespace ksched
