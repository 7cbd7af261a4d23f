// The queueing hints of NodeVolumeLimits.
#include <gtest/gtest.h>

#include "framework/testing.h"
#include "plugins/common/volume_testing.h"
#include "plugins/node_volume_limits/node_volume_limits.h"

namespace ksched {
namespace {

using namespace testing_support;

api::CsiNode WithLimit(std::string driver, std::optional<int32_t> count) {
  api::CsiNode csi_node;
  csi_node.drivers.push_back({std::move(driver), "n", {}, count});
  return csi_node;
}
api::Volume Disk(std::string id) {
  return Source([&](api::VolumeSource& s) { s.aws_elastic_block_store = {std::move(id), false}; });
}

TEST(NodeVolumeLimitsHints, CsiNodes) {
  struct Row {
    const char* name;
    api::CsiNode before, after;
    const char* want;
  };
  const std::vector<Row> rows = {
      {"rose", WithLimit("a", 1), WithLimit("a", 2), "Queue"},
      {"fell", WithLimit("a", 2), WithLimit("a", 1), "Skip"},
      {"another driver", WithLimit("a", 2), WithLimit("b", 1), "Queue"},
      {"a limit now", WithLimit("a", std::nullopt), WithLimit("a", 1), "Queue"},
      {"no limit any more", WithLimit("a", 1), WithLimit("a", std::nullopt), "Skip"},
  };
  TestCluster cluster;
  const auto plugin = cluster.Create<NodeVolumeLimits>();
  const PodInfo& pod = cluster.AddPod(MakePod());
  for (const Row& row : rows) {
    EXPECT_EQ(
        Hint(*plugin, {EventResource::kCsiNode, kUpdate}, pod, {.old_object = &row.before, .new_object = &row.after}),
        row.want)
        << row.name;
  }
  EXPECT_EQ(Hint(*plugin, {EventResource::kCsiNode, kAdd}, pod, {.new_object = &rows[0].after}), "Queue");
}

TEST(NodeVolumeLimitsHints, PodDeleted) {
  struct Row {
    const char* name;
    api::Pod deleted;
    const char* want;
  };
  const std::vector<Row> rows = {
      {"with a claim", WithVolumes(MakePod("x").Node("n"), {Claim("a")}), "Queue"},
      {"with an ephemeral volume", WithVolumes(MakePod("x").Node("n"), {Ephemeral("a")}), "Queue"},
      {"with an in-tree volume", WithVolumes(MakePod("x").Node("n"), {Disk("d")}), "Queue"},
      {"nominated", WithVolumes(MakePod("x").NominatedNode("n"), {Claim("a")}), "Queue"},
      {"neither placed nor nominated", WithVolumes(MakePod("x"), {Claim("a")}), "Skip"},
      {"with other volumes",
       WithVolumes(MakePod("x").Node("n"), {Source([](api::VolumeSource& s) { s.iscsi.emplace(); })}), "Skip"},
      {"without volumes", MakePod("x").Node("n"), "Skip"},
  };
  for (const Row& row : rows) {
    TestCluster cluster;
    const auto plugin = cluster.Create<NodeVolumeLimits>();
    const PodInfo& deleted = cluster.AddPod(row.deleted);
    EXPECT_EQ(Hint(*plugin, kAssignedPodDelete, cluster.AddPod(MakePod()), {.old_pod = &deleted}), row.want)
        << row.name;
  }
}

TEST(NodeVolumeLimitsHints, ClaimAdded) {
  TestCluster cluster;
  const auto plugin = cluster.Create<NodeVolumeLimits>();
  const PodInfo& pod = cluster.AddPod(WithVolumes(MakePod(), {Claim("a"), Ephemeral("v"), Disk("d")}));
  const auto hint = [&](const api::PersistentVolumeClaim& claim) {
    return Hint(*plugin, {EventResource::kPersistentVolumeClaim, kAdd}, pod, {.new_object = &claim});
  };
  EXPECT_EQ(hint(MakeClaim("a")), "Queue");
  EXPECT_EQ(hint(MakeClaim("pod-v")), "Queue");
  EXPECT_EQ(hint(MakeClaim("b")), "Skip");
  EXPECT_EQ(hint(MakeClaim("a").Namespace("other")), "Skip");
}

TEST(NodeVolumeLimitsHints, AttachmentDeleted) {
  struct Row {
    const char* name;
    std::vector<api::Volume> volumes;
    const char* want;
  };
  const std::vector<Row> rows = {
      {"a claim", {Claim("a")}, "Queue"},
      {"an in-tree volume of the driver", {Disk("vol-1")}, "Queue"},
      {"one of another driver", {Source([](api::VolumeSource& s) { s.vsphere_volume.emplace(); })}, "Skip"},
      {"an ephemeral volume", {Ephemeral("v")}, "Skip"},
      {"nothing", {}, "Skip"},
      {"no handle",
       {Disk("aws://a/b")},
       "converting volume(disk) from inline to csi: failed to translate Kubernetes ID to EBS Volume ID Invalid format "
       "for AWS volume (aws://a/b)"},
  };
  api::VolumeAttachment deleted;
  deleted.attacher = "ebs.csi.aws.com";
  for (const Row& row : rows) {
    TestCluster cluster;
    const auto plugin = cluster.Create<NodeVolumeLimits>();
    const PodInfo& pod = cluster.AddPod(WithVolumes(MakePod(), row.volumes));
    EXPECT_EQ(Hint(*plugin, {EventResource::kVolumeAttachment, kDelete}, pod, {.old_object = &deleted}), row.want)
        << row.name;
  }
}

}  // namespace
}  // namespace ksched
