// PreFilter and Filter of VolumeBinding.
#include "plugins/volume_binding/volume_binding_testing.h"

namespace ksched {
namespace {

using namespace testing_support;

constexpr const char* kHostname = "kubernetes.io/hostname";

TEST_F(VolumeBindingTest, PodsWithoutClaims) {
  EXPECT_EQ(Filter(Pod({}), "a"), "PreFilter Skip");
  EXPECT_EQ(Filter(Pod({Source([](api::VolumeSource& s) { s.csi.emplace(); })}), "a"), "PreFilter Skip");
}

TEST_F(VolumeBindingTest, ClaimsThatStopThePod) {
  MakeClaim deleting("data");
  deleting.claim.metadata.deletion_timestamp = 1;
  MakeClaim lost = MakeClaim("data").Bound("pv");
  lost.claim.status.phase = "Lost";
  struct Row {
    const char* name;
    std::optional<api::PersistentVolumeClaim> claim;
    api::Volume volume;
    const char* want;
  };
  const std::vector<Row> rows = {
      {"not there", std::nullopt, Claim("data"), "persistentvolumeclaim \"data\" not found"},
      {"not made yet", std::nullopt, Ephemeral("v"),
       "waiting for ephemeral volume controller to create the persistentvolumeclaim \"pod-2-v\""},
      {"lost", lost, Claim("data"), "persistentvolumeclaim \"data\" bound to non-existent persistentvolume \"pv\""},
      {"being deleted", deleting, Claim("data"), "persistentvolumeclaim \"data\" is being deleted"},
      {"of another pod", MakeClaim("pod-5-v").Owner("default/other"), Ephemeral("v"),
       "PVC default/pod-5-v was not created for pod default/pod-5 (pod is not owner)"},
      {"of nobody", MakeClaim("pod-6-v"), Ephemeral("v"),
       "PVC default/pod-6-v was not created for pod default/pod-6 (pod is not owner)"},
      {"immediate and unbound", MakeClaim("data").Class("now"), Claim("data"),
       "pod has unbound immediate PersistentVolumeClaims"},
      {"without class", MakeClaim("data"), Claim("data"), "pod has unbound immediate PersistentVolumeClaims"},
      {"of a class that is not there", MakeClaim("data").Class("none"), Claim("data"),
       "pod has unbound immediate PersistentVolumeClaims"},
      {"names a volume, not bound", MakeClaim("data").Class("csi").Volume("pv"), Claim("data"),
       "pod has unbound immediate PersistentVolumeClaims"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    objects().claims.Clear();
    if (row.claim) objects().claims.Put(*row.claim);
    EXPECT_EQ(Filter(Pod({row.volume}), "a"), std::string("PreFilter UnschedulableAndUnresolvable: ") + row.want);
  }
}

TEST_F(VolumeBindingTest, BoundClaims) {
  objects().claims.Put(MakeClaim("data").Bound("pv"));
  const PodInfo& pod = Pod({Claim("data")});
  EXPECT_EQ(Filter(pod, "a"), kNoVolume);
  objects().volumes.Put(MakeVolume("pv"));
  EXPECT_EQ(Filter(pod, "a"), "Success");
  objects().volumes.Put(MakeVolume("pv").Nodes(kHostname, {"a"}));
  EXPECT_EQ(Filter(pod, "a"), "Success");
  EXPECT_EQ(Filter(pod, "b"), kNodeConflict);
  // Fields of nodes, which is their name, are not compared, only labels; they have to be well-formed.
  MakeVolume by_name("pv");
  const auto filter_with = [&](api::NodeSelectorTerm term, const char* node) {
    by_name.volume.spec.required_node_affinity = api::NodeSelector{{std::move(term)}};
    objects().volumes.Put(by_name);
    return Filter(pod, node);
  };
  EXPECT_EQ(filter_with(MatchFields({{"metadata.name", "In", {"a"}}}), "b"), "Success");
  EXPECT_EQ(filter_with(MatchFields({{"metadata.name", "NotIn", {"b"}}}), "b"), "Success");
  EXPECT_EQ(filter_with(MatchFields({{"metadata.name", "In", {"a", "b"}}}), "b"), kNodeConflict) << "not valid";
  EXPECT_EQ(filter_with(MatchFields({{"metadata.uid", "In", {"a"}}}), "b"), "Success");
  EXPECT_EQ(filter_with(MatchFields({{"metadata.name", "Exists", {}}}), "b"), kNodeConflict) << "not valid";
  api::NodeSelectorTerm both = MatchFields({{"metadata.name", "In", {"a"}}});
  both.match_expressions = {{kHostname, "In", {"b"}}};
  EXPECT_EQ(filter_with(both, "b"), "Success");
  EXPECT_EQ(filter_with(both, "a"), kNodeConflict);
  by_name.volume.spec.required_node_affinity = api::NodeSelector{};
  objects().volumes.Put(by_name);
  EXPECT_EQ(Filter(pod, "a"), kNodeConflict);
}

TEST_F(VolumeBindingTest, MigratedVolumes) {
  MakeVolume volume("pv");
  volume.volume.spec.source.aws_elastic_block_store = {"vol-1", false};
  volume.Label(kZoneLabel, "a");
  objects().volumes.Put(volume);
  objects().claims.Put(MakeClaim("data").Bound("pv"));
  const PodInfo& pod = Pod({Claim("data")});
  EXPECT_EQ(Filter(pod, "b"), "Success");  // its label is a matter of VolumeZone
  api::CsiNode csi_node;
  csi_node.metadata.name = "b";
  csi_node.metadata.annotations["storage.alpha.kubernetes.io/migrated-plugins"] = "x,kubernetes.io/gce-pd";
  objects().csi_nodes.Put(csi_node);
  EXPECT_EQ(Filter(pod, "b"), "Success");
  csi_node.metadata.annotations["storage.alpha.kubernetes.io/migrated-plugins"] = "x,kubernetes.io/aws-ebs";
  objects().csi_nodes.Put(csi_node);
  EXPECT_EQ(Filter(pod, "b"), kNodeConflict);  // the driver's label is not there
  cluster_.AddNode(MakeNode("b").Label("topology.ebs.csi.aws.com/zone", "a"));
  EXPECT_EQ(Filter(pod, "b"), "Success");
  volume.volume.spec.source.aws_elastic_block_store->volume_id = "aws://a/b";
  objects().volumes.Put(volume);
  EXPECT_EQ(Filter(pod, "b"),
            "Error: could not translate pv: failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS "
            "volume (aws://a/b)");
  EXPECT_EQ(Filter(pod, "a"), "Success");
}

// What makes a volume one for a claim of 2Gi with ReadWriteOnce and a label: each row changes one thing.
TEST_F(VolumeBindingTest, StaticMatching) {
  const auto with = [](auto change) {
    MakeVolume volume = MakeVolume("pv").Class("local").Size("2Gi").Mode("ReadWriteOnce").Label("tier", "fast");
    change(volume);
    return api::PersistentVolume(volume);
  };
  struct Row {
    const char* name;
    api::PersistentVolume volume;
    bool fits;
  };
  const std::vector<Row> rows = {
      {"fits", with([](MakeVolume&) {}), true},
      {"too small", with([](MakeVolume& v) { v.Size("1Gi"); }), false},
      {"no capacity", with([](MakeVolume& v) { v.volume.spec.capacity.clear(); }), false},
      {"another class", with([](MakeVolume& v) { v.Class("csi"); }), false},
      {"the class by annotation", with([](MakeVolume& v) {
         v.Class("csi").volume.metadata.annotations["volume.beta.kubernetes.io/storage-class"] = "local";
       }),
       true},
      {"not available", with([](MakeVolume& v) { v.volume.status.phase = "Pending"; }), false},
      {"another label", with([](MakeVolume& v) { v.Label("tier", "slow"); }), false},
      {"another access mode", with([](MakeVolume& v) { v.volume.spec.access_modes = {"ReadOnlyMany"}; }), false},
      {"more access modes", with([](MakeVolume& v) { v.Mode("ReadOnlyMany"); }), true},
      {"another volume mode", with([](MakeVolume& v) { v.volume.spec.volume_mode = "Block"; }), false},
      {"no volume mode", with([](MakeVolume& v) { v.volume.spec.volume_mode = ""; }), true},
      {"another attributes class", with([](MakeVolume& v) { v.volume.spec.volume_attributes_class_name = "gold"; }),
       false},
      {"an empty attributes class", with([](MakeVolume& v) { v.volume.spec.volume_attributes_class_name = ""; }), true},
      {"being deleted", with([](MakeVolume& v) { v.volume.metadata.deletion_timestamp = 1; }), false},
      {"for another claim", with([](MakeVolume& v) { v.For("other"); }), false},
      {"for this claim", with([](MakeVolume& v) { v.For("data"); }), true},
      {"for this claim, whatever phase, label and access mode", with([](MakeVolume& v) {
         v.For("data", "default/data").Label("tier", "slow");
         v.volume.status.phase = "Bound";
         v.volume.spec.access_modes.clear();
       }),
       true},
      {"for an earlier claim of this name", with([](MakeVolume& v) { v.For("data", "old"); }), false},
      {"for this claim, too small", with([](MakeVolume& v) { v.For("data").Size("1Gi"); }), false},
      {"on another node", with([](MakeVolume& v) { v.Nodes(kHostname, {"b"}); }), false},
      {"on this node", with([](MakeVolume& v) { v.Nodes(kHostname, {"a"}); }), true},
  };
  MakeClaim claim = MakeClaim("data").Class("local").Size("2Gi").Mode("ReadWriteOnce");
  claim.claim.spec.selector.emplace().match_labels["tier"] = "fast";
  objects().claims.Put(claim);
  const PodInfo& pod = Pod({Claim("data")});
  for (const Row& row : rows) {
    objects().volumes.Clear();
    objects().volumes.Put(row.volume);
    EXPECT_EQ(Filter(pod, "a"), row.fits ? "Success" : kBindConflict) << row.name;
  }
}

TEST_F(VolumeBindingTest, AReservedVolumeDecides) {
  objects().claims.Put(MakeClaim("data").Class("local").Size("1Gi"));
  objects().volumes.Put(MakeVolume("a-free").Class("local").Size("1Gi"));
  objects().volumes.Put(MakeVolume("reserved").Class("local").Size("9Gi").For("data").Nodes(kHostname, {"b"}));
  const PodInfo& pod = Pod({Claim("data")});
  EXPECT_EQ(Filter(pod, "a"), kBindConflict);
  EXPECT_EQ(Filter(pod, "b"), "Success");
}

TEST_F(VolumeBindingTest, TwoClaimsNeedTwoVolumes) {
  objects().claims.Put(MakeClaim("large").Class("local").Size("2Gi"));
  objects().claims.Put(MakeClaim("small").Class("local").Size("1Gi"));
  objects().volumes.Put(MakeVolume("pv-2").Class("local").Size("2Gi"));
  const PodInfo& pod = Pod({Claim("large"), Claim("small")});
  EXPECT_EQ(Filter(pod, "a"), kBindConflict);
  // The smaller claim comes first, and leaves the larger volume.
  objects().volumes.Put(MakeVolume("pv-3").Class("local").Size("3Gi"));
  EXPECT_EQ(Filter(pod, "a"), "Success");
}

TEST_F(VolumeBindingTest, Provisioning) {
  objects().claims.Put(MakeClaim("csi").Class("csi").Size("2Gi"));
  objects().claims.Put(MakeClaim("zonal").Class("zonal").Size("2Gi"));
  objects().claims.Put(MakeClaim("no-size").Class("csi"));
  objects().claims.Put(MakeClaim("none").Class("no-provisioner"));
  objects().storage_classes.Put(MakeClass("no-provisioner", ""));
  EXPECT_EQ(Filter(Pod({Claim("csi")}), "a"), "Success");
  EXPECT_EQ(Filter(Pod({Claim("none")}), "a"), kBindConflict);
  const PodInfo& zonal = Pod({Claim("zonal")});
  EXPECT_EQ(Filter(zonal, "a"), "Success");
  EXPECT_EQ(Filter(zonal, "b"), kBindConflict);

  objects().csi_drivers.Put(WithCapacity(std::nullopt));
  EXPECT_EQ(Filter(zonal, "a"), "Success");
  objects().csi_drivers.Put(WithCapacity(true));
  EXPECT_EQ(Filter(zonal, "a"), kNoSpace);
  EXPECT_EQ(Filter(Pod({Claim("no-size")}), "a"), "Success");
}

TEST_F(VolumeBindingTest, StorageCapacity) {
  objects().csi_drivers.Put(WithCapacity(true));
  objects().claims.Put(MakeClaim("data").Class("csi").Size("2Gi"));
  const PodInfo& pod = Pod({Claim("data")});
  struct Row {
    const char* name;
    api::CsiStorageCapacity capacity;
    const char* want;
  };
  api::CsiStorageCapacity nowhere = MakeCapacity("c", "csi", "", "5Gi");
  nowhere.node_topology.reset();
  const std::vector<Row> rows = {
      {"enough", MakeCapacity("c", "csi", "a", "2Gi"), "Success"},
      {"enough everywhere", MakeCapacity("c", "csi", "", "2Gi"), "Success"},
      {"too little", MakeCapacity("c", "csi", "a", "1Gi"), kNoSpace},
      {"another class", MakeCapacity("c", "zonal", "a", "5Gi"), kNoSpace},
      {"in another zone", MakeCapacity("c", "csi", "b", "5Gi"), kNoSpace},
      {"nowhere", nowhere, kNoSpace},
      {"no capacity", MakeCapacity("c", "csi", "a", nullptr), kNoSpace},
      {"large, but not in one volume", MakeCapacity("c", "csi", "a", "9Gi", "1Gi"), kNoSpace},
      {"small, but in one volume", MakeCapacity("c", "csi", "a", "1Gi", "2Gi"), "Success"},
  };
  for (const Row& row : rows) {
    objects().storage_capacities.Clear();
    objects().storage_capacities.Put(row.capacity);
    EXPECT_EQ(Filter(pod, "a"), row.want) << row.name;
  }
}

TEST_F(VolumeBindingTest, SelectedNode) {
  objects().claims.Put(MakeClaim("data").Class("csi").Annotation(kSelectedNode, "a"));
  objects().volumes.Put(MakeVolume("pv").Class("csi").Size("1Gi"));
  const PodInfo& pod = Pod({Claim("data")});
  EXPECT_EQ(Filter(pod, "b"), kBindConflict);
  EXPECT_EQ(Reserve(pod, "a"), "Success");  // it is provisioned, a volume that is there is left alone
  objects().claims.Put(MakeClaim("other").Class("csi").Size("1Gi"));
  EXPECT_EQ(Filter(Pod({Claim("other")}), "b"), "Success");
}

TEST_F(VolumeBindingTest, SeveralReasons) {
  objects().claims.Put(MakeClaim("bound").Bound("pv"));
  objects().claims.Put(MakeClaim("gone").Bound("none"));
  objects().claims.Put(MakeClaim("data").Class("local"));
  objects().volumes.Put(MakeVolume("pv").Nodes(kHostname, {"b"}));
  EXPECT_EQ(Filter(Pod({Claim("bound"), Claim("data")}), "a"),
            std::string(kNodeConflict) + ", node(s) didn't find available persistent volumes to bind");
  EXPECT_EQ(Filter(Pod({Claim("gone"), Claim("data")}), "a"),
            "UnschedulableAndUnresolvable: node(s) didn't find available persistent volumes to bind, node(s) "
            "unavailable due to one or more pvc(s) bound to non-existent pv(s)");
}

TEST_F(VolumeBindingTest, PointsWithoutPreFilter) {
  const PodInfo& pod = Pod({Claim("data")});
  const NodeView node = cluster_.View("a");
  CycleState& cycle = cluster_.cycle;
  cycle.StartCycle();
  int64_t score = 0;
  EXPECT_EQ(cluster_.Text(plugin_->Filter(cycle, pod, node)), "Error: not found");
  EXPECT_EQ(cluster_.Text(plugin_->PreScore(cycle, pod, {})), "Error: not found");
  EXPECT_EQ(cluster_.Text(plugin_->Score(cycle, pod, node, score)), "Error: not found");
  EXPECT_EQ(cluster_.Text(plugin_->Reserve(cycle, pod, node.id())), "Error: not found");
  EXPECT_EQ(cluster_.Text(plugin_->PreBindPreFlight(cycle, pod, node.id())), "Error: not found");
  EXPECT_EQ(PreBind(pod, node.id()), "Error: not found");
  plugin_->Unreserve(cycle, pod, node.id());
}

TEST(VolumeBindingCreate, Arguments) {
  TestCluster cluster;
  EXPECT_EQ(cluster.Create<VolumeBinding>(config::UnknownArgs{}), nullptr);
  EXPECT_EQ(cluster.error, "args are not of type VolumeBindingArgs");
  EXPECT_EQ(cluster.Create<VolumeBinding>(config::VolumeBindingArgs{}), nullptr);
  EXPECT_EQ(cluster.error, "shape: Required value: at least one point must be specified");
  cluster.features = *config::FeatureGates::Parse("StorageCapacityScoring=false");
  EXPECT_NE(cluster.Create<VolumeBinding>(config::VolumeBindingArgs{}), nullptr);
}

}  // namespace
}  // namespace ksched
