#include "plugins/pod_topology_spread/spread_constraint.h"

#include <algorithm>

#include "api/label_selector.h"
#include "plugins/pod_topology_spread/default_selector.h"

namespace ksched {
namespace {

bool HasAction(const api::TopologySpreadConstraint& constraint, SpreadAction action) {
  return constraint.when_unsatisfiable == (action == SpreadAction::kHard ? "DoNotSchedule" : "ScheduleAnyway");
}

// Only pods that have the same value of these labels. The API server has put them into the selector already, unless
// the pod is older than that; no selector stays none.
void MergeLabelKeys(const std::vector<std::string>& keys, const api::StringMap& labels,
                    std::optional<api::LabelSelector>& selector) {
  if (!selector) return;
  for (const std::string& key : keys) {
    const auto label = labels.find(key);
    if (label == labels.end()) continue;
    api::LabelSelectorRequirement own{key, "In", {label->second}};
    if (std::ranges::find(selector->match_expressions, own) == selector->match_expressions.end()) {
      selector->match_expressions.push_back(std::move(own));
    }
  }
}

SpreadConstraint Read(const api::TopologySpreadConstraint& from, const PodClass& pod, bool match_label_keys) {
  SpreadConstraint constraint;
  constraint.max_skew = from.max_skew;
  constraint.min_domains = from.min_domains.value_or(1);
  constraint.topology_key = from.topology_key;
  constraint.is_hostname = from.topology_key == kHostnameLabel;
  constraint.selector = from.label_selector;
  if (match_label_keys) MergeLabelKeys(from.match_label_keys, pod.labels, constraint.selector);
  constraint.honors_affinity = from.node_affinity_policy.empty() || from.node_affinity_policy == "Honor";
  constraint.honors_taints = from.node_taints_policy == "Honor";
  return constraint;
}

}  // namespace

bool SpreadConstraint::Means(const api::StringMap& labels) const { return api::Matches(selector, labels); }

std::vector<api::TopologySpreadConstraint> SystemDefaultConstraints() {
  std::vector<api::TopologySpreadConstraint> constraints(2);
  constraints[0].topology_key = kHostnameLabel;
  constraints[0].max_skew = 3;
  constraints[1].topology_key = "topology.kubernetes.io/zone";
  constraints[1].max_skew = 5;
  for (auto& constraint : constraints) constraint.when_unsatisfiable = "ScheduleAnyway";
  return constraints;
}

bool HasAction(const std::vector<api::TopologySpreadConstraint>& constraints, SpreadAction action) {
  return std::ranges::any_of(constraints, [action](const auto& one) { return HasAction(one, action); });
}

std::vector<SpreadConstraint> ConstraintsOf(const PodClass& pod, SpreadAction action, const SpreadDefaults& defaults,
                                            ClusterState& state) {
  const auto& own = pod.spec.topology_spread_constraints;
  std::vector<SpreadConstraint> constraints;
  api::LabelSelector by_default;
  if (own.empty()) {
    by_default = DefaultSelector(pod, state.objects());
    if (api::MatchesEverything(by_default)) return constraints;
  }
  for (const api::TopologySpreadConstraint& one : own.empty() ? defaults.constraints : own) {
    if (HasAction(one, action)) constraints.push_back(Read(one, pod, defaults.match_label_keys));
  }
  for (SpreadConstraint& constraint : constraints) {
    if (own.empty()) constraint.selector = by_default;
    constraint.key = state.UseTopologyKey(constraint.topology_key);
    if (!constraint.selector || api::MatchesEverything(*constraint.selector)) continue;
    constraint.group =
        state.UseSelectorGroup({PodSelector{{pod.ns}, std::nullopt, constraint.selector}}, /*skip_terminating=*/true);
  }
  return constraints;
}

}  // namespace ksched
