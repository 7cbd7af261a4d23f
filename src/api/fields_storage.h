// Field tables of volumes, claims and what says where they can be used. A pod and a PersistentVolume have the same
// sources with the same fields, but other numbers.
#pragma once

#include "api/fields.h"
#include "api/fields_meta.h"
#include "api/types_storage.h"

namespace ksched::api {

template <>
struct Fields<ObjectReference> {
  using T = ObjectReference;
  static constexpr auto kTable =
      std::tuple(Field{"kind", 1, At(&T::kind)}, Field{"namespace", 2, At(&T::ns)}, Field{"name", 3, At(&T::name)},
                 Field{"uid", 4, At(&T::uid)}, Field{"apiVersion", 5, At(&T::api_version)},
                 Field{"resourceVersion", 6, At(&T::resource_version)});
};

// ---- sources of volumes ----

template <>
struct Fields<GcePersistentDisk> {
  static constexpr auto kTable = std::tuple(Field{"pdName", 1, At(&GcePersistentDisk::pd_name)},
                                            Field{"readOnly", 4, At(&GcePersistentDisk::read_only)});
};
template <>
struct Fields<AwsElasticBlockStore> {
  static constexpr auto kTable = std::tuple(Field{"volumeID", 1, At(&AwsElasticBlockStore::volume_id)},
                                            Field{"readOnly", 4, At(&AwsElasticBlockStore::read_only)});
};
template <>
struct Fields<AzureDisk> {
  static constexpr auto kTable =
      std::tuple(Field{"diskName", 1, At(&AzureDisk::disk_name)}, Field{"diskURI", 2, At(&AzureDisk::disk_uri)},
                 Field{"kind", 6, At(&AzureDisk::kind)});
};
template <>
struct Fields<AzureFile> {
  static constexpr auto kTable =
      std::tuple(Field{"secretName", 1, At(&AzureFile::secret_name)}, Field{"shareName", 2, At(&AzureFile::share_name)},
                 Field{"secretNamespace", 4, At(&AzureFile::secret_namespace)});
};
template <>
struct Fields<Cinder> {
  static constexpr auto kTable = std::tuple(Field{"volumeID", 1, At(&Cinder::volume_id)});
};
template <>
struct Fields<Rbd> {
  static constexpr auto kTable =
      std::tuple(Field{"monitors", 1, At(&Rbd::monitors)}, Field{"image", 2, At(&Rbd::image)},
                 Field{"pool", 4, At(&Rbd::pool)}, Field{"readOnly", 8, At(&Rbd::read_only)});
};
template <>
struct Fields<Iscsi> {
  static constexpr auto kTable =
      std::tuple(Field{"targetPortal", 1, At(&Iscsi::target_portal)}, Field{"iqn", 2, At(&Iscsi::iqn)},
                 Field{"lun", 3, At(&Iscsi::lun)}, Field{"readOnly", 6, At(&Iscsi::read_only)});
};
template <>
struct Fields<VsphereVolume> {
  static constexpr auto kTable = std::tuple(Field{"volumePath", 1, At(&VsphereVolume::volume_path)});
};
template <>
struct Fields<PortworxVolume> {
  static constexpr auto kTable = std::tuple(Field{"volumeID", 1, At(&PortworxVolume::volume_id)});
};
template <>
struct Fields<CsiVolume> {
  static constexpr auto kTable =
      std::tuple(Field{"driver", 1, At(&CsiVolume::driver)}, Field{"volumeHandle", 2, At(&CsiVolume::volume_handle)});
};
// A pod's inline volume: 2 is another field there.
struct InlineCsiTable {};
template <>
struct Fields<InlineCsiTable> {
  static constexpr auto kTable = std::tuple(Field{"driver", 1, At(&CsiVolume::driver)});
};

// The fields of a pod's volumeSource (number `outer` of the volume), stored in the VolumeSource `source`.
template <typename T>
constexpr auto PodVolumeSourceFields(VolumeSource T::*source, int outer) {
  using S = VolumeSource;
  return std::tuple(Field{"gcePersistentDisk", 3, Within(source, At(&S::gce_persistent_disk)), outer},
                    Field{"awsElasticBlockStore", 4, Within(source, At(&S::aws_elastic_block_store)), outer},
                    Field{"iscsi", 8, Within(source, At(&S::iscsi)), outer},
                    Field{"rbd", 11, Within(source, At(&S::rbd)), outer},
                    Field{"cinder", 13, Within(source, At(&S::cinder)), outer},
                    Field{"azureFile", 18, Within(source, At(&S::azure_file)), outer},
                    Field{"vsphereVolume", 20, Within(source, At(&S::vsphere_volume)), outer},
                    Field{"azureDisk", 22, Within(source, At(&S::azure_disk)), outer},
                    Field{"portworxVolume", 24, Within(source, At(&S::portworx_volume)), outer},
                    Field{"csi", 28, Within(source, AtTable<InlineCsiTable>(&S::csi)), outer});
}

// The same of a PersistentVolume's spec.
template <typename T>
constexpr auto PersistentVolumeSourceFields(VolumeSource T::*source, int outer) {
  using S = VolumeSource;
  return std::tuple(Field{"gcePersistentDisk", 1, Within(source, At(&S::gce_persistent_disk)), outer},
                    Field{"awsElasticBlockStore", 2, Within(source, At(&S::aws_elastic_block_store)), outer},
                    Field{"rbd", 6, Within(source, At(&S::rbd)), outer},
                    Field{"iscsi", 7, Within(source, At(&S::iscsi)), outer},
                    Field{"cinder", 8, Within(source, At(&S::cinder)), outer},
                    Field{"azureFile", 13, Within(source, At(&S::azure_file)), outer},
                    Field{"vsphereVolume", 14, Within(source, At(&S::vsphere_volume)), outer},
                    Field{"azureDisk", 16, Within(source, At(&S::azure_disk)), outer},
                    Field{"portworxVolume", 18, Within(source, At(&S::portworx_volume)), outer},
                    Field{"csi", 22, Within(source, At(&S::csi)), outer});
}

// ---- claims ----

struct ClaimResourcesPart {};
template <>
struct Fields<ClaimResourcesPart> {
  static constexpr auto kTable =
      std::tuple(Field{"limits", 1, At(&ClaimSpec::limits)}, Field{"requests", 2, At(&ClaimSpec::requests)});
};
template <>
struct Fields<ClaimSpec> {
  using T = ClaimSpec;
  static constexpr auto kTable =
      std::tuple(Field{"accessModes", 1, At(&T::access_modes)}, Field{"resources", 2, Part<ClaimResourcesPart>()},
                 Field{"volumeName", 3, At(&T::volume_name)}, Field{"selector", 4, At(&T::selector)},
                 Field{"storageClassName", 5, At(&T::storage_class_name)}, Field{"volumeMode", 6, At(&T::volume_mode)},
                 Field{"volumeAttributesClassName", 9, At(&T::volume_attributes_class_name)});
};
template <>
struct Fields<ClaimTemplate> {
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&ClaimTemplate::metadata)}, Field{"spec", 2, At(&ClaimTemplate::spec)});
};
template <>
struct Fields<PersistentVolumeClaim::Status> {
  using T = PersistentVolumeClaim::Status;
  static constexpr auto kTable = std::tuple(Field{"phase", 1, At(&T::phase)}, Field{"capacity", 3, At(&T::capacity)});
};
template <>
struct Fields<PersistentVolumeClaim> {
  using T = PersistentVolumeClaim;
  static constexpr auto kTable = std::tuple(Field{"metadata", 1, At(&T::metadata)}, Field{"spec", 2, At(&T::spec)},
                                            Field{"status", 3, At(&T::status)});
};

