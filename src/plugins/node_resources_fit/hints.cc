#include "plugins/node_resources_fit/hints.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace ksched::fit_hints {
namespace {

// In the scheduler's unit of the resource; 0 if the list does not have it.
int64_t Amount(const api::ResourceList& list, std::string_view resource) {
  for (const auto& [name, quantity] : list) {
    if (name == resource) return name == "cpu" ? quantity.MilliValue() : quantity.Value();
  }
  return 0;
}

bool Counts(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource == "ephemeral-storage" || IsScalarResourceName(resource);
}

// A pod's request of one resource against what two states of a node have of it.
struct Request {
  std::string_view resource;
  int64_t amount;
};

// Calls visit(Request) for everything that the pod asks for, until one returns true; returns whether one did.
template <typename Visit>
bool AnyRequest(const ResourceAmounts& requests, const ResourceNames& names, Visit&& visit) {
  for (const ResourceId base : {kCpu, kMemory, kEphemeralStorage}) {
    const int64_t amount = requests.Get(base);
    if (amount > 0 && visit(Request{names.Name(base), amount})) return true;
  }
  for (const auto& [resource, amount] : requests.scalars) {
    if (amount > 0 && visit(Request{names.Name(resource), amount})) return true;
  }
  return false;
}

// A DeviceClass stands behind the resource, and the node does not have it itself.
bool FromDeviceClass(const Request& request, const api::Node& node, const DeviceClassLister* device_classes) {
  return device_classes != nullptr && Amount(node.status.allocatable, request.resource) <= 0 &&
         device_classes->ForExtendedResource(request.resource) != nullptr;
}

bool FitsEmpty(const ResourceAmounts& requests, const api::Node& node, const ResourceNames& names,
               const DeviceClassLister* device_classes) {
  const api::ResourceList& allocatable = node.status.allocatable;
  if (Amount(allocatable, "pods") < 1) return false;
  return !AnyRequest(requests, names, [&](const Request& request) {
    return request.amount > Amount(allocatable, request.resource) && !FromDeviceClass(request, node, device_classes);
  });
}

}  // namespace

Result<QueueingHint> AfterAssignedPodDelete(const PodInfo&, const EventObjects& objects) {
  return QueueIf(!objects.old_pod->node_name().empty() || !objects.old_pod->nominated_node_name().empty());
}

Result<QueueingHint> AfterAssignedPodScaleDown(const PodInfo& pod, const EventObjects& objects) {
  if (objects.new_pod->node_name().empty()) return QueueingHint::kSkip;
  const api::ResourceList& before = objects.old_pod->pod_class->assigned_request_list;
  const api::ResourceList& after = objects.new_pod->pod_class->assigned_request_list;
  for (const auto& [name, quantity] : pod.pod_class->assigned_request_list) {
    if (quantity.IsZero() || !Counts(name)) continue;
    if (std::max<int64_t>(Amount(before, name), 0) > std::max<int64_t>(Amount(after, name), 0)) {
      return QueueingHint::kQueue;
    }
  }
  return QueueingHint::kSkip;
}

Result<QueueingHint> AfterNodeChange(const PodInfo& pod, const EventObjects& objects, const ResourceNames& names,
                                     const DeviceClassLister* device_classes) {
  const ResourceAmounts& requests = pod.pod_class->requests;
  if (!FitsEmpty(requests, *objects.new_node, names, device_classes)) return QueueingHint::kSkip;
  if (objects.old_node == nullptr) return QueueingHint::kQueue;
  const api::ResourceList& before = objects.old_node->status.allocatable;
  const api::ResourceList& after = objects.new_node->status.allocatable;
  if (Amount(after, "pods") > Amount(before, "pods")) return QueueingHint::kQueue;
  return QueueIf(AnyRequest(requests, names, [&](const Request& request) {
    return Amount(after, request.resource) > Amount(before, request.resource) ||
           FromDeviceClass(request, *objects.new_node, device_classes);
  }));
}

Result<QueueingHint> AfterDeviceClassChange(const PodInfo& pod, const EventObjects& objects) {
  const api::DeviceClass& now = *objects.New<api::DeviceClass>();
  const api::ResourceList requests = SpecRequests(pod.pod_class->spec, {});
  if (const auto* old = objects.Old<api::DeviceClass>()) {
    const std::string before = old->extended_resource_name.value_or("");
    if (before == now.extended_resource_name.value_or("")) return QueueingHint::kSkip;
  } else if (requests.contains("deviceclass.resource.kubernetes.io/" + now.metadata.name)) {
    return QueueingHint::kQueue;
  }
  return QueueIf(now.extended_resource_name && requests.contains(*now.extended_resource_name));
}

}  // namespace ksched::fit_hints
