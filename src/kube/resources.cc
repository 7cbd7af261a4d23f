#include "kube/resources.h"

#include <fmt/format.h>

#include <algorithm>

namespace ksched::kube {
namespace {

constexpr std::string_view kResource = "resource.k8s.io", kStorage = "storage.k8s.io";

constexpr std::array kResources{
    Resource{"scheduling.k8s.io", {"v1"}, "priorityclasses", "PriorityClass", false, false},
    Resource{"node.k8s.io", {"v1"}, "runtimeclasses", "RuntimeClass", false, false},
    Resource{kStorage, {"v1"}, "storageclasses", "StorageClass", false, true},
    Resource{kStorage, {"v1"}, "csidrivers", "CSIDriver", false, true},
    Resource{kResource, {"v1", "v1beta2", "v1beta1"}, "deviceclasses", "DeviceClass", false, true},
    Resource{kResource, {"v1", "v1beta2", "v1alpha3"}, "devicetaintrules", "DeviceTaintRule", false, true},
    Resource{"", {"v1"}, "namespaces", "Namespace", false, true},
    Resource{"", {"v1"}, "limitranges", "LimitRange", true, false},
    Resource{"", {"v1"}, "resourcequotas", "ResourceQuota", true, false},
    Resource{"", {"v1"}, "nodes", "Node", false, true},
    Resource{kStorage, {"v1"}, "csinodes", "CSINode", false, true},
    Resource{kResource, {"v1", "v1beta2", "v1beta1"}, "resourceslices", "ResourceSlice", false, true},
    Resource{kStorage, {"v1"}, "csistoragecapacities", "CSIStorageCapacity", true, true},
    Resource{"", {"v1"}, "persistentvolumes", "PersistentVolume", false, true},
    Resource{"", {"v1"}, "persistentvolumeclaims", "PersistentVolumeClaim", true, true},
    Resource{kStorage, {"v1"}, "volumeattachments", "VolumeAttachment", false, true},
    Resource{kResource, {"v1", "v1beta2", "v1beta1"}, "resourceclaims", "ResourceClaim", true, true},
    Resource{kResource, {"v1", "v1beta2", "v1beta1"}, "resourceclaimtemplates", "ResourceClaimTemplate", true, false},
    Resource{"", {"v1"}, "services", "Service", true, true},
    Resource{"", {"v1"}, "replicationcontrollers", "ReplicationController", true, true},
    Resource{"apps", {"v1"}, "replicasets", "ReplicaSet", true, true},
    Resource{"apps", {"v1"}, "statefulsets", "StatefulSet", true, true},
    Resource{"apps", {"v1"}, "daemonsets", "DaemonSet", true, false},
    Resource{"apps", {"v1"}, "controllerrevisions", "ControllerRevision", true, false},
    Resource{"apps", {"v1"}, "deployments", "Deployment", true, false},
    Resource{"batch", {"v1"}, "jobs", "Job", true, false},
    Resource{"batch", {"v1"}, "cronjobs", "CronJob", true, false},
    Resource{"autoscaling", {"v2", "v1"}, "horizontalpodautoscalers", "HorizontalPodAutoscaler", true, false},
    Resource{"policy", {"v1"}, "poddisruptionbudgets", "PodDisruptionBudget", true, true},
    Resource{"", {"v1"}, "pods", "Pod", true, true},
};

}  // namespace

std::span<const std::string_view> Resource::known_versions() const {
  const auto end = std::find(versions.begin(), versions.end(), "");
  return {versions.data(), static_cast<size_t>(end - versions.begin())};
}

std::string Resource::QualifiedName() const {
  return group.empty() ? std::string(plural) : fmt::format("{}.{}", plural, group);
}

std::span<const Resource> AllResources() { return kResources; }

const Resource* FindResource(std::string_view group, std::string_view plural) {
  const auto found = std::find_if(kResources.begin(), kResources.end(), [&](const Resource& resource) {
    return resource.group == group && resource.plural == plural;
  });
  return found == kResources.end() ? nullptr : &*found;
}

std::string CollectionPath(const Resource& resource, std::string_view version, std::string_view ns) {
  std::string path =
      resource.group.empty() ? fmt::format("/api/{}", version) : fmt::format("/apis/{}/{}", resource.group, version);
  if (resource.namespaced && !ns.empty()) path += "/namespaces/" + EscapeUrl(ns);
  return fmt::format("{}/{}", path, resource.plural);
}

std::string EscapeUrl(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    escaped += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return escaped;
}

}  // namespace ksched::kube