// ---- volumes ----

struct VolumeNodeAffinityPart {};
template <>
struct Fields<VolumeNodeAffinityPart> {
  static constexpr auto kTable = std::tuple(Field{"required", 1, At(&PersistentVolume::Spec::required_node_affinity)});
};
template <>
struct Fields<PersistentVolume::Spec> {
  using T = PersistentVolume::Spec;
  static constexpr int kSource = 2;
  static constexpr auto kTable = std::tuple_cat(
      std::tuple(
          Field{"capacity", 1, At(&T::capacity)}, Field{"accessModes", 3, At(&T::access_modes)},
          Field{"claimRef", 4, At(&T::claim_ref)}, Field{"persistentVolumeReclaimPolicy", 5, At(&T::reclaim_policy)},
          Field{"storageClassName", 6, At(&T::storage_class_name)}, Field{"volumeMode", 8, At(&T::volume_mode)},
          Field{"nodeAffinity", 9, Part<VolumeNodeAffinityPart>()},
          Field{"volumeAttributesClassName", 10, At(&T::volume_attributes_class_name)},
          Field{"hostPath", 3, AtPresence(&T::host_path), kSource}, Field{"local", 20, AtPresence(&T::local), kSource}),
      PersistentVolumeSourceFields(&T::source, kSource));
};
template <>
struct Fields<PersistentVolume::Status> {
  static constexpr auto kTable = std::tuple(Field{"phase", 1, At(&PersistentVolume::Status::phase)});
};
template <>
struct Fields<PersistentVolume> {
  using T = PersistentVolume;
  static constexpr auto kTable = std::tuple(Field{"metadata", 1, At(&T::metadata)}, Field{"spec", 2, At(&T::spec)},
                                            Field{"status", 3, At(&T::status)});
};

