// PreScore and Score of VolumeBinding.
#include "plugins/volume_binding/volume_binding_testing.h"

namespace ksched {
namespace {

using namespace testing_support;

PodVolumes Found(std::vector<StaticBinding> bindings, std::vector<DynamicProvision> provisions) {
  return {std::move(bindings), std::move(provisions)};
}
StaticBinding Bind(std::string class_name, const char* requested, const char* capacity) {
  return {std::make_shared<const api::PersistentVolume>(MakeVolume("pv").Class(std::move(class_name)).Size(capacity)),
          std::make_shared<const api::PersistentVolumeClaim>(MakeClaim("c").Size(requested))};
}
DynamicProvision Provision(std::string class_name, const char* requested, CapacityPtr capacity) {
  return {std::make_shared<const api::PersistentVolumeClaim>(MakeClaim("c").Class(class_name).Size(requested)),
          std::move(capacity)};
}
CapacityPtr Of(const char* capacity) {
  return std::make_shared<const api::CsiStorageCapacity>(MakeCapacity("c", "csi", "", capacity));
}

TEST(CapacityScoreTest, Rows) {
  const std::vector<config::UtilizationShapePoint> rising = {{0, 0}, {100, 10}}, falling = {{0, 10}, {100, 0}};
  struct Row {
    const char* name;
    std::vector<config::UtilizationShapePoint> shape;
    PodVolumes volumes;
    int64_t want;
  };
  const std::vector<Row> rows = {
      {"nothing", rising, Found({}, {}), 0},
      {"half", rising, Found({Bind("a", "1Gi", "2Gi")}, {}), 50},
      {"a quarter, the other way", falling, Found({Bind("a", "1Gi", "4Gi")}, {}), 75},
      {"one class: sums", rising, Found({Bind("a", "1Gi", "2Gi"), Bind("a", "1Gi", "8Gi")}, {}), 20},
      {"two classes: the mean, rounded", rising, Found({Bind("a", "1Gi", "2Gi"), Bind("b", "1Gi", "3Gi")}, {}), 42},
      {"no capacity counts as full", rising, Found({Bind("a", "1Gi", "0")}, {}), 100},
      {"to be made", rising, Found({}, {Provision("a", "1Gi", Of("4Gi"))}), 25},
      {"two of one class: one capacity", rising,
       Found({}, {Provision("a", "1Gi", Of("4Gi")), Provision("a", "2Gi", Of("4Gi"))}), 75},
      {"unknown capacity does not count", rising, Found({}, {Provision("a", "1Gi", nullptr)}), 0},
      {"a capacity object without capacity", rising, Found({}, {Provision("a", "1Gi", Of(nullptr))}), 100},
      {"volumes that are there alone count", rising,
       Found({Bind("a", "1Gi", "2Gi")}, {Provision("b", "4Gi", Of("4Gi"))}), 50},
  };
  for (const Row& row : rows) EXPECT_EQ(CapacityScore(row.shape).Score(row.volumes), row.want) << row.name;
}

TEST_F(VolumeBindingTest, ScoresNodesThatFit) {
  objects().claims.Put(MakeClaim("data").Class("local").Size("1Gi"));
  objects().volumes.Put(MakeVolume("pv-a").Class("local").Size("1Gi").Nodes(kZoneLabel, {"a"}));
  objects().volumes.Put(MakeVolume("pv-b").Class("local").Size("4Gi").Nodes(kZoneLabel, {"b"}));
  const PodInfo& pod = Pod({Claim("data")});
  EXPECT_EQ(Filter(pod, "a"), "Success");
  EXPECT_EQ(cluster_.Text(plugin_->Filter(cluster_.cycle, pod, cluster_.View("b"))), "Success");
  EXPECT_EQ(cluster_.Text(plugin_->PreScore(cluster_.cycle, pod, {})), "Success");
  EXPECT_FALSE(cluster_.cycle.zero_score.Has(0));
  int64_t on_a = -1, on_b = -1;
  EXPECT_TRUE(plugin_->Score(cluster_.cycle, pod, cluster_.View("a"), on_a).ok());
  EXPECT_TRUE(plugin_->Score(cluster_.cycle, pod, cluster_.View("b"), on_b).ok());
  EXPECT_EQ(on_a, 0);
  EXPECT_EQ(on_b, 75);
  // What another cycle has found does not count.
  EXPECT_EQ(Filter(pod, "b"), "Success");
  EXPECT_TRUE(plugin_->Score(cluster_.cycle, pod, cluster_.View("a"), on_b).ok());
  EXPECT_EQ(on_b, 0);
}

TEST_F(VolumeBindingTest, PodsWithoutClaimsScoreZero) {
  const PodInfo& pod = Pod({});
  EXPECT_EQ(Filter(pod, "a"), "PreFilter Skip");
  cluster_.cycle.skip_filter.Insert(0);
  EXPECT_EQ(cluster_.Text(plugin_->PreScore(cluster_.cycle, pod, {})), "Success");
  EXPECT_TRUE(cluster_.cycle.zero_score.Has(0));
  int64_t score = -1;
  EXPECT_TRUE(plugin_->Score(cluster_.cycle, pod, cluster_.View("a"), score).ok());
  EXPECT_EQ(score, 0);
}

TEST_F(VolumeBindingTest, WithoutTheGate) {
  cluster_.features = *config::FeatureGates::Parse("StorageCapacityScoring=false");
  plugin_ = cluster_.Create<VolumeBinding>(config::VolumeBindingArgs{});
  objects().claims.Put(MakeClaim("data").Class("csi").Size("1Gi"));
  const PodInfo& pod = Pod({Claim("data")});
  EXPECT_EQ(Filter(pod, "a"), "Success");
  EXPECT_EQ(cluster_.Text(plugin_->PreScore(cluster_.cycle, pod, {})), "Skip");
}

}  // namespace
}  // namespace ksched
