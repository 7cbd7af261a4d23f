// FrameworkHandle: what a plugin may ask of the framework that it is part of, once the scheduler runs.
// Reference: Handle in k8s.io/kube-scheduler/framework/interface.go, v0.37.2.
#pragma once

#include <span>
#include <string>

#include "framework/cycle_state.h"
#include "framework/status.h"
#include "state/pod_store.h"

namespace ksched {

class WaitingPods;

class FrameworkHandle {
 public:
  virtual ~FrameworkHandle() = default;
  // Whether the pod passes the Filter plugins on the node as the state is now, with the pods of equal or higher
  // priority that are nominated to it and without them. `pods_only`: it has passed them in this cycle, and since then
  // only pods on the node have come and gone, so that plugins that read none need not be asked again.
  virtual Status RunFilterWithNominatedPods(CycleState& cycle, const PodInfo& pod, NodeId node, bool pods_only) = 0;
  // Tells PreFilter plugins that in this dry run a pod has come to the node or left it: the state has it already.
  virtual Status RunAddPod(CycleState& cycle, const PodInfo& pod, const PodInfo& added, NodeId node) const = 0;
  virtual Status RunRemovePod(CycleState& cycle, const PodInfo& pod, const PodInfo& removed, NodeId node) const = 0;
  // The pods that are nominated to the node, in the order in which they were. Good until the next nomination.
  virtual std::span<const PodId> NominatedPods(const std::string& node_name) const = 0;
  // The pods that wait for Permit plugins, of all profiles.
  virtual WaitingPods& waiting_pods() = 0;
};

}  // namespace ksched