// ---- storage.k8s.io ----

template <>
struct Fields<TopologySelectorLabelRequirement> {
  using T = TopologySelectorLabelRequirement;
  static constexpr auto kTable = std::tuple(Field{"key", 1, At(&T::key)}, Field{"values", 2, At(&T::values)});
};
template <>
struct Fields<TopologySelectorTerm> {
  static constexpr auto kTable =
      std::tuple(Field{"matchLabelExpressions", 1, At(&TopologySelectorTerm::match_label_expressions)});
};
template <>
struct Fields<StorageClass> {
  using T = StorageClass;
  static constexpr auto kTable = std::tuple(
      Field{"metadata", 1, At(&T::metadata)}, Field{"provisioner", 2, At(&T::provisioner)},
      Field{"reclaimPolicy", 4, At(&T::reclaim_policy)}, Field{"volumeBindingMode", 7, At(&T::volume_binding_mode)},
      Field{"allowedTopologies", 8, At(&T::allowed_topologies)});
};

struct DriverAllocatablePart {};
template <>
struct Fields<DriverAllocatablePart> {
  static constexpr auto kTable = std::tuple(Field{"count", 1, At(&CsiNodeDriver::allocatable_count)});
};
template <>
struct Fields<CsiNodeDriver> {
  using T = CsiNodeDriver;
  static constexpr auto kTable = std::tuple(Field{"name", 1, At(&T::name)}, Field{"nodeID", 2, At(&T::node_id)},
                                            Field{"topologyKeys", 3, At(&T::topology_keys)},
                                            Field{"allocatable", 4, Part<DriverAllocatablePart>()});
};
struct CsiNodeSpecPart {};
template <>
struct Fields<CsiNodeSpecPart> {
  static constexpr auto kTable = std::tuple(Field{"drivers", 1, At(&CsiNode::drivers)});
};
template <>
struct Fields<CsiNode> {
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&CsiNode::metadata)}, Field{"spec", 2, Part<CsiNodeSpecPart>()});
};

struct CsiDriverSpecPart {};
template <>
struct Fields<CsiDriverSpecPart> {
  using T = CsiDriver;
  static constexpr auto kTable = std::tuple(
      Field{"attachRequired", 1, At(&T::attach_required)}, Field{"storageCapacity", 4, At(&T::storage_capacity)},
      Field{"preventPodSchedulingIfMissing", 11, At(&T::prevent_pod_scheduling_if_missing)});
};
template <>
struct Fields<CsiDriver> {
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&CsiDriver::metadata)}, Field{"spec", 2, Part<CsiDriverSpecPart>()});
};

template <>
struct Fields<CsiStorageCapacity> {
  using T = CsiStorageCapacity;
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&T::metadata)}, Field{"nodeTopology", 2, At(&T::node_topology)},
                 Field{"storageClassName", 3, At(&T::storage_class_name)}, Field{"capacity", 4, At(&T::capacity)},
                 Field{"maximumVolumeSize", 5, At(&T::maximum_volume_size)});
};

struct InlineVolumeSpecPart {};
template <>
struct Fields<InlineVolumeSpecPart> {
  static constexpr auto kTable = PersistentVolumeSourceFields(&VolumeAttachment::inline_source, 2);
};
struct AttachmentSourcePart {};
template <>
struct Fields<AttachmentSourcePart> {
  using T = VolumeAttachment;
  static constexpr auto kTable =
      std::tuple(Field{"persistentVolumeName", 1, At(&T::persistent_volume_name)},
                 Field{"inlineVolumeSpec", 2, Part<InlineVolumeSpecPart>(&T::has_inline_source)});
};
struct AttachmentSpecPart {};
template <>
struct Fields<AttachmentSpecPart> {
  using T = VolumeAttachment;
  static constexpr auto kTable =
      std::tuple(Field{"attacher", 1, At(&T::attacher)}, Field{"source", 2, Part<AttachmentSourcePart>()},
                 Field{"nodeName", 3, At(&T::node_name)});
};
struct AttachmentStatusPart {};
template <>
struct Fields<AttachmentStatusPart> {
  static constexpr auto kTable = std::tuple(Field{"attached", 1, At(&VolumeAttachment::attached)});
};
template <>
struct Fields<VolumeAttachment> {
  using T = VolumeAttachment;
  static constexpr auto kTable =
      std::tuple(Field{"metadata", 1, At(&T::metadata)}, Field{"spec", 2, Part<AttachmentSpecPart>()},
                 Field{"status", 3, Part<AttachmentStatusPart>()});
};

}  // namespace ksched::api
