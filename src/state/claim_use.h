// ClaimUse: how many pods on nodes name each claim, as scheduling cycles see it.
// Reference: pvcRefCountsDelta and usedPVCRefCounts in pkg/scheduler/backend/cache, v1.37.2. The counts are exact only
// after a rebuild, which comes when the set of nodes changes: in between the reference takes the pods of a node that
// goes away, but does not give them back when the node returns before the next cycle; and a pod counts, though its node
// was never there. A reader of snapshots counts for itself: a claim of a pod whose node has gone stays in use there.
#pragma once

#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/string_map.h"
#include "state/pod_store.h"

namespace ksched {

class ClaimUse {
 public:
  // A pod came to a node (+1) or left it (-1), or its node went away (-1). Counts with the next Apply.
  void Note(const PodInfo& pod, int sign) { Add(pod, sign, deltas_); }

  // What was noted comes into the counts. False: they cannot be right, and have to be rebuilt.
  bool Apply();
  // To be followed by Count for every pod on a node that cycles see.
  void Rebuild();
  void Count(const PodInfo& pod) { Add(pod, +1, used_); }

  bool IsUsed(std::string_view ns, std::string_view claim) const;

 private:
  static void Add(const PodInfo& pod, int sign, StringMap<int>& counts);

  StringMap<int> used_, deltas_;  // by "namespace/name"
};

}  // namespace ksched
