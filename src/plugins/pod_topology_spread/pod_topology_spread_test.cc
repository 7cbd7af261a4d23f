#include "plugins/pod_topology_spread/pod_topology_spread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/pod_topology_spread/testing.h"

namespace ksched {
namespace {

using namespace testing_support;
using testing::ElementsAre;

constexpr char kSkewed[] = "Unschedulable: node(s) didn't match pod topology spread constraints";
constexpr char kNoLabel[] =
    "UnschedulableAndUnresolvable: node(s) didn't match pod topology spread constraints (missing required label)";

// Nodes a1 and a2 in zone a, b1 in zone b, x without a zone. Pods of app=web: two on a1, one on b1, and some that do
// not count: another app, another namespace, one that is terminating.
class Zones : public TestCluster {
 public:
  Zones() {
    AddNode(MakeNode("a1").Label("zone", "a").Label("kubernetes.io/hostname", "a1").Label("disk", "ssd"));
    AddNode(MakeNode("a2").Label("zone", "a").Label("kubernetes.io/hostname", "a2").Label("disk", "ssd"));
    AddNode(MakeNode("b1").Label("zone", "b").Label("kubernetes.io/hostname", "b1").Taint("t", "", "NoSchedule"));
    AddNode(MakeNode("x").Label("kubernetes.io/hostname", "x"));
    AddPod(MakePod("1").Label("app", "web").Node("a1"));
    AddPod(MakePod("2").Label("app", "web").Node("a1"));
    AddPod(MakePod("3").Label("app", "web").Node("b1"));
    AddPod(MakePod("4").Label("app", "db").Node("b1"));
    AddPod(MakePod("5").Label("app", "web").Namespace("other").Node("b1"));
    MakePod leaving = MakePod("6").Label("app", "web").Node("b1");
    leaving.pod.metadata.deletion_timestamp = 1;
    AddPod(leaving);
  }
};

MakePod Web(std::vector<api::TopologySpreadConstraint> constraints) {
  MakePod made = MakePod("new").Label("app", "web");
  made.pod.spec.topology_spread_constraints = std::move(constraints);
  return made;
}

TEST(PodTopologySpreadTest, Filter) {
  struct Row {
    std::string name;
    MakePod pod;
    std::vector<std::string> want;  // on a1, a2, b1, x
  };
  const std::string kOk = "Success", kSkip = "PreFilter Skip";
  const auto all = [](const std::string& text) { return std::vector<std::string>(4, text); };
  const auto db = [](std::vector<api::TopologySpreadConstraint> constraints) {
    return Web(std::move(constraints)).Label("app", "db");
  };
  const std::vector<Row> rows = {
      {"no constraints", Web({}), all(kSkip)},
      {"only soft ones", Web({Soft("zone")}), all(kSkip)},
      {"one in b, two in a", Web({Hard("zone")}), {kSkewed, kSkewed, kOk, kNoLabel}},
      {"maxSkew 2", Web({Hard("zone", 2)}), {kOk, kOk, kOk, kNoLabel}},
      {"does not mean itself", db({Hard("zone")}), {kOk, kOk, kOk, kNoLabel}},
      {"nodes without all keys take no part",
       Web({Hard("kubernetes.io/hostname"), Hard("zone", 9)}),
       {kSkewed, kOk, kSkewed, kNoLabel}},
      {"by host", Web({Hard("kubernetes.io/hostname")}), {kSkewed, kOk, kSkewed, kOk}},
      {"the second one rejects",
       Web({Hard("zone", 9), Hard("kubernetes.io/hostname")}),
       {kSkewed, kOk, kSkewed, kNoLabel}},
      {"enough domains", Web({MinDomains(Hard("zone"), 2)}), {kSkewed, kSkewed, kOk, kNoLabel}},
      {"too few domains", Web({MinDomains(Hard("zone", 2), 3)}), {kSkewed, kSkewed, kOk, kNoLabel}},
      {"affinity honoured: zone b takes no part",
       Web({Hard("zone")}).NodeSelector({{"disk", "ssd"}}),
       {kOk, kOk, kOk, kNoLabel}},
      {"affinity ignored",
       Web({AffinityPolicy(Hard("zone"), "Ignore")}).NodeSelector({{"disk", "ssd"}}),
       {kSkewed, kSkewed, kOk, kNoLabel}},
      {"affinity that no node matches",
       Web({Hard("zone")}).NodeSelector({{"disk", "tape"}}),
       {kOk, kOk, kOk, kNoLabel}},
      {"taints honoured", Web({TaintsPolicy(Hard("zone"), "Honor")}), {kOk, kOk, kOk, kNoLabel}},
      {"taints honoured and tolerated",
       Web({TaintsPolicy(Hard("zone"), "Honor")}).Toleration("t", "Exists", "", ""),
       {kSkewed, kSkewed, kOk, kNoLabel}},
      {"no selector means nobody", Web({Selector(Hard("zone"), std::nullopt)}), {kOk, kOk, kOk, kNoLabel}},
      // Existing pods are not counted, the pod itself is.
      {"an empty selector", Web({Selector(Hard("zone"), api::LabelSelector())}), {kOk, kOk, kOk, kNoLabel}},
      {"a key that no node has", Web({Hard("rack")}), all(kNoLabel)},
      {"matchLabelKeys: another revision",
       Web({MatchKeys(Hard("zone"), {"hash"})}).Label("hash", "2"),
       {kOk, kOk, kOk, kNoLabel}},
      {"matchLabelKeys: the pod has no such label",
       Web({MatchKeys(Hard("zone"), {"hash"})}),
       {kSkewed, kSkewed, kOk, kNoLabel}},
      {"matchLabelKeys and no selector",
       Web({MatchKeys(Selector(Hard("zone"), std::nullopt), {"app"})}),
       {kOk, kOk, kOk, kNoLabel}},
      {"matchLabelKeys alone",
       Web({MatchKeys(Selector(Hard("zone"), api::LabelSelector()), {"app"})}),
       {kSkewed, kSkewed, kOk, kNoLabel}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Zones cluster;
    const auto plugin = cluster.Create<PodTopologySpread>(kNoDefaults);
    const PodInfo& pod = cluster.AddPod(row.pod);
    for (const NodeId node : cluster.state.order()) {
      EXPECT_EQ(cluster.Filter(*plugin, pod, cluster.View(node)), row.want[node]) << cluster.state.node_name(node);
    }
  }
}

TEST(PodTopologySpreadTest, CountsFollowThePods) {
  Zones cluster;
  const auto plugin = cluster.Create<PodTopologySpread>(kNoDefaults);
  const PodInfo& pod = cluster.AddPod(Web({Hard("zone")}));
  EXPECT_EQ(cluster.Filter(*plugin, pod, cluster.View("a1")), kSkewed);
  PodInfo& more = cluster.AddPod(MakePod("more").Label("app", "web").Node("b1"));
  EXPECT_EQ(cluster.Filter(*plugin, pod, cluster.View("a1")), "Success");
  cluster.state.RemovePod(more);
  EXPECT_EQ(cluster.Filter(*plugin, pod, cluster.View("a1")), kSkewed);
  cluster.AddNode(MakeNode("c1").Label("zone", "c"));
  EXPECT_EQ(cluster.Filter(*plugin, pod, cluster.View("b1")), kSkewed);
  cluster.state.RemoveNode("c1");
  cluster.state.TakeSnapshot();
  EXPECT_EQ(cluster.Filter(*plugin, pod, cluster.View("b1")), "Success");
  cluster.state.UpdateNode(MakeNode("b1").Label("zone", "a"));  // one zone is left
  cluster.state.TakeSnapshot();
  EXPECT_EQ(cluster.Filter(*plugin, pod, cluster.View("b1")), "Success");
}

TEST(PodTopologySpreadTest, TheMatchLabelKeysGate) {
  Zones cluster;
  for (const bool on : {true, false}) {
    cluster.features = *config::FeatureGates::Parse(
        on ? "" : "MatchLabelKeysInPodTopologySpread=false,MatchLabelKeysInPodTopologySpreadSelectorMerge=false");
    const auto plugin = cluster.Create<PodTopologySpread>(kNoDefaults);
    MakePod pod = Web({MatchKeys(Hard("zone"), {"hash"})}).Label("hash", "2");
    pod.pod.metadata.name = on ? "on" : "off";
    EXPECT_EQ(cluster.Filter(*plugin, cluster.AddPod(pod), cluster.View("a1")), on ? "Success" : kSkewed);
  }
}

TEST(PodTopologySpreadTest, DryRunsChangeCountsAndRollBack) {
  Zones cluster;
  const auto plugin = cluster.Create<PodTopologySpread>(kNoDefaults);
  const PodInfo& pod = cluster.AddPod(Web({Hard("zone")}));
  const NodeView a1 = cluster.View("a1"), b1 = cluster.View("b1"), x = cluster.View("x");
  EXPECT_EQ(cluster.Filter(*plugin, pod, a1), kSkewed);
  const auto filter = [&](const NodeView& node) { return cluster.Text(plugin->Filter(cluster.cycle, pod, node)); };
  const auto get = [&](const std::string& name) -> const PodInfo& {
    return *cluster.state.pod_store().Find("default", name);
  };
  const auto mark = cluster.cycle.SetMark();
  EXPECT_TRUE(plugin->RemovePod(cluster.cycle, pod, get("1"), a1).ok());
  EXPECT_EQ(filter(a1), "Success");
  EXPECT_EQ(filter(b1), "Success");
  const auto inner = cluster.cycle.SetMark();
  EXPECT_TRUE(plugin->RemovePod(cluster.cycle, pod, get("2"), a1).ok());
  EXPECT_EQ(filter(b1), kSkewed);  // nobody is left in zone a
  EXPECT_TRUE(plugin->AddPod(cluster.cycle, pod, get("2"), a1).ok());
  EXPECT_EQ(filter(b1), "Success");
  cluster.cycle.Rollback(inner);
  EXPECT_EQ(filter(a1), "Success");
  cluster.cycle.Rollback(mark);
  EXPECT_EQ(filter(a1), kSkewed);
  // Of no consequence: pods that are not meant, and a node without the label.
  EXPECT_TRUE(plugin->RemovePod(cluster.cycle, pod, get("4"), b1).ok());
  EXPECT_TRUE(plugin->RemovePod(cluster.cycle, pod, *cluster.state.pod_store().Find("other", "5"), b1).ok());
  EXPECT_TRUE(plugin->RemovePod(cluster.cycle, pod, get("1"), x).ok());
  EXPECT_EQ(filter(a1), kSkewed);
  EXPECT_EQ(filter(b1), "Success");
  // A terminating pod was never counted, and leaves nonetheless.
  EXPECT_TRUE(plugin->RemovePod(cluster.cycle, pod, get("6"), b1).ok());
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(plugin->AddPod(cluster.cycle, pod, get("1"), b1).ok());
  EXPECT_EQ(filter(b1), "Success");  // two each
  // Changes in more than one domain.
  EXPECT_TRUE(plugin->RemovePod(cluster.cycle, pod, get("1"), a1).ok());
  EXPECT_EQ(filter(a1), "Success");
  EXPECT_EQ(filter(b1), kSkewed);
}

TEST(PodTopologySpreadTest, Scores) {
  struct Row {
    std::string name;
    config::PluginArgs args;
    MakePod pod;
    std::vector<int64_t> want;        // raw, on a1, a2, b1, x; empty: Skip
    std::vector<int64_t> normalized;  // the same
  };
  const config::PluginArgs list = DefaultList({Default("kubernetes.io/hostname", "ScheduleAnyway")});
  const std::vector<Row> rows = {
      {"no constraints", kNoDefaults, Web({}), {}, {}},
      {"hard ones only", kNoDefaults, Web({Hard("zone")}), {}, {}},
      // 2 and 1 pods times ln(2 + 2), and nothing of nodes without the label.
      {"by zone", kNoDefaults, Web({Soft("zone")}), {3, 3, 1, 0}, {33, 33, 100, 0}},
      {"by host: ln(4 + 2)", kNoDefaults, Web({Soft("kubernetes.io/hostname")}), {4, 0, 2, 0}, {0, 100, 50, 100}},
      {"maxSkew waters down", kNoDefaults, Web({Soft("zone", 5)}), {7, 7, 5, 0}, {71, 71, 100, 0}},
      {"both: 2 ln 4 + 2 ln 5",
       kNoDefaults,
       Web({Soft("zone"), Soft("kubernetes.io/hostname")}),
       {6, 3, 3, 0},
       {50, 100, 100, 0}},
      {"no pods", kNoDefaults, Web({Selector(Soft("zone"), std::nullopt)}), {0, 0, 0, 0}, {100, 100, 100, 0}},
      {"affinity honoured",
       kNoDefaults,
       Web({Soft("zone")}).NodeSelector({{"disk", "ssd"}}),
       {3, 3, 0, 0},
       {0, 0, 100, 0}},
      {"taints honoured", kNoDefaults, Web({TaintsPolicy(Soft("zone"), "Honor")}), {3, 3, 0, 0}, {0, 0, 100, 0}},
      {"default constraints that nothing selects for", list, Web({}).Label("app", "none"), {}, {}},
      {"default constraints", list, Web({}), {4, 0, 2, 0}, {0, 100, 50, 100}},
      {"own constraints, no default ones", list, Web({Hard("zone")}), {}, {}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Zones cluster;
    cluster.state.objects().services.Put(ServiceOf("web", {{"app", "web"}}));
    const auto plugin = cluster.Create<PodTopologySpread>(row.args);
    const PodInfo& pod = cluster.AddPod(row.pod);
    std::vector<int64_t> scores = cluster.Scores(*plugin, pod);
    EXPECT_EQ(scores, row.want);
    EXPECT_EQ(cluster.error, row.want.empty() ? "Skip" : "");
    if (row.want.empty()) continue;
    EXPECT_TRUE(plugin->NormalizeScore(cluster.cycle, pod, scores).ok());
    EXPECT_EQ(scores, row.normalized);
  }
}

// System defaults: by host with maxSkew 3, by zone with 5, also on nodes without a zone.
TEST(PodTopologySpreadTest, SystemDefaults) {
  TestCluster cluster;
  const std::string zone = "topology.kubernetes.io/zone", host = "kubernetes.io/hostname";
  cluster.AddNode(MakeNode("a").Label(zone, "a").Label(host, "a"));
  cluster.AddNode(MakeNode("b").Label(zone, "b").Label(host, "b"));
  cluster.AddNode(MakeNode("x").Label(host, "x"));
  cluster.AddPod(MakePod("1").Label("app", "web").Node("a"));
  cluster.AddPod(MakePod("2").Label("app", "web").Node("x"));
  cluster.AddPod(MakePod("3").Label("app", "web").Node("x"));
  cluster.state.objects().services.Put(ServiceOf("web", {{"app", "web"}}));
  const auto plugin = cluster.Create<PodTopologySpread>(kSystemDefaults);
  const PodInfo& pod = cluster.AddPod(Web({}));
  EXPECT_EQ(cluster.Filter(*plugin, pod, cluster.View("a")), "PreFilter Skip");
  // Three hosts, and three zones: "a", "b" and none. a: 1 ln 5 + 2 + 1 ln 5 + 4; b: 6; x: 2 ln 5 + 2.
  EXPECT_THAT(cluster.Scores(*plugin, pod), ElementsAre(9, 6, 5));
  // A zone without a name is the same to the reference as no zone: its pods and those on x are counted together.
  cluster.AddNode(MakeNode("empty").Label(zone, "").Label(host, "empty"));
  cluster.AddPod(MakePod("4").Label("app", "web").Node("empty"));
  // Four hosts, three zones still. empty: ln 6 + 2 + 3 ln 5 + 4 = 12.6.
  EXPECT_EQ(cluster.Scores(*plugin, pod).back(), 13);
}

TEST(PodTopologySpreadTest, WithoutItsPreFilterOrPreScoreItFails) {
  Zones cluster;
  const auto plugin = cluster.Create<PodTopologySpread>(kNoDefaults);
  const PodInfo& pod = cluster.AddPod(Web({Hard("zone"), Soft("zone")}));
  int64_t score = 0;
  const NodeView node = cluster.View("a1");
  const std::string no_pre_filter = "Error: reading \"PreFilterPodTopologySpread\" from cycleState: not found";
  const std::string no_pre_score = "Error: error reading \"PreScorePodTopologySpread\" from cycleState: not found";
  EXPECT_EQ(cluster.Text(plugin->Filter(cluster.cycle, pod, node)), no_pre_filter);
  EXPECT_EQ(cluster.Text(plugin->AddPod(cluster.cycle, pod, pod, node)), no_pre_filter);
  EXPECT_EQ(cluster.Text(plugin->RemovePod(cluster.cycle, pod, pod, node)), no_pre_filter);
  EXPECT_EQ(cluster.Text(plugin->Score(cluster.cycle, pod, node, score)), no_pre_score);
  EXPECT_EQ(cluster.Text(plugin->NormalizeScore(cluster.cycle, pod, {})), no_pre_score);
}

TEST(PodTopologySpreadTest, AnEmptyClusterIsNotScored) {
  TestCluster cluster;
  const auto plugin = cluster.Create<PodTopologySpread>(kNoDefaults);
  EXPECT_TRUE(plugin->PreScore(cluster.cycle, cluster.AddPod(Web({Soft("zone")})), {}).IsSkip());
}

TEST(PodTopologySpreadTest, SignsOnlyPodsThatDoNotSpread) {
  TestCluster cluster;
  std::string signature;
  const PodInfo &plain = cluster.AddPod(MakePod("plain")), &spread = cluster.AddPod(Web({Soft("zone")}));
  const auto without = cluster.Create<PodTopologySpread>(kNoDefaults);
  EXPECT_TRUE(without->SignPod(plain, signature));
  EXPECT_FALSE(without->SignPod(spread, signature));
  EXPECT_FALSE(cluster.Create<PodTopologySpread>(kSystemDefaults)->SignPod(plain, signature));
  EXPECT_EQ(signature, "");
}

TEST(PodTopologySpreadTest, CreateChecksTheArguments) {
  TestCluster cluster;
  EXPECT_EQ(cluster.Create<PodTopologySpread>(config::UnknownArgs{}), nullptr);
  EXPECT_EQ(cluster.error, "want args to be of type PodTopologySpreadArgs");
}

// Answers depend on the pods of all nodes.
TEST(PodTopologySpreadTest, NothingIsCachedByNode) {
  TestCluster cluster;
  const Dependencies dependencies = cluster.Create<PodTopologySpread>(kNoDefaults)->dependencies();
  EXPECT_FALSE(dependencies.cacheable_filter);
  EXPECT_FALSE(dependencies.cacheable_score);
}

}  // namespace
}  // namespace ksched
