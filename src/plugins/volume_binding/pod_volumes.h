// What VolumeBinding finds out about a pod's claims: once for the pod, and for each node that could take it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/types.h"
#include "plugins/common/csi_translation.h"
#include "plugins/common/node_selector.h"

namespace ksched {

using ClaimPtr = std::shared_ptr<const api::PersistentVolumeClaim>;
using VolumePtr = std::shared_ptr<const api::PersistentVolume>;
using StorageClassPtr = std::shared_ptr<const api::StorageClass>;
using CapacityPtr = std::shared_ptr<const api::CsiStorageCapacity>;

// The annotation of a claim with the node for which its volume is to be made.
inline constexpr const char* kSelectedNode = "volume.kubernetes.io/selected-node";

struct StaticBinding {
  VolumePtr volume;
  ClaimPtr claim;
};
struct DynamicProvision {
  ClaimPtr claim;
  CapacityPtr capacity;  // that it was found to fit; null: there was nothing to check
};
// What is to be done for the claims of the pod on one node.
struct PodVolumes {
  std::vector<StaticBinding> bindings;
  std::vector<DynamicProvision> provisions;
};

// Which nodes a volume can be used on, compiled. Borrows from the selector.
class VolumeAffinity {
 public:
  void Compile(const std::optional<api::NodeSelector>& selector) {
    any_node_ = !selector;
    if (selector) terms_.Compile(*selector);
  }
  bool Matches(const api::Node& node) const;

 private:
  bool any_node_ = true;
  NodeSelectorTerms terms_;
};

// The in-tree plugins that the CSINode says are migrated on its node, with commas between them; "" if it says none.
inline std::string_view MigratedPlugins(const api::CsiNode& csi_node) {
  const auto found = csi_node.metadata.annotations.find("storage.alpha.kubernetes.io/migrated-plugins");
  return found == csi_node.metadata.annotations.end() ? std::string_view() : std::string_view(found->second);
}

// A claim that is bound, with its volume.
struct BoundClaim {
  VolumePtr volume;  // null: it does not exist
  VolumeAffinity affinity;
  // Of a volume with a migrated in-tree plugin: what it is on nodes that say so. Null: of no such plugin.
  const InTreePlugin* plugin = nullptr;
  std::optional<api::NodeSelector> translated;
  VolumeAffinity translated_affinity;
  std::string translation_problem;
};

}  // namespace ksched
