#include "kube/watched_cluster.h"

#include <utility>

#include "kube/decode_watched.h"

namespace ksched::kube {

Result<void> WatchedCluster::OnAdd(const WatchedObject& object, const api::ObjectHead&) {
  auto decoded = Decode(object);
  if (!decoded) return std::move(decoded).error();
  feed_.Put(std::move(*decoded));
  return {};
}

Result<void> WatchedCluster::OnUpdate(const WatchedObject& object, const api::ObjectHead& head) {
  return OnAdd(object, head);
}

void WatchedCluster::OnRemove(const Resource& resource, std::string_view ns, std::string_view name) {
  feed_.Remove(resource.kind, ns, name);
}

std::vector<WatchRequest> SchedulerWatches() {
  std::vector<WatchRequest> requests;
  for (const Resource& resource : AllResources()) {
    if (!resource.for_scheduler) continue;
    WatchRequest& request = requests.emplace_back();
    request.resource = &resource;
    if (resource.plural == "pods") request.field_selector = "status.phase!=Succeeded,status.phase!=Failed";
  }
  return requests;
}

}  // namespace ksched::kube
