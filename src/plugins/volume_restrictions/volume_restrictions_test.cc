#include "plugins/volume_restrictions/volume_restrictions.h"

#include <gtest/gtest.h>

#include "framework/testing.h"
#include "plugins/common/volume_testing.h"

namespace ksched {
namespace {

using namespace testing_support;

constexpr const char* kNoDisk = "Unschedulable: node(s) had no available disk";
constexpr const char* kInUse =
    "Unschedulable: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use "
    "by another pod";

api::Volume Gce(std::string name, bool read_only = false) {
  return Source([&](api::VolumeSource& s) { s.gce_persistent_disk = {std::move(name), read_only}; });
}
api::Volume Aws(std::string id, bool read_only = false) {
  return Source([&](api::VolumeSource& s) { s.aws_elastic_block_store = {std::move(id), read_only}; });
}
api::Volume Iscsi(std::string portal, std::string iqn, bool read_only = false) {
  return Source([&](api::VolumeSource& s) { s.iscsi = {std::move(portal), std::move(iqn), 0, read_only}; });
}
api::Volume Rbd(std::vector<std::string> monitors, std::string pool, std::string image, bool read_only = false) {
  return Source([&](api::VolumeSource& s) {
    s.rbd = {std::move(monitors), std::move(image), std::move(pool), read_only};
  });
}

TEST(VolumeRestrictionsTest, Disks) {
  struct Row {
    const char* name;
    api::Volume pod, existing;
    const char* want;
  };
  const std::vector<Row> rows = {
      {"the same GCE disk", Gce("a"), Gce("a"), kNoDisk},
      {"another GCE disk", Gce("a"), Gce("b"), "Success"},
      {"GCE, both read", Gce("a", true), Gce("a", true), "Success"},
      {"GCE, one reads", Gce("a", true), Gce("a"), kNoDisk},
      {"the same AWS disk", Aws("a"), Aws("a"), kNoDisk},
      {"AWS, both read", Aws("a", true), Aws("a", true), kNoDisk},
      {"another AWS disk", Aws("a"), Aws("b"), "Success"},
      {"iSCSI by IQN, whatever the portal", Iscsi("p", "i"), Iscsi("q", "i"), kNoDisk},
      {"iSCSI, both read", Iscsi("p", "i", true), Iscsi("p", "i", true), "Success"},
      {"another IQN", Iscsi("p", "i"), Iscsi("p", "j"), "Success"},
      {"the same RBD image by one monitor", Rbd({"a", "b"}, "rbd", "i"), Rbd({"c", "b"}, "rbd", "i"), kNoDisk},
      {"RBD, no common monitor", Rbd({"a"}, "rbd", "i"), Rbd({"c"}, "rbd", "i"), "Success"},
      {"RBD, another pool", Rbd({"a"}, "rbd", "i"), Rbd({"a"}, "b", "i"), "Success"},
      {"RBD, another image", Rbd({"a"}, "rbd", "i"), Rbd({"a"}, "rbd", "j"), "Success"},
      {"RBD, both read", Rbd({"a"}, "rbd", "i", true), Rbd({"a"}, "rbd", "i", true), "Success"},
      {"disks of two kinds", Gce("a"), Aws("a"), "Success"},
      {"a claim", Claim("a"), Gce("a"), "PreFilter Skip"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    cluster.state.objects().claims.Put(MakeClaim("a"));
    const NodeView node = cluster.AddNode(MakeNode("n"));
    cluster.AddPod(WithVolumes(MakePod("there").Node("n"), {row.existing}));
    const auto plugin = cluster.Create<VolumeRestrictions>();
    EXPECT_EQ(cluster.Filter(*plugin, cluster.AddPod(WithVolumes(MakePod(), {row.pod})), node), row.want);
  }
}

TEST(VolumeRestrictionsTest, ClaimsForOnePod) {
  struct Row {
    const char* name;
    const char* mode;
    const char* other_ns;
    const char* want;
  };
  const std::vector<Row> rows = {
      {"in use", "ReadWriteOncePod", "default", kInUse},
      {"of another namespace", "ReadWriteOncePod", "other", "PreFilter Skip"},
      {"for many pods", "ReadWriteOnce", "default", "PreFilter Skip"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    cluster.state.objects().claims.Put(MakeClaim("data").Mode(row.mode));
    const NodeView other = cluster.AddNode(MakeNode("m"));
    cluster.AddNode(MakeNode("n"));
    cluster.AddPod(WithVolumes(MakePod("there").Namespace(row.other_ns).Node("n"), {Claim("data")}));
    const auto plugin = cluster.Create<VolumeRestrictions>();
    EXPECT_EQ(cluster.Filter(*plugin, cluster.AddPod(WithVolumes(MakePod(), {Claim("data")})), other), row.want);
  }
}

TEST(VolumeRestrictionsTest, ClaimThatIsNotThere) {
  TestCluster cluster;
  const NodeView node = cluster.AddNode(MakeNode("n"));
  const auto plugin = cluster.Create<VolumeRestrictions>();
  EXPECT_EQ(cluster.Filter(*plugin, cluster.AddPod(WithVolumes(MakePod(), {Claim("data")})), node),
            "PreFilter UnschedulableAndUnresolvable: persistentvolumeclaim \"data\" not found");
  EXPECT_EQ(cluster.Filter(*plugin, cluster.AddPod(MakePod("plain")), node), "PreFilter Skip");
  EXPECT_EQ(cluster.Filter(*plugin, cluster.AddPod(WithVolumes(MakePod("own"), {Ephemeral("v")})), node),
            "PreFilter Skip");
}

TEST(VolumeRestrictionsTest, DryRuns) {
  TestCluster cluster;
  cluster.state.objects().claims.Put(MakeClaim("data").Mode("ReadWriteOncePod"));
  const NodeView node = cluster.AddNode(MakeNode("n"));
  PodInfo& there = cluster.AddPod(WithVolumes(MakePod("there").Node("n"), {Claim("data")}));
  const PodInfo& pod = cluster.AddPod(WithVolumes(MakePod(), {Claim("data"), Claim("data")}));
  const auto plugin = cluster.Create<VolumeRestrictions>();
  EXPECT_EQ(cluster.Filter(*plugin, pod, node), kInUse);
  cluster.cycle.extended.Insert(0);
  const CycleState::Mark mark = cluster.cycle.SetMark();
  EXPECT_TRUE(plugin->extensions()->RemovePod(cluster.cycle, pod, there, node).ok());
  EXPECT_EQ(cluster.Text(plugin->Filter(cluster.cycle, pod, node)), "Success");
  EXPECT_TRUE(plugin->extensions()->AddPod(cluster.cycle, pod, there, node).ok());
  EXPECT_EQ(cluster.Text(plugin->Filter(cluster.cycle, pod, node)), kInUse);
  EXPECT_TRUE(plugin->extensions()->RemovePod(cluster.cycle, pod, there, node).ok());
  cluster.cycle.Rollback(mark);
  EXPECT_EQ(cluster.Text(plugin->Filter(cluster.cycle, pod, node)), kInUse);
}

TEST(VolumeRestrictionsTest, FilterWithoutPreFilter) {
  TestCluster cluster;
  const NodeView node = cluster.AddNode(MakeNode("n"));
  const auto plugin = cluster.Create<VolumeRestrictions>();
  EXPECT_EQ(cluster.Text(plugin->Filter(cluster.cycle, cluster.AddPod(MakePod()), node)),
            "Error: cannot read \"PreFilterVolumeRestrictions\" from cycleState");
}

TEST(VolumeRestrictionsTest, HintAfterPodDeleted) {
  struct Row {
    const char* name;
    std::vector<api::Volume> pod, deleted;
    const char* ns;
    const char* want;
  };
  const std::vector<Row> rows = {
      {"had the disk", {Gce("a")}, {Gce("a")}, "default", "Queue"},
      {"of another namespace", {Gce("a")}, {Gce("a")}, "other", "Skip"},
      {"had another disk", {Gce("a")}, {Gce("b")}, "default", "Skip"},
      {"had the claim", {Claim("a")}, {Claim("b"), Claim("a")}, "default", "Queue"},
      {"had another claim", {Claim("a")}, {Claim("b")}, "default", "Skip"},
      {"had nothing", {Gce("a")}, {}, "default", "Skip"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<VolumeRestrictions>();
    const PodInfo& pod = cluster.AddPod(WithVolumes(MakePod(), row.pod));
    const PodInfo& deleted = cluster.AddPod(WithVolumes(MakePod("gone").Namespace(row.ns), row.deleted));
    EXPECT_EQ(Hint(*plugin, kAssignedPodDelete, pod, {.old_pod = &deleted}), row.want);
  }
}

TEST(VolumeRestrictionsTest, HintAfterClaimAdded) {
  TestCluster cluster;
  const auto plugin = cluster.Create<VolumeRestrictions>();
  const PodInfo& pod = cluster.AddPod(WithVolumes(MakePod(), {Claim("a"), Ephemeral("v")}));
  const auto hint = [&](const api::PersistentVolumeClaim& claim) {
    return Hint(*plugin, {EventResource::kPersistentVolumeClaim, kAdd}, pod, {.new_object = &claim});
  };
  EXPECT_EQ(hint(MakeClaim("a")), "Queue");
  EXPECT_EQ(hint(MakeClaim("a").Namespace("other")), "Skip");
  EXPECT_EQ(hint(MakeClaim("b")), "Skip");
  EXPECT_EQ(hint(MakeClaim("pod-v")), "Skip");
  EXPECT_EQ(Hint(*plugin, {EventResource::kNode, kAdd}, pod, {}), "Queue");
  EXPECT_EQ(Hint(*plugin, {EventResource::kPersistentVolumeClaim, kUpdate}, pod, {}), "not registered");
}

}  // namespace
}  // namespace ksched
