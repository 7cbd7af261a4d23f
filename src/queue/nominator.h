// Nominator: which pods are nominated to run on which node, so that others leave them room there.
// Reference: pkg/scheduler/backend/queue/nominator.go, v1.37.2.
//
// It may know more than the pods' status says: a nomination counts from the moment that a cycle makes it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "framework/framework.h"
#include "state/pod_store.h"

namespace ksched {

class Nominator final : public PodNominator {
 public:
  // `pods` is borrowed; null: nobody is ever NotQueued.
  explicit Nominator(PodStore* pods = nullptr) : pods_(pods) {}
  Nominator(const Nominator&) = delete;
  Nominator& operator=(const Nominator&) = delete;

  // Ends the pod's nomination if it has one, and makes a new one, last of its node: to `node` if that is given ("":
  // none), else to what the pod's status says. A pod that is on a node already is not nominated.
  void Add(const PodInfo& pod, std::optional<std::string_view> node);
  // Makes the nomination of a changed pod anew: to what the new status says, or, where neither the old nor the new one
  // names a node, to the node that it is nominated to here.
  void Update(const PodInfo& old_pod, const PodInfo& new_pod);
  void Delete(PodId pod);
  // The pod is in no queue any more: of its nomination, if it has one, there is only the name left, as in the reference
  // (nominatedPodToInfo). It counts on its node as a pod of that name and uid that asks for nothing.
  void NotQueued(const PodInfo& pod);

  bool AnyNominations() const override { return !node_of_.empty(); }
  std::vector<std::string> NominatedNodes() const override;
  // In the order in which they were made. Good until the next change.
  std::span<const PodId> NominatedPods(const std::string& node_name) const override;
  // "" if it is not nominated. Good until the next change.
  std::string_view NodeOf(PodId pod) const;

 private:
  // The pod itself, or what stands for it.
  PodId Counted(PodId pod) const;

  PodStore* pods_;
  // Few pods are nominated at any time: names are hashed only when one is.
  boost::unordered_flat_map<PodId, std::string> node_of_;
  boost::unordered_flat_map<std::string, std::vector<PodId>> pods_of_;  // as they count; none is empty
  boost::unordered_flat_map<PodId, PodId> stand_ins_;
};

}  // namespace ksched
