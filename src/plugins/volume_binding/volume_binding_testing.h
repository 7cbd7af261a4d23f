// For the tests of VolumeBinding: a cluster of two nodes in two zones, with the plugin.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "plugins/common/volume_testing.h"
#include "plugins/common/zone_labels.h"
#include "plugins/volume_binding/volume_binding.h"

namespace ksched::testing_support {

inline constexpr const char* kNodeConflict =
    "UnschedulableAndUnresolvable: node(s) didn't match PersistentVolume's node affinity";
inline constexpr const char* kBindConflict =
    "UnschedulableAndUnresolvable: node(s) didn't find available persistent volumes to bind";
inline constexpr const char* kNoSpace = "UnschedulableAndUnresolvable: node(s) did not have enough free storage";
inline constexpr const char* kNoVolume =
    "UnschedulableAndUnresolvable: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

inline config::VolumeBindingArgs DefaultArgs() {
  config::VolumeBindingArgs args;
  args.shape = {{0, 10}, {100, 0}};
  return args;
}

// Nodes a and b with their names as hostname and zone; classes "local" (no provisioner), "csi", "zonal" (for zone a)
// and "now" (immediate binding).
class VolumeBindingTest : public ::testing::Test {
 protected:
  VolumeBindingTest() {
    for (const char* const name : {"a", "b"}) {
      cluster_.AddNode(MakeNode(name).Label("kubernetes.io/hostname", name).Label(kZoneLabel, name));
    }
    objects().storage_classes.Put(MakeClass("local", "kubernetes.io/no-provisioner"));
    objects().storage_classes.Put(MakeClass("csi"));
    objects().storage_classes.Put(MakeClass("now", "csi.example.com", "Immediate"));
    api::StorageClass zonal = MakeClass("zonal");
    zonal.allowed_topologies = {{}, {{{kZoneLabel, {"a", "x"}}}}};
    objects().storage_classes.Put(zonal);
    plugin_ = cluster_.Create<VolumeBinding>(DefaultArgs());
  }
  ClusterObjects& objects() { return cluster_.state.objects(); }
  const PodInfo& Pod(const std::vector<api::Volume>& volumes) {
    return cluster_.AddPod(WithVolumes(MakePod("pod-" + std::to_string(++pods_)), volumes));
  }
  std::string Filter(const PodInfo& pod, const char* node) {
    return cluster_.Filter(*plugin_, pod, cluster_.View(node));
  }
  // Filter on the node, then Reserve.
  std::string Reserve(const PodInfo& pod, const char* node) {
    const std::string filter = Filter(pod, node);
    if (filter != "Success") return filter;
    return cluster_.Text(plugin_->Reserve(cluster_.cycle, pod, cluster_.View(node).id()));
  }
  // The plugin anew, with somebody who writes.
  void WriteWith(VolumeWriter& writer) {
    PluginContext context = cluster_.Context();
    context.ports.volume_writer = &writer;
    plugin_ = std::make_unique<VolumeBinding>(DefaultArgs(), context);
  }
  // "not yet": it takes its time.
  std::string PreBind(const PodInfo& pod, NodeId node) {
    StatusKeeper kept;
    plugin_->PreBind(cluster_.cycle, pod, node, kept);
    return kept.status ? cluster_.Text(*kept.status) : "not yet";
  }

  TestCluster cluster_;
  std::unique_ptr<VolumeBinding> plugin_;
  int pods_ = 0;
};

inline api::CsiDriver WithCapacity(std::optional<bool> storage_capacity) {
  api::CsiDriver driver;
  driver.metadata.name = "csi.example.com";
  driver.storage_capacity = storage_capacity;
  return driver;
}
// Of the class in the zone; "": everywhere.
inline api::CsiStorageCapacity MakeCapacity(std::string name, std::string class_name, const char* zone,
                                            const char* capacity, const char* largest = nullptr) {
  api::CsiStorageCapacity object;
  object.metadata.name = std::move(name);
  object.metadata.ns = "kube-system";
  object.storage_class_name = std::move(class_name);
  object.node_topology.emplace();
  if (*zone != '\0') object.node_topology->match_labels[kZoneLabel] = zone;
  if (capacity != nullptr) object.capacity = *api::Quantity::Parse(capacity);
  if (largest != nullptr) object.maximum_volume_size = *api::Quantity::Parse(largest);
  return object;
}

}  // namespace ksched::testing_support
