// For the tests of PodTopologySpread: constraints, arguments and objects in short.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/testing.h"

namespace ksched::testing_support {

using Constraint = api::TopologySpreadConstraint;

inline api::LabelSelector MatchLabels(const Pairs& labels) {
  api::LabelSelector selector;
  for (const auto& [key, value] : labels) selector.match_labels[key] = value;
  return selector;
}

// Of the pods with app=web.
inline Constraint Hard(std::string key, int32_t max_skew = 1) {
  Constraint constraint;
  constraint.topology_key = std::move(key);
  constraint.max_skew = max_skew;
  constraint.when_unsatisfiable = "DoNotSchedule";
  constraint.label_selector = MatchLabels({{"app", "web"}});
  return constraint;
}
inline Constraint Soft(std::string key, int32_t max_skew = 1) {
  Constraint constraint = Hard(std::move(key), max_skew);
  constraint.when_unsatisfiable = "ScheduleAnyway";
  return constraint;
}
// Without a selector.
inline Constraint Default(std::string key, std::string when) {
  Constraint constraint = Hard(std::move(key));
  constraint.when_unsatisfiable = std::move(when);
  constraint.label_selector.reset();
  return constraint;
}
inline Constraint MinDomains(Constraint constraint, int32_t domains) {
  return constraint.min_domains = domains, constraint;
}
inline Constraint AffinityPolicy(Constraint constraint, std::string policy) {
  return constraint.node_affinity_policy = std::move(policy), constraint;
}
inline Constraint TaintsPolicy(Constraint constraint, std::string policy) {
  return constraint.node_taints_policy = std::move(policy), constraint;
}
inline Constraint Selector(Constraint constraint, std::optional<api::LabelSelector> selector) {
  return constraint.label_selector = std::move(selector), constraint;
}
inline Constraint MatchKeys(Constraint constraint, std::vector<std::string> keys) {
  return constraint.match_label_keys = std::move(keys), constraint;
}

inline config::PluginArgs DefaultList(std::vector<Constraint> constraints) {
  return config::PodTopologySpreadArgs{std::move(constraints), "List"};
}
inline const config::PluginArgs kNoDefaults = config::PodTopologySpreadArgs{{}, "List"};
inline const config::PluginArgs kSystemDefaults = config::PodTopologySpreadArgs{{}, "System"};

inline api::Service ServiceOf(std::string name, const Pairs& selector) {
  api::Service service;
  service.metadata.ns = "default";
  service.metadata.name = std::move(name);
  service.selector = MatchLabels(selector).match_labels;
  return service;
}

}  // namespace ksched::testing_support
