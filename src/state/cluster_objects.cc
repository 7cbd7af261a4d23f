#include "state/cluster_objects.h"

namespace ksched {

// Of several classes that name the resource the newest counts, then the first by name (the reference's
// DeviceClassResolver).
const api::DeviceClass* ClusterObjects::ProviderOf(std::string_view resource) const {
  constexpr std::string_view kImplicitPrefix = "deviceclass.resource.kubernetes.io/";
  if (resource.starts_with(kImplicitPrefix)) {
    return device_classes.Find(resource.substr(kImplicitPrefix.size())).get();  // the table holds it
  }
  const api::DeviceClass* newest = nullptr;
  for (const auto& [name, device_class] : device_classes.all()) {
    if (!device_class->extended_resource_name || *device_class->extended_resource_name != resource) continue;
    const auto& created = device_class->metadata.creation_timestamp;
    if (newest == nullptr || created > newest->metadata.creation_timestamp) newest = device_class.get();
  }
  return newest;
}

}  // namespace ksched
