// For unit tests of the volume plugins: builders of volumes, claims and PersistentVolumes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "framework/testing.h"

namespace ksched::testing_support {

template <typename F>
api::Volume Source(F&& set) {  // set(api::VolumeSource&)
  api::Volume volume;
  volume.name = "disk";
  set(volume.source);
  return volume;
}
inline api::Volume Claim(std::string name) {
  api::Volume volume;
  volume.name = "v-" + name;
  volume.claim_name = std::move(name);
  return volume;
}
inline api::Volume Ephemeral(std::string name) {
  api::Volume volume;
  volume.name = std::move(name);
  volume.ephemeral.emplace();
  return volume;
}
inline api::Pod WithVolumes(api::Pod pod, std::vector<api::Volume> volumes) {
  pod.spec.volumes = std::move(volumes);
  return pod;
}

// MakeClaim("data").Class("fast").Size("1Gi"): converts to an api::PersistentVolumeClaim in the namespace default.
struct MakeClaim {
  api::PersistentVolumeClaim claim;

  explicit MakeClaim(std::string name) {
    claim.metadata.uid = "default/" + name;
    claim.metadata.name = std::move(name);
    claim.metadata.ns = "default";
    claim.spec.volume_mode = "Filesystem";
    claim.status.phase = "Pending";
  }
  MakeClaim& Namespace(std::string ns) { return claim.metadata.ns = std::move(ns), *this; }
  MakeClaim& Mode(std::string mode) { return claim.spec.access_modes.push_back(std::move(mode)), *this; }
  MakeClaim& Class(std::string name) { return claim.spec.storage_class_name = std::move(name), *this; }
  MakeClaim& Size(const char* size) { return claim.spec.requests = Resources({{"storage", size}}), *this; }
  MakeClaim& Annotation(std::string key, std::string value) {
    return claim.metadata.annotations[std::move(key)] = std::move(value), *this;
  }
  // Names the volume; Bound also says that the binding is complete.
  MakeClaim& Volume(std::string name) { return claim.spec.volume_name = std::move(name), *this; }
  MakeClaim& Bound(std::string name) {
    claim.status.phase = "Bound";
    return Volume(std::move(name)).Annotation("pv.kubernetes.io/bind-completed", "yes");
  }
  MakeClaim& Owner(std::string pod_uid) {
    claim.metadata.owner_references.push_back({"v1", "Pod", "pod", std::move(pod_uid), /*controller=*/true});
    return *this;
  }
  operator api::PersistentVolumeClaim() const { return claim; }  // NOLINT(google-explicit-constructor)
};

// MakeVolume("pv").Class("fast").Size("1Gi").On({"n1"}): converts to an api::PersistentVolume that is available.
struct MakeVolume {
  api::PersistentVolume volume;

  explicit MakeVolume(std::string name) {
    volume.metadata.name = std::move(name);
    volume.spec.volume_mode = "Filesystem";
    volume.status.phase = "Available";
  }
  MakeVolume& Class(std::string name) { return volume.spec.storage_class_name = std::move(name), *this; }
  MakeVolume& Size(const char* size) { return volume.spec.capacity = Resources({{"storage", size}}), *this; }
  MakeVolume& Mode(std::string mode) { return volume.spec.access_modes.push_back(std::move(mode)), *this; }
  MakeVolume& Label(std::string key, std::string value) {
    return volume.metadata.labels[std::move(key)] = std::move(value), *this;
  }
  MakeVolume& Csi(std::string driver, std::string handle) {
    return volume.spec.source.csi = api::CsiVolume{std::move(driver), std::move(handle)}, *this;
  }
  MakeVolume& For(std::string claim, std::string uid = "") {
    api::ObjectReference& ref = volume.spec.claim_ref.emplace();
    ref.ns = "default";
    ref.name = std::move(claim);
    ref.uid = std::move(uid);
    return *this;
  }
  // Nodes whose label `key` has one of the values.
  MakeVolume& Nodes(std::string key, std::vector<std::string> values) {
    volume.spec.required_node_affinity =
        api::NodeSelector{{MatchExpressions({{std::move(key), "In", std::move(values)}})}};
    return *this;
  }
  operator api::PersistentVolume() const { return volume; }  // NOLINT(google-explicit-constructor)
};

inline api::StorageClass MakeClass(std::string name, std::string provisioner = "csi.example.com",
                                   std::string mode = "WaitForFirstConsumer") {
  api::StorageClass storage_class;
  storage_class.metadata.name = std::move(name);
  storage_class.provisioner = std::move(provisioner);
  storage_class.volume_binding_mode = std::move(mode);
  return storage_class;
}

}  // namespace ksched::testing_support
