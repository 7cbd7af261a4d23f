#include "plugins/node_volume_limits/node_volume_limits.h"

#include <gtest/gtest.h>

#include "framework/testing.h"
#include "plugins/common/volume_testing.h"

namespace ksched {
namespace {

using namespace testing_support;

constexpr const char* kDriver = "csi.example.com";
constexpr const char* kEbs = "ebs.csi.aws.com";
constexpr const char* kTooMany = "Unschedulable: node(s) exceed max volume count";

using Limits = std::vector<std::pair<const char*, std::optional<int32_t>>>;

api::CsiNode MakeCsiNode(const Limits& limits) {
  api::CsiNode csi_node;
  csi_node.metadata.name = "n";
  for (const auto& [driver, count] : limits) csi_node.drivers.push_back({driver, "n", {}, count});
  return csi_node;
}
api::Volume EbsDisk(std::string id) {
  return Source([&](api::VolumeSource& s) { s.aws_elastic_block_store = {std::move(id), false}; });
}
api::VolumeAttachment Attached(std::string name, std::string volume, std::string attacher = kDriver) {
  api::VolumeAttachment attachment;
  attachment.metadata.name = std::move(name);
  attachment.attacher = std::move(attacher);
  attachment.node_name = "n";
  attachment.persistent_volume_name = std::move(volume);
  return attachment;
}

// Claims a, b and c with volumes of the driver; "ebs" with an in-tree volume; "new" and "new-ebs" that wait.
class NodeVolumeLimitsTest : public ::testing::Test {
 protected:
  NodeVolumeLimitsTest() {
    for (const char* const name : {"a", "b", "c"}) {
      objects().volumes.Put(MakeVolume(std::string("pv-") + name).Csi(kDriver, name));
      objects().claims.Put(MakeClaim(name).Bound(std::string("pv-") + name));
    }
    api::PersistentVolume ebs = MakeVolume("pv-ebs");
    ebs.spec.source.aws_elastic_block_store = {"vol-1", false};
    objects().volumes.Put(ebs);
    objects().claims.Put(MakeClaim("ebs").Bound("pv-ebs"));
    objects().storage_classes.Put(MakeClass("csi", kDriver));
    objects().storage_classes.Put(MakeClass("ebs", "kubernetes.io/aws-ebs"));
    objects().storage_classes.Put(MakeClass("vsphere", "kubernetes.io/vsphere-volume"));
    objects().claims.Put(MakeClaim("new").Class("csi"));
    objects().claims.Put(MakeClaim("gone").Class("csi").Bound("no-such-volume"));
    objects().claims.Put(MakeClaim("new-ebs").Class("ebs"));
    objects().claims.Put(MakeClaim("new-vsphere").Class("vsphere"));
    objects().claims.Put(MakeClaim("no-class"));
  }
  ClusterObjects& objects() { return cluster_.state.objects(); }
  std::string Filter(const std::vector<api::Volume>& pod, const std::vector<api::Volume>& existing,
                     const std::optional<Limits>& limits) {
    const auto plugin = cluster_.Create<NodeVolumeLimits>();
    const NodeView node = cluster_.AddNode(MakeNode("n"));
    if (limits) objects().csi_nodes.Put(MakeCsiNode(*limits));
    int pods = 0;
    for (const api::Volume& volume : existing) {
      cluster_.AddPod(WithVolumes(MakePod("there-" + std::to_string(++pods)).Node("n"), {volume}));
    }
    return cluster_.Filter(*plugin, cluster_.AddPod(WithVolumes(MakePod(), pod)), node);
  }
  TestCluster cluster_;
};

struct Row {
  const char* name;
  std::vector<api::Volume> pod, existing;
  std::optional<Limits> limits;
  const char* want;
};

class NodeVolumeLimitsRows : public NodeVolumeLimitsTest, public ::testing::WithParamInterface<Row> {};

TEST_P(NodeVolumeLimitsRows, Filter) {
  EXPECT_EQ(Filter(GetParam().pod, GetParam().existing, GetParam().limits), GetParam().want) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(
    Table, NodeVolumeLimitsRows,
    ::testing::Values(
        Row{"fits", {Claim("a")}, {Claim("b")}, Limits{{kDriver, 2}}, "Success"},
        Row{"too many", {Claim("a")}, {Claim("b"), Claim("c")}, Limits{{kDriver, 2}}, kTooMany},
        Row{"two of its own", {Claim("a"), Claim("b")}, {}, Limits{{kDriver, 1}}, kTooMany},
        Row{"one twice", {Claim("a"), Claim("a")}, {}, Limits{{kDriver, 1}}, "Success"},
        Row{"there already", {Claim("a")}, {Claim("a"), Claim("b")}, Limits{{kDriver, 2}}, "Success"},
        Row{"one there already", {Claim("a"), Claim("c")}, {Claim("a"), Claim("b")}, Limits{{kDriver, 2}}, kTooMany},
        Row{"existing claim is not there", {Claim("a")}, {Claim("none")}, Limits{{kDriver, 1}}, "Success"},
        Row{"limit of another driver", {Claim("a")}, {Claim("b")}, Limits{{kEbs, 0}}, "Success"},
        Row{"no count", {Claim("a")}, {}, Limits{{kDriver, std::nullopt}}, "Success"},
        Row{"no CSINode", {Claim("a")}, {}, std::nullopt, "Success"},
        Row{"zero", {Claim("a")}, {}, Limits{{kDriver, 0}}, kTooMany},
        Row{"to be provisioned", {Claim("new")}, {Claim("a")}, Limits{{kDriver, 1}}, kTooMany},
        Row{"to be provisioned, there already", {Claim("new")}, {Claim("new")}, Limits{{kDriver, 1}}, "Success"},
        Row{"volume is gone: by class", {Claim("gone")}, {}, Limits{{kDriver, 0}}, kTooMany},
        Row{"no class", {Claim("no-class")}, {}, Limits{{kDriver, 0}}, "Success"},
        Row{"migrated", {Claim("ebs")}, {}, Limits{{kEbs, 0}}, kTooMany},
        Row{"migrated, to be provisioned", {Claim("new-ebs")}, {Claim("ebs")}, Limits{{kEbs, 1}}, kTooMany},
        Row{"migrated, in the pod", {EbsDisk("vol-2")}, {Claim("ebs")}, Limits{{kEbs, 1}}, kTooMany},
        Row{"migrated, the same in the pod", {EbsDisk("vol-1")}, {Claim("ebs")}, Limits{{kEbs, 1}}, "Success"},
        Row{"not migrated", {Claim("new-vsphere")}, {}, Limits{{"csi.vsphere.vmware.com", 0}}, "Success"},
        Row{"in the pod, no CSINode", {EbsDisk("vol-2")}, {}, std::nullopt, "Success"},
        Row{"in the pod, no handle",
            {EbsDisk("aws://a/b")},
            {},
            Limits{},
            "Error: converting volume(disk) from inline to csi: failed to translate Kubernetes ID to EBS Volume ID "
            "Invalid format for AWS volume (aws://a/b)"},
        Row{"claim is not there",
            {Claim("none")},
            {},
            std::nullopt,
            "UnschedulableAndUnresolvable: looking up PVC default/none: persistentvolumeclaim \"none\" not found"},
        Row{"ephemeral, no claim yet",
            {Ephemeral("v")},
            {},
            std::nullopt,
            "UnschedulableAndUnresolvable: looking up PVC default/pod-v: persistentvolumeclaim \"pod-v\" not found"},
        Row{"no volumes", {}, {}, Limits{{kDriver, 0}}, "PreFilter Skip"},
        Row{"an inline CSI volume",
            {Source(
                [](api::VolumeSource& s) {
                  s.csi = {kDriver, ""};
                })},
            {},
            Limits{{kDriver, 0}},
            "PreFilter Skip"}));

TEST_F(NodeVolumeLimitsTest, EphemeralVolumes) {
  objects().claims.Put(MakeClaim("pod-v").Class("csi").Owner("default/pod"));
  EXPECT_EQ(Filter({Ephemeral("v")}, {}, Limits{{kDriver, 0}}), kTooMany);
  objects().claims.Put(MakeClaim("pod-v").Class("csi").Owner("default/other"));
  const auto plugin = cluster_.Create<NodeVolumeLimits>();
  PodInfo& pod = *cluster_.state.pod_store().Find("default", "pod");
  EXPECT_EQ(cluster_.Filter(*plugin, pod, cluster_.View("n")),
            "Error: PVC default/pod-v was not created for pod default/pod (pod is not owner)");
}

TEST_F(NodeVolumeLimitsTest, Attachments) {
  objects().volume_attachments.Put(Attached("1", "pv-b"));
  objects().volume_attachments.Put(Attached("2", "pv-b"));          // once more
  objects().volume_attachments.Put(Attached("3", "none"));          // no such volume
  objects().volume_attachments.Put(Attached("4", "pv-ebs", kEbs));  // no CSI volume
  objects().volume_attachments.Put(Attached("5", "pv-c", /*attacher=*/""));
  EXPECT_EQ(Filter({Claim("a")}, {Claim("b")}, Limits{{kDriver, 2}}), "Success");
  const auto plugin = cluster_.Create<NodeVolumeLimits>();
  const PodInfo& pod = *cluster_.state.pod_store().Find("default", "pod");
  objects().volume_attachments.Put(Attached("5", "pv-c"));
  EXPECT_EQ(cluster_.Filter(*plugin, pod, cluster_.View("n")), kTooMany);
  objects().volume_attachments.Remove("", "5");
  EXPECT_EQ(cluster_.Filter(*plugin, pod, cluster_.View("n")), "Success");
  objects().claims.Remove("default", "b");  // of a pod that is there: it does not count, its attachment does
  EXPECT_EQ(cluster_.Filter(*plugin, pod, cluster_.View("n")), "Success");
}

TEST_F(NodeVolumeLimitsTest, DriversThatMustBeThere) {
  api::CsiDriver driver;
  driver.metadata.name = kDriver;
  objects().csi_drivers.Put(driver);
  EXPECT_EQ(Filter({Claim("a")}, {}, Limits{{kEbs, 1}}), "Success");
  driver.prevent_pod_scheduling_if_missing = true;
  objects().csi_drivers.Put(driver);
  const auto plugin = cluster_.Create<NodeVolumeLimits>();
  const PodInfo& pod = *cluster_.state.pod_store().Find("default", "pod");
  const char* const missing = "Unschedulable: csi.example.com CSI driver is not installed on the node";
  EXPECT_EQ(cluster_.Filter(*plugin, pod, cluster_.View("n")), missing);
  objects().csi_nodes.Put(MakeCsiNode({{kDriver, std::nullopt}}));
  EXPECT_EQ(cluster_.Filter(*plugin, pod, cluster_.View("n")), "Success");
  objects().csi_nodes.Remove("", "n");
  EXPECT_EQ(cluster_.Filter(*plugin, pod, cluster_.View("n")), missing);
  cluster_.features = *config::FeatureGates::Parse("VolumeLimitScaling=false");
  EXPECT_EQ(cluster_.Filter(*cluster_.Create<NodeVolumeLimits>(), pod, cluster_.View("n")), "Success");
}

TEST_F(NodeVolumeLimitsTest, FilterWithoutPreFilter) {
  EXPECT_EQ(Filter({Claim("a")}, {}, Limits{{kDriver, 0}}), kTooMany);
  cluster_.cycle.StartCycle();
  const auto plugin = cluster_.Create<NodeVolumeLimits>();
  const PodInfo& pod = *cluster_.state.pod_store().Find("default", "pod");
  EXPECT_EQ(cluster_.Text(plugin->Filter(cluster_.cycle, pod, cluster_.View("n"))), kTooMany);
}

}  // namespace
}  // namespace ksched
