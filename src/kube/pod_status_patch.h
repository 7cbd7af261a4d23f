// What a change of a pod's status is as a strategic merge patch: the same that kube-scheduler's PatchPodStatus sends
// (pkg/scheduler/util, with podutil.UpdatePodCondition before it, v1.37.2), from what the scheduler keeps of the
// status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace ksched::kube {

struct PodCondition {
  std::string type, status, reason, message;
  std::optional<int64_t> observed_generation;  // of a condition that is to be set: nothing or 0: none
};

// The status as the server has it, as far as it matters and is known.
struct KnownPodStatus {
  // The types of all conditions, in their order: new ones come behind them. What is missing here comes behind, too.
  std::vector<std::string> condition_types;
  // The condition of the type that is to be set; nothing: the pod has none. observed_generation: nothing: not known.
  std::optional<PodCondition> condition;
  bool condition_probed = false;  // it has a lastProbeTime
  std::string nominated_node;
};

struct PodStatusChange {
  std::optional<PodCondition> condition;
  std::optional<std::string> nominated_node;  // "": there is to be none
};

// The patch; nothing if the status says all that already. A condition whose status stays keeps its lastTransitionTime;
// else that is `now`. It never has a lastProbeTime.
// With a uid it is for that pod only, whatever has its name by then.
std::optional<std::string> PodStatusPatch(const KnownPodStatus& known, const PodStatusChange& change, TimeNs now,
                                          std::string_view uid = {});

}  // namespace ksched::kube
