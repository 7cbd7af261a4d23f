// One topology spread constraint of a pod, or one that the profile gives to pods without any, ready for counting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/types.h"
#include "state/cluster_state.h"

namespace ksched {

inline constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";

enum class SpreadAction : uint8_t { kHard, kSoft };  // DoNotSchedule, ScheduleAnyway

struct SpreadConstraint {
  int32_t max_skew = 0, min_domains = 1;
  std::string topology_key;
  TopologyKeyId key = 0;
  bool is_hostname = false;
  // With matchLabelKeys in it. Absent: it means no pod.
  std::optional<api::LabelSelector> selector;
  bool honors_affinity = true, honors_taints = false;
  // Counts the pods of the namespace; absent: none are counted. That is so too for an empty selector, though it means
  // every pod.
  std::optional<SelectorGroupId> group;

  // Of a pod in the namespace of the pod with the constraint.
  bool Means(const api::StringMap& labels) const;
};

// What the profile says about constraints.
struct SpreadDefaults {
  std::vector<api::TopologySpreadConstraint> constraints;  // of pods that have none
  bool system = false;                                     // they are kube-scheduler's own
  bool match_label_keys = true;                            // the gate MatchLabelKeysInPodTopologySpread
};
// Arguments `System` stand for these.
std::vector<api::TopologySpreadConstraint> SystemDefaultConstraints();

// Those of the pod with this action; without any of its own the default ones, if there is something to spread by. Takes
// keys and selectors into use.
std::vector<SpreadConstraint> ConstraintsOf(const PodClass& pod, SpreadAction action, const SpreadDefaults& defaults,
                                            ClusterState& state);
// Whether any constraint of the list has this action.
bool HasAction(const std::vector<api::TopologySpreadConstraint>& constraints, SpreadAction action);

}  // namespace ksched
