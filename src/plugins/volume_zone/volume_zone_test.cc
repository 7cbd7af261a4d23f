#include "plugins/volume_zone/volume_zone.h"

#include <gtest/gtest.h>

#include "framework/testing.h"
#include "plugins/common/volume_testing.h"
#include "plugins/common/zone_labels.h"

namespace ksched {
namespace {

using namespace testing_support;

constexpr const char* kOther = "UnschedulableAndUnresolvable: node(s) had no available volume zone";

TEST(VolumeZoneTest, Zones) {
  struct Row {
    const char* name;
    Pairs volume, node;
    const char* want;
  };
  const std::vector<Row> rows = {
      {"the same zone", {{kZoneLabel, "a"}}, {{kZoneLabel, "a"}}, "Success"},
      {"another zone", {{kZoneLabel, "a"}}, {{kZoneLabel, "b"}}, kOther},
      {"one of its zones", {{kZoneLabel, "b__a"}}, {{kZoneLabel, "a"}}, "Success"},
      {"the same zone, another region",
       {{kZoneLabel, "a"}, {kRegionLabel, "r"}},
       {{kZoneLabel, "a"}, {kRegionLabel, "s"}},
       kOther},
      {"old label on the volume only", {{kBetaZoneLabel, "a"}}, {{kZoneLabel, "a"}}, "Success"},
      {"old label of regions on the volume only", {{kBetaRegionLabel, "r"}}, {{kRegionLabel, "s"}}, kOther},
      {"old label on the node only", {{kZoneLabel, "a"}}, {{kBetaZoneLabel, "a"}}, kOther},
      {"old labels first", {{kBetaZoneLabel, "a"}}, {{kBetaZoneLabel, "b"}, {kZoneLabel, "a"}}, kOther},
      {"a node without labels", {{kZoneLabel, "a"}}, {}, "Success"},
      {"a node with a region only", {{kZoneLabel, "a"}}, {{kRegionLabel, "r"}}, kOther},
      {"an empty name among the zones", {{kZoneLabel, "a__"}}, {{kZoneLabel, "b"}}, "PreFilter Skip"},
      {"no labels", {}, {{kZoneLabel, "b"}}, "PreFilter Skip"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    MakeVolume volume("pv");
    for (const auto& [key, value] : row.volume) volume.Label(key, value);
    MakeNode node("n");
    for (const auto& [key, value] : row.node) node.Label(key, value);
    cluster.state.objects().volumes.Put(volume);
    cluster.state.objects().claims.Put(MakeClaim("data").Bound("pv"));
    const auto plugin = cluster.Create<VolumeZone>();
    const PodInfo& pod = cluster.AddPod(WithVolumes(MakePod(), {Claim("data")}));
    const NodeView view = cluster.AddNode(node);
    const std::string got = cluster.Filter(*plugin, pod, view);
    EXPECT_EQ(got, row.want);
    cluster.cycle.StartCycle();  // a profile without PreFilter
    EXPECT_EQ(cluster.Text(plugin->Filter(cluster.cycle, pod, view)), got == "PreFilter Skip" ? "Success" : got);
  }
}

TEST(VolumeZoneTest, WhatIsMissing) {
  struct Row {
    const char* name;
    MakeClaim claim;
    const char* want;
  };
  const std::vector<Row> rows = {
      {"the claim", MakeClaim("other"), "UnschedulableAndUnresolvable: persistentvolumeclaim \"data\" not found"},
      {"the volume", MakeClaim("data").Volume("pv"), "UnschedulableAndUnresolvable: persistentvolume \"pv\" not found"},
      {"a class", MakeClaim("data"),
       "UnschedulableAndUnresolvable: PersistentVolumeClaim had no pv name and storageClass name"},
      {"the class", MakeClaim("data").Class("none"),
       "UnschedulableAndUnresolvable: storageclass.storage.k8s.io \"none\" not found"},
      {"the binding", MakeClaim("data").Class("now"), "UnschedulableAndUnresolvable: PersistentVolume had no name"},
      {"the binding, which waits",
       MakeClaim("data").Class("now").Annotation("volume.beta.kubernetes.io/storage-class", "wait"), "Skip"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    cluster.state.objects().claims.Put(row.claim);
    cluster.state.objects().storage_classes.Put(MakeClass("now", "p", "Immediate"));
    cluster.state.objects().storage_classes.Put(MakeClass("wait"));
    const auto plugin = cluster.Create<VolumeZone>();
    const PodInfo& pod = cluster.AddPod(WithVolumes(MakePod(), {Claim("data"), Ephemeral("own")}));
    const NodeView node = cluster.AddNode(MakeNode("n"));
    EXPECT_EQ(cluster.Filter(*plugin, pod, node), std::string("PreFilter ") + row.want);
    cluster.cycle.StartCycle();  // a profile without PreFilter
    const std::string want = row.want == std::string("Skip") ? "Success" : row.want;
    EXPECT_EQ(cluster.Text(plugin->Filter(cluster.cycle, pod, node)), want);
  }
}

TEST(VolumeZoneTest, PodsWithoutVolumes) {
  TestCluster cluster;
  const auto plugin = cluster.Create<VolumeZone>();
  const PodInfo& pod = cluster.AddPod(MakePod());
  const NodeView node = cluster.AddNode(MakeNode("n").Label(kZoneLabel, "a"));
  EXPECT_EQ(cluster.Filter(*plugin, pod, node), "PreFilter Skip");
  EXPECT_EQ(cluster.Text(plugin->Filter(cluster.cycle, pod, node)), "Success");
}

TEST(VolumeZoneTest, Hints) {
  TestCluster cluster;
  const auto plugin = cluster.Create<VolumeZone>();
  const PodInfo& pod = cluster.AddPod(WithVolumes(MakePod(), {Claim("data")}));
  const api::StorageClass waits = MakeClass("wait"), now = MakeClass("now", "p", "Immediate");
  const ClusterEvent class_added{EventResource::kStorageClass, kAdd};
  EXPECT_EQ(Hint(*plugin, class_added, pod, {.new_object = &waits}), "Queue");
  EXPECT_EQ(Hint(*plugin, class_added, pod, {.new_object = &now}), "Skip");
  EXPECT_EQ(Hint(*plugin, {EventResource::kStorageClass, kUpdate}, pod, {}), "not registered");

  EXPECT_EQ(Hint(*plugin, {EventResource::kNode, kAdd}, pod, {}), "Queue");
  EXPECT_EQ(Hint(*plugin, {EventResource::kNode, kUpdateNodeLabel}, pod, {}), "Queue");
  EXPECT_EQ(Hint(*plugin, {EventResource::kNode, kUpdateNodeTaint}, pod, {}), "not registered");

  const api::PersistentVolumeClaim data = MakeClaim("data"), other = MakeClaim("other");
  for (const ActionType action : {kAdd, kUpdate}) {
    const ClusterEvent event{EventResource::kPersistentVolumeClaim, action};
    EXPECT_EQ(Hint(*plugin, event, pod, {.new_object = &data}), "Queue");
    EXPECT_EQ(Hint(*plugin, event, pod, {.new_object = &other}), "Skip");
  }

  const api::PersistentVolume plain = MakeVolume("pv"), in_a = MakeVolume("pv").Label(kZoneLabel, "a"),
                              in_a_or_b = MakeVolume("pv").Label(kZoneLabel, "a__b"),
                              in_b_or_a = MakeVolume("pv").Label(kZoneLabel, "b__a").Label("x", "y");
  const ClusterEvent updated{EventResource::kPersistentVolume, kUpdate};
  EXPECT_EQ(Hint(*plugin, {EventResource::kPersistentVolume, kAdd}, pod, {.new_object = &plain}), "Queue");
  EXPECT_EQ(Hint(*plugin, updated, pod, {.old_object = &in_a, .new_object = &in_a_or_b}), "Queue");
  EXPECT_EQ(Hint(*plugin, updated, pod, {.old_object = &in_a, .new_object = &plain}), "Queue");
  EXPECT_EQ(Hint(*plugin, updated, pod, {.old_object = &in_a_or_b, .new_object = &in_b_or_a}), "Skip");
}

}  // namespace
}  // namespace ksched
