#include "cache/cache.h"

#include <fmt/format.h>

namespace ksched {

Result<void> Cache::AssumePod(PodInfo& pod, NodeId node) {
  if (pod.node != kNoNode) {
    return Error{fmt::format("pod {}({}) is in the cache, so can't be assumed", pod.uid(), pod.Key())};
  }
  pod.node_name_of = &state_.node_name(node);
  state_.AddPodTo(pod, node);
  if (assumed_.size() <= pod.id) assumed_.resize(state_.pod_store().capacity());
  assumed_[pod.id] = true;
  ++num_assumed_;
  ++num_pods_;
  return {};
}

// It is assumed no more.
void Cache::Confirm(PodId pod) {
  if (!IsAssumed(pod)) return;
  assumed_[pod] = false;
  --num_assumed_;
}

void Cache::ForgetPod(PodInfo& pod) {
  if (!IsAssumed(pod.id)) return;
  Confirm(pod.id);
  --num_pods_;
  state_.RemovePod(pod);
  pod.node_name_of = &kNoNodeName;
}

void Cache::AddPod(PodInfo& pod) {
  if (pod.node != kNoNode) {
    Confirm(pod.id);
    if (state_.node_name(pod.node) == pod.node_name()) return;  // counted there already
    state_.RemovePod(pod);
    --num_pods_;
  }
  ++num_pods_;
  state_.AddPod(pod);
}

void Cache::RemovePod(PodInfo& pod) {
  if (pod.node == kNoNode) return;
  Confirm(pod.id);
  --num_pods_;
  state_.RemovePod(pod);
}

}  // namespace ksched
