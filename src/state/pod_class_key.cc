// AppendPodClassKey. What the key leaves out of a spec (KeyWriter), PodClass does not hold.
#include "api/owners.h"
#include "state/key_writer.h"
#include "state/pod_class.h"

namespace ksched {
namespace {

void PutController(const api::ObjectMeta& metadata, KeyWriter& key) {
  const api::OwnerReference* owner = api::ControllerOf(metadata);
  key.Put(owner != nullptr);
  if (owner != nullptr) key.All(owner->api_version, owner->kind, owner->name, owner->uid);
}

// What a container's status says of its resources, where that is not what its spec says.
void PutContainerStatuses(const std::vector<api::Container>& containers, const api::PodStatus& status, KeyWriter& key) {
  uint32_t index = 0;
  for (const api::Container& container : containers) {
    const uint32_t here = index++;
    const api::ContainerStatus* found = FindContainerStatus(status, container.name);
    if (found == nullptr) continue;
    const auto says_the_same = [&container](const std::optional<api::ResourceList>& list) {
      return !list || *list == container.resources.requests;
    };
    if (says_the_same(found->allocated_resources) && says_the_same(found->resources_requests)) continue;
    key.All(true, here, found->allocated_resources, found->resources_requests);
  }
  key.Put(false);
}

void PutStatus(const api::Pod& pod, const ResourceFeatures& features, KeyWriter& key) {
  if (!features.in_place_pod_vertical_scaling) return;
  const api::PodStatus& status = pod.status;
  // An infeasible resize: then containers without a status count for nothing.
  const bool infeasible = IsPodResizeInfeasible(status);
  key.Put(infeasible);
  PutContainerStatuses(pod.spec.containers, status, key);
  PutContainerStatuses(pod.spec.init_containers, status, key);
  if (infeasible) {
    for (const auto* containers : {&pod.spec.containers, &pod.spec.init_containers}) {
      for (const api::Container& container : *containers) {
        const api::ContainerStatus* found = FindContainerStatus(status, container.name);
        key.All(found != nullptr && found->allocated_resources, found != nullptr && found->resources_requests);
      }
    }
  }
  if (features.in_place_pod_level_resources_vertical_scaling) {
    key.All(status.has_resources, status.allocated_resources, status.resources_requests);
  }
}

}  // namespace

size_t AppendPodClassKey(const api::Pod& pod, const ResourceFeatures& features, std::string& out) {
  KeyWriter key(out);
  key.All(pod.metadata.ns, pod.metadata.labels);
  PutController(pod.metadata, key);
  const size_t spec = out.size();
  key.Put(pod.spec);
  PutStatus(pod, features, key);
  return spec;
}

}  // namespace ksched
