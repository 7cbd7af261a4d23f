// Volumes, claims and what says where they can be used.
#pragma once

#include "api/types_meta.h"

namespace ksched::api {

struct ObjectReference {
  std::string api_version, kind, ns, name, uid, resource_version;
  bool operator==(const ObjectReference&) const = default;
};

// The sources of volumes that scheduling reads, as pods and PersistentVolumes have them. At most one is set.
struct GcePersistentDisk {
  std::string pd_name;
  bool read_only = false;
};
struct AwsElasticBlockStore {
  std::string volume_id;
  bool read_only = false;
};
struct AzureDisk {
  std::string disk_name, disk_uri;
  std::string kind;  // defaulted to Shared
};
struct AzureFile {
  std::string secret_name, share_name, secret_namespace;
};
struct Cinder {
  std::string volume_id;
};
struct Rbd {
  std::vector<std::string> monitors;
  std::string image, pool;  // pool: defaulted to rbd
  bool read_only = false;
};
struct Iscsi {
  std::string target_portal, iqn;
  int32_t lun = 0;
  bool read_only = false;
};
struct VsphereVolume {
  std::string volume_path;
};
struct PortworxVolume {
  std::string volume_id;
};
struct CsiVolume {
  std::string driver, volume_handle;  // a pod's inline volume has no handle
};
struct VolumeSource {
  std::optional<GcePersistentDisk> gce_persistent_disk;
  std::optional<AwsElasticBlockStore> aws_elastic_block_store;
  std::optional<AzureDisk> azure_disk;
  std::optional<AzureFile> azure_file;
  std::optional<Cinder> cinder;
  std::optional<Rbd> rbd;
  std::optional<Iscsi> iscsi;
  std::optional<VsphereVolume> vsphere_volume;
  std::optional<PortworxVolume> portworx_volume;
  std::optional<CsiVolume> csi;
};

struct ClaimSpec {
  std::vector<std::string> access_modes;
  std::optional<LabelSelector> selector;
  ResourceList requests, limits;  // resources.{requests,limits}
  std::string volume_name, volume_mode;
  std::optional<std::string> storage_class_name;  // absent: the default class; "": none
  std::optional<std::string> volume_attributes_class_name;
};
// volumeClaimTemplates[] of a StatefulSet, and of an ephemeral volume.
struct ClaimTemplate {
  ObjectMeta metadata;
  ClaimSpec spec;
};
struct PersistentVolumeClaim {
  ObjectMeta metadata;
  ClaimSpec spec;
  struct Status {
    std::string phase;  // Pending, Bound, Lost
    ResourceList capacity;
  } status;
};

struct PersistentVolume {
  ObjectMeta metadata;
  struct Spec {
    ResourceList capacity;
    VolumeSource source;
    bool local = false, host_path = false;  // spec.local, spec.hostPath are there
    std::vector<std::string> access_modes;
    std::optional<ObjectReference> claim_ref;
    std::string reclaim_policy, storage_class_name, volume_mode;
    std::optional<NodeSelector> required_node_affinity;  // nodeAffinity.required
    std::optional<std::string> volume_attributes_class_name;
  } spec;
  struct Status {
    std::string phase;
  } status;
};

struct TopologySelectorLabelRequirement {
  std::string key;
  std::vector<std::string> values;
  bool operator==(const TopologySelectorLabelRequirement&) const = default;
};
struct TopologySelectorTerm {
  std::vector<TopologySelectorLabelRequirement> match_label_expressions;
  bool operator==(const TopologySelectorTerm&) const = default;
};
struct StorageClass {
  ObjectMeta metadata;
  std::string provisioner, reclaim_policy;
  std::string volume_binding_mode;  // defaulted to Immediate
  std::vector<TopologySelectorTerm> allowed_topologies;
};

struct CsiNodeDriver {
  std::string name, node_id;
  std::vector<std::string> topology_keys;
  std::optional<int32_t> allocatable_count;  // allocatable.count
};
struct CsiNode {
  ObjectMeta metadata;
  std::vector<CsiNodeDriver> drivers;  // spec.drivers
};
struct CsiDriver {
  ObjectMeta metadata;
  std::optional<bool> attach_required, storage_capacity, prevent_pod_scheduling_if_missing;
};
struct CsiStorageCapacity {
  ObjectMeta metadata;
  std::optional<LabelSelector> node_topology;
  std::string storage_class_name;
  std::optional<Quantity> capacity, maximum_volume_size;
};
struct VolumeAttachment {
  ObjectMeta metadata;
  std::string attacher, node_name;
  std::optional<std::string> persistent_volume_name;  // source.persistentVolumeName
  VolumeSource inline_source;                         // source.inlineVolumeSpec, its source
  bool has_inline_source = false;
  bool attached = false;  // status.attached
};

}  // namespace ksched::api
