// The volumes of pods that count against the limits of CSI drivers, as numbers; and those that VolumeAttachments say
// are on a node. What was worked out for a pod is kept until claims, volumes or classes change.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/interner.h"
#include "base/string_map.h"
#include "framework/status.h"
#include "state/cluster_state.h"

namespace ksched {

struct AttachableVolume {
  uint32_t volume = 0;  // of AttachableVolumes: driver and handle
  uint32_t driver = 0;
  auto operator<=>(const AttachableVolume&) const = default;
};

void SortUnique(std::vector<AttachableVolume>& volumes);

class AttachableVolumes {
 public:
  AttachableVolumes(const ClusterState& state, ReasonTable& reasons) : state_(state), reasons_(reasons) {}

  // Of a pod that is to be placed on a node with or without a CSINode: sorted, each once. Not Success: why it cannot
  // be.
  Status Find(const PodInfo& pod, bool has_csi_node, std::vector<AttachableVolume>& found);
  // Adds those of a pod that is on a node with a CSINode, in any order. A claim that is not there does not count.
  Status AppendExisting(const PodInfo& pod, std::vector<AttachableVolume>& volumes);
  // By VolumeAttachments; each once.
  std::span<const AttachableVolume> AttachedTo(std::string_view node);

  std::string_view DriverName(uint32_t driver) const { return names_.Text(driver); }
  // Lets go of everything once it takes much memory. Numbers from before are good for nothing then.
  void Trim();

 private:
  struct Known {
    std::shared_ptr<const std::vector<api::Volume>> volumes;  // tells versions of the pod apart
    uint64_t version = 0;                                     // of the tables
    std::vector<AttachableVolume> found;
    Status status;
  };
  Status Resolve(const PodInfo& pod, bool has_csi_node, bool is_new, std::vector<AttachableVolume>& found);
  Status ResolveInline(const api::Volume& volume, bool has_csi_node, std::vector<AttachableVolume>& found);
  void ResolveClaim(const api::PersistentVolumeClaim& claim, bool has_csi_node, std::vector<AttachableVolume>& found);
  void ResolveByClass(const api::PersistentVolumeClaim& claim, bool has_csi_node, std::vector<AttachableVolume>& found);
  AttachableVolume Number(std::string_view driver, std::string_view handle);
  void Append(std::string_view driver, std::string_view handle, std::vector<AttachableVolume>& found);

  const ClusterState& state_;
  ReasonTable& reasons_;
  Interner names_;  // of drivers, and "driver/handle"
  std::vector<Known> by_pod_;
  StringMap<std::vector<AttachableVolume>> by_node_;
  uint64_t attachments_version_ = 0;  // what by_node_ was made of, plus 1
};

}  // namespace ksched
