#include "webhook/existing_pods.h"

namespace ksched::webhook {
namespace {

bool IsOf(const PodClass& pod, const Target& target) {
  if (pod.ns != target.ns) return false;
  if (target.kind != "Deployment") return pod.controller.kind == target.kind && pod.controller.name == target.name;
  if (pod.controller.kind != "ReplicaSet") return false;
  const auto hash = pod.labels.find("pod-template-hash");
  return hash != pod.labels.end() && pod.controller.name == target.name + "-" + hash->second;
}

}  // namespace

std::vector<PodId> ExistingPods(const ClusterState& state, const Target& target) {
  std::vector<PodId> pods;
  const PodClass* last = nullptr;  // replicas share one
  bool is_of = false;
  for (NodeId node = 0; node < state.node_capacity(); ++node) {
    for (const PodId id : state.pods(node)) {
      const PodInfo& pod = state.pod_store().Get(id);
      if (pod.pod_class != last) is_of = IsOf(*(last = pod.pod_class), target);
      if (is_of && !pod.deleting()) pods.push_back(id);
    }
  }
  return pods;
}

std::optional<api::Pod> LikeNewestOf(const ClusterState& state, std::span<const PodId> pods) {
  const PodInfo* newest = nullptr;
  for (const PodId id : pods) {
    const PodInfo& pod = state.pod_store().Get(id);
    if (newest == nullptr || pod.creation_timestamp() > newest->creation_timestamp()) newest = &pod;
  }
  if (newest == nullptr) return std::nullopt;
  api::Pod like;
  like.metadata.ns = newest->ns();
  like.metadata.labels = newest->pod_class->labels;
  like.metadata.owner_references = {newest->pod_class->controller};
  like.spec = newest->pod_class->spec;
  return like;
}

}  // namespace ksched::webhook
