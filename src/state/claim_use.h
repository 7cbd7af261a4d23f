// ClaimUse: how many pods on nodes name each claim, as scheduling cycles see it.
// Reference: pvcRefCountsDelta and usedPVCRefCounts in pkg/scheduler/backend/cache, v1.37.2. The counts are exact only
// after a rebuild, which comes when the set of nodes changes: in between the reference takes the pods of a node that
// goes away, but does not give them back when the node returns before the next cycle; and a pod counts, though its node
// was never there. So the counts are not a matter of what there is now, and a reader of snapshots takes over the
// writer's.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  void Count(const PodInfo& pod);

  bool IsUsed(std::string_view ns, std::string_view claim) const;

  // From now on it is noted which counts change (TakeChanges).
  void TrackChanges() { tracks_ = true; }
  // The claims, by "namespace/name", whose counts may have changed since the last call, some of them more than once.
  std::vector<std::string> TakeChanges() { return std::exchange(changes_, {}); }
  std::vector<std::string> All() const;  // that are in use
  int CountOf(std::string_view claim) const;
  // Of one that follows another one: the count there. What was noted is part of the counts already.
  void Follow(const std::string& claim, int count);
  void DropNotes() { deltas_.clear(); }

 private:
  static void Add(const PodInfo& pod, int sign, StringMap<int>& counts);

  StringMap<int> used_, deltas_;  // by "namespace/name"
  bool tracks_ = false;
  std::vector<std::string> changes_;
};

}  // namespace ksched
