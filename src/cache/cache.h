// Cache: keeps ClusterState true to the watched cluster, with the pods that are assumed on their nodes before the
// cluster says so. Reference: pkg/scheduler/backend/cache/cache.go, v1.37.2.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "state/cluster_state.h"

namespace ksched {

class Cache {
 public:
  explicit Cache(ClusterState& state) : state_(state) {}

  // Counts a pending pod on the node where it is about to be bound. Its node_name becomes that node.
  Result<void> AssumePod(PodInfo& pod, NodeId node);
  // Takes an assumed pod off its node again: it was not bound. Nothing happens if it is not assumed.
  void ForgetPod(PodInfo& pod);
  size_t num_assumed() const { return num_assumed_; }
  size_t num_pods() const { return num_pods_; }  // on nodes, also assumed
  bool IsAssumed(PodId pod) const { return pod < assumed_.size() && assumed_[pod]; }

  // The cluster says that the pod is on pod.node_name. An assumed pod is confirmed, on that node or, if it was bound
  // elsewhere, there.
  void AddPod(PodInfo& pod);
  // An assigned pod leaves. Nothing happens if it is not counted.
  void RemovePod(PodInfo& pod);

 private:
  void Confirm(PodId pod);

  ClusterState& state_;
  std::vector<bool> assumed_;  // by PodId
  size_t num_assumed_ = 0, num_pods_ = 0;
};

}  // namespace ksched
