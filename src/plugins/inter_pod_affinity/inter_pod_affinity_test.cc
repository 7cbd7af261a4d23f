#include "plugins/inter_pod_affinity/inter_pod_affinity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/inter_pod_affinity/affinity_testing.h"

namespace ksched {
namespace {

using namespace testing_support;
using testing::ElementsAre;

constexpr char kAffinity[] = "UnschedulableAndUnresolvable: node(s) didn't match pod affinity rules";
constexpr char kAntiAffinity[] = "Unschedulable: node(s) didn't match pod anti-affinity rules";
constexpr char kExisting[] = "Unschedulable: node(s) didn't satisfy existing pods anti-affinity rules";
constexpr char kSkip[] = "PreFilter Skip";
constexpr char kOk[] = "Success";

const api::PodAffinityTerm kWebByZone = Term("zone", {{"app", "web"}}), kWebByHost = Term("host", {{"app", "web"}}),
                           kDbByZone = Term("zone", {{"app", "db"}}), kDbByHost = Term("host", {{"app", "db"}});

MakePod Web(const std::string& name = "web") { return MakePod(name).Label("app", "web"); }
MakePod Db(const std::string& name = "db") { return MakePod(name).Label("app", "db"); }

// a1 and a2 in zone a, b1 in zone b, and bare, which has no labels.
struct Zones : TestCluster {
  Zones() {
    for (const char* const name : {"a1", "a2", "b1"}) {
      AddNode(MakeNode(name).Label("zone", std::string(1, *name)).Label("host", name));
    }
    AddNode(MakeNode("bare"));
    state.objects().namespaces.Put(Namespace("default", {}));
  }
  static api::Namespace Namespace(std::string name, const Pairs& labels) {
    api::Namespace made;
    made.metadata.name = std::move(name);
    for (const auto& [key, value] : labels) made.metadata.labels[key] = value;
    return made;
  }
  void AddNamespace(std::string name, const Pairs& labels) {
    state.objects().namespaces.Put(Namespace(std::move(name), labels));
    state.NamespacesChanged();
  }
  // What Filter says of a1, a2, b1 and bare.
  std::vector<std::string> FilterAll(const InterPodAffinity& plugin, const PodInfo& pod) {
    std::vector<std::string> texts;
    for (const char* const name : {"a1", "a2", "b1", "bare"}) texts.push_back(Filter(plugin, pod, View(name)));
    return texts;
  }
};

const config::InterPodAffinityArgs kDefaults;

struct FilterRow {
  std::string name;
  std::vector<MakePod> existing;
  MakePod pod;
  std::vector<std::string> want;  // of a1, a2, b1, bare
};

void CheckFilter(const std::vector<FilterRow>& rows) {
  for (const FilterRow& row : rows) {
    SCOPED_TRACE(row.name);
    Zones cluster;
    const auto plugin = cluster.Create<InterPodAffinity>(kDefaults);
    for (const MakePod& pod : row.existing) cluster.AddPod(pod);
    EXPECT_EQ(cluster.FilterAll(*plugin, cluster.AddPod(row.pod)), row.want);
  }
}

const std::vector<std::string> kSkipped = {kSkip, kSkip, kSkip, kSkip};

TEST(InterPodAffinityTest, RequiredAffinity) {
  const MakePod by_zone = Affinity(Db("new"), {kWebByZone});
  CheckFilter({
      {"no terms", {Web().Node("a1")}, Db("new"), kSkipped},
      {"no such pod", {}, by_zone, {kAffinity, kAffinity, kAffinity, kAffinity}},
      {"by zone", {Web().Node("a1")}, by_zone, {kOk, kOk, kAffinity, kAffinity}},
      {"on a node without labels", {Web().Node("bare")}, by_zone, {kAffinity, kAffinity, kAffinity, kAffinity}},
      {"on a node that is not there", {Web().Node("gone")}, by_zone, {kAffinity, kAffinity, kAffinity, kAffinity}},
      {"in another namespace",
       {Web().Namespace("other").Node("a1")},
       by_zone,
       {kAffinity, kAffinity, kAffinity, kAffinity}},
      {"one pod for all terms",
       {Web().Label("tier", "x").Node("a1")},
       Affinity(Db("new"), {kWebByZone, Term("host", {{"tier", "x"}})}),
       {kOk, kAffinity, kAffinity, kAffinity}},
      {"a pod for each term is not enough",
       {Web().Node("a1"), MakePod("x").Label("tier", "x").Node("a1")},
       Affinity(Db("new"), {kWebByZone, Term("zone", {{"tier", "x"}})}),
       {kAffinity, kAffinity, kAffinity, kAffinity}},
      {"another pod in each domain",
       {Web("w1").Node("a1"), Web("w2").Node("a2")},
       Affinity(Db("new"), {kWebByZone, kWebByHost}),
       {kOk, kOk, kAffinity, kAffinity}},
      {"no selector matches nothing",
       {Web().Node("a1")},
       Affinity(Db("new"), {[] {
                  api::PodAffinityTerm t;
                  t.topology_key = "zone";
                  return t;
                }()}),
       {kAffinity, kAffinity, kAffinity, kAffinity}},
      {"an empty selector matches all",
       {Web().Node("a1")},
       Affinity(Db("new"), {Term("zone", {})}),
       {kOk, kOk, kAffinity, kAffinity}},
  });
}

// The first of its kind.
TEST(InterPodAffinityTest, SelfMatch) {
  const MakePod first = Affinity(Web("new"), {kWebByZone});
  CheckFilter({
      {"goes to any node with the key", {}, first, {kOk, kOk, kOk, kAffinity}},
      {"needs all keys",
       {},
       Affinity(Web("new"), {kWebByZone, Term("rack", {{"app", "web"}})}),
       {kAffinity, kAffinity, kAffinity, kAffinity}},
      {"is not the first", {Web().Node("b1")}, first, {kAffinity, kAffinity, kOk, kAffinity}},
      {"is the first on nodes with a key", {Web().Node("bare")}, first, {kOk, kOk, kOk, kAffinity}},
      {"has a term that does not mean it",
       {},
       Affinity(Web("new"), {kWebByZone, kDbByZone}),
       {kAffinity, kAffinity, kAffinity, kAffinity}},
      {"a pod that not all terms mean",
       {Web().Node("a1")},
       Affinity(Web("new").Label("tier", "x"), {kWebByZone, Term("zone", {{"tier", "x"}})}),
       {kOk, kOk, kOk, kAffinity}},
  });
}

TEST(InterPodAffinityTest, RequiredAntiAffinity) {
  CheckFilter({
      {"by zone", {Web().Node("a1")}, AntiAffinity(Db("new"), {kWebByZone}), {kAntiAffinity, kAntiAffinity, kOk, kOk}},
      {"by host", {Web().Node("a1")}, AntiAffinity(Db("new"), {kWebByHost}), {kAntiAffinity, kOk, kOk, kOk}},
      {"any term is enough",
       {Web().Node("a1"), MakePod("x").Label("tier", "x").Node("b1")},
       AntiAffinity(Db("new"), {kWebByHost, Term("zone", {{"tier", "x"}})}),
       {kAntiAffinity, kOk, kAntiAffinity, kOk}},
      {"nothing there", {}, AntiAffinity(Web("new"), {kWebByZone}), {kOk, kOk, kOk, kOk}},
      {"after affinity",
       {Web().Node("a1")},
       AntiAffinity(Affinity(Db("new"), {kWebByZone}), {kWebByHost}),
       {kAntiAffinity, kOk, kAffinity, kAffinity}},
  });
}

TEST(InterPodAffinityTest, AntiAffinityOfPodsOnNodes) {
  const MakePod jealous = AntiAffinity(Db(), {kWebByZone});
  CheckFilter({
      {"means the pod", {MakePod(jealous).Node("a1")}, Web("new"), {kExisting, kExisting, kOk, kOk}},
      {"does not mean it", {MakePod(jealous).Node("a1")}, Db("new"), kSkipped},
      {"on a node without the key", {MakePod(jealous).Node("bare")}, Web("new"), kSkipped},
      {"on a node that is not there", {MakePod(jealous).Node("gone")}, Web("new"), kSkipped},
      {"in another namespace", {MakePod(jealous).Namespace("other").Node("a1")}, Web("new"), kSkipped},
      {"two keys",
       {MakePod(jealous).Node("b1"), AntiAffinity(Db("d2"), {kWebByHost}).Node("a2")},
       Web("new"),
       {kOk, kExisting, kExisting, kOk}},
      {"after its own",
       {AntiAffinity(Web(), {kWebByZone}).Node("a1")},
       AntiAffinity(Web("new"), {kWebByHost}),
       {kAntiAffinity, kExisting, kOk, kOk}},
      {"preferred terms keep nobody off", {PrefersNot(Db(), 1, kWebByZone).Node("a1")}, Web("new"), kSkipped},
      {"nor does affinity", {Affinity(Db(), {kWebByZone}).Node("a1")}, Web("new"), kSkipped},
  });
}

TEST(InterPodAffinityTest, Namespaces) {
  const api::LabelSelector blue{{{"team", "blue"}}, {}}, not_blue{{}, {{"team", "NotIn", {"blue"}}}};
  struct Row {
    std::string name;
    api::PodAffinityTerm term;
    std::string pod_namespace;
    bool means = false;           // as a term of the pod that is to be placed
    bool existing_means = false;  // as a term of a pod on a node
  };
  const std::vector<Row> rows = {
      {"own", kWebByZone, "default", true, true},
      {"other", kWebByZone, "blue", false, false},
      {"listed", InNamespaces(kWebByZone, {"red", "blue"}), "blue", true, true},
      {"own is not listed", InNamespaces(kWebByZone, {"blue"}), "default", false, false},
      {"selected", InNamespacesThat(kWebByZone, blue), "blue", true, true},
      {"own is not selected", InNamespacesThat(kWebByZone, blue), "default", false, false},
      {"listed or selected", InNamespaces(InNamespacesThat(kWebByZone, blue), {"red"}), "red", true, true},
      {"all", InNamespacesThat(kWebByZone, {}), "red", true, true},
      {"all, even unknown ones", InNamespacesThat(kWebByZone, {}), "unknown", true, true},
      {"known ones without a label", InNamespacesThat(kWebByZone, not_blue), "red", true, true},
      // The reference lists namespaces for the pod's own terms; for others it looks up the pod's namespace.
      {"unknown ones without a label", InNamespacesThat(kWebByZone, not_blue), "unknown", false, true},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Zones cluster;
    cluster.AddNamespace("blue", {{"team", "blue"}});
    cluster.AddNamespace("red", {{"team", "red"}});
    const auto plugin = cluster.Create<InterPodAffinity>(kDefaults);
    cluster.AddPod(Web().Namespace(row.pod_namespace).Node("a1"));
    const PodInfo& own = cluster.AddPod(AntiAffinity(Db("own"), {row.term}));
    EXPECT_EQ(cluster.Filter(*plugin, own, cluster.View("a1")), row.means ? kAntiAffinity : kOk);
    cluster.AddPod(AntiAffinity(Db("theirs"), {row.term}).Node("b1"));
    const PodInfo& incoming = cluster.AddPod(Web("new").Namespace(row.pod_namespace));
    EXPECT_EQ(cluster.Filter(*plugin, incoming, cluster.View("b1")), row.existing_means ? kExisting : kSkip);
  }
}

TEST(InterPodAffinityTest, SeesChangesOfTheCluster) {
  Zones cluster;
  const auto plugin = cluster.Create<InterPodAffinity>(kDefaults);
  const PodInfo& pod = cluster.AddPod(
      AntiAffinity(Db("new"), {InNamespacesThat(kWebByZone, api::LabelSelector{{{"team", "blue"}}, {}})}));
  PodInfo& web = cluster.AddPod(Web().Namespace("shop").Node("a1"));
  EXPECT_THAT(cluster.FilterAll(*plugin, pod), ElementsAre(kOk, kOk, kOk, kOk));
  cluster.AddNamespace("shop", {{"team", "blue"}});
  EXPECT_THAT(cluster.FilterAll(*plugin, pod), ElementsAre(kAntiAffinity, kAntiAffinity, kOk, kOk));
  cluster.AddNode(MakeNode("a2").Label("zone", "c"));  // moves
  EXPECT_THAT(cluster.FilterAll(*plugin, pod), ElementsAre(kAntiAffinity, kOk, kOk, kOk));
  cluster.state.RemovePod(web);
  EXPECT_THAT(cluster.FilterAll(*plugin, pod), ElementsAre(kOk, kOk, kOk, kOk));
}

// A dry run takes pods off a node and puts others there.
TEST(InterPodAffinityTest, AddPodAndRemovePod) {
  Zones cluster;
  const auto plugin = cluster.Create<InterPodAffinity>(kDefaults);
  const PodInfo& web = cluster.AddPod(Web().Node("a1"));
  const PodInfo& jealous = cluster.AddPod(AntiAffinity(MakePod("jealous"), {kDbByHost}).Node("b1"));
  const PodInfo& nominated = cluster.AddPod(AntiAffinity(Web("nominated"), {Term("rack", {}), kDbByZone}));
  const PodInfo& pod = cluster.AddPod(Affinity(Db("new"), {kWebByZone}));
  EXPECT_THAT(cluster.FilterAll(*plugin, pod), ElementsAre(kOk, kOk, kAffinity, kAffinity));
  const auto filter = [&](const char* node) {
    return cluster.Text(plugin->Filter(cluster.cycle, pod, cluster.View(node)));
  };
  const auto start = cluster.cycle.SetMark();
  ASSERT_TRUE(plugin->RemovePod(cluster.cycle, pod, web, cluster.View("a1")).ok());
  EXPECT_EQ(filter("a2"), kAffinity);
  const auto removed = cluster.cycle.SetMark();
  ASSERT_TRUE(plugin->AddPod(cluster.cycle, pod, nominated, cluster.View("b1")).ok());
  EXPECT_EQ(filter("a1"), kAffinity);
  EXPECT_EQ(filter("b1"), kExisting);  // by zone
  ASSERT_TRUE(plugin->RemovePod(cluster.cycle, pod, jealous, cluster.View("b1")).ok());
  EXPECT_EQ(filter("b1"), kExisting);
  cluster.cycle.Rollback(removed);
  EXPECT_EQ(filter("b1"), kAffinity);
  cluster.cycle.Rollback(start);
  EXPECT_EQ(filter("a2"), kOk);
}

// The last pod of the kind leaves in a dry run: then the pod is the first.
TEST(InterPodAffinityTest, DryRunsMakeThePodTheFirst) {
  Zones cluster;
  const auto plugin = cluster.Create<InterPodAffinity>(kDefaults);
  const PodInfo& web = cluster.AddPod(Web().Node("a1"));
  const PodInfo& pod = cluster.AddPod(Affinity(Web("new"), {kWebByZone, kWebByHost}));
  EXPECT_THAT(cluster.FilterAll(*plugin, pod), ElementsAre(kOk, kAffinity, kAffinity, kAffinity));
  ASSERT_TRUE(plugin->RemovePod(cluster.cycle, pod, web, cluster.View("a1")).ok());
  EXPECT_EQ(cluster.Text(plugin->Filter(cluster.cycle, pod, cluster.View("b1"))), kOk);
  ASSERT_TRUE(plugin->AddPod(cluster.cycle, pod, web, cluster.View("a2")).ok());
  EXPECT_EQ(cluster.Text(plugin->Filter(cluster.cycle, pod, cluster.View("b1"))), kAffinity);
  EXPECT_EQ(cluster.Text(plugin->Filter(cluster.cycle, pod, cluster.View("a2"))), kOk);
}

TEST(InterPodAffinityTest, NeedsItsPreFilterAndPreScore) {
  Zones cluster;
  const auto plugin = cluster.Create<InterPodAffinity>(kDefaults);
  const PodInfo& pod = cluster.AddPod(Web());
  const std::string want = "Error: error reading \"PreFilterInterPodAffinity\" from cycleState: not found";
  EXPECT_EQ(cluster.Text(plugin->Filter(cluster.cycle, pod, cluster.View("a1"))), want);
  EXPECT_EQ(cluster.Text(plugin->AddPod(cluster.cycle, pod, pod, cluster.View("a1"))), want);
  EXPECT_EQ(cluster.Text(plugin->RemovePod(cluster.cycle, pod, pod, cluster.View("a1"))), want);
  int64_t score = 0;
  EXPECT_EQ(cluster.Text(plugin->Score(cluster.cycle, pod, cluster.View("a1"), score)),
            "Error: failed to read \"PreScoreInterPodAffinity\" from cycleState: not found");
}

struct ScoreRow {
  std::string name;
  std::vector<MakePod> existing;
  MakePod pod;
  std::vector<int64_t> want;  // of a1, a2, b1, bare; empty: PreScore skips
  config::InterPodAffinityArgs args = kDefaults;
};

TEST(InterPodAffinityTest, Score) {
  const MakePod hard = Affinity(Db("hard"), {kWebByZone}).Node("a1");
  const config::InterPodAffinityArgs heavy{.hard_pod_affinity_weight = 50}, off{.hard_pod_affinity_weight = 0},
      ignore{.ignore_preferred_terms_of_existing_pods = true};
  const std::vector<ScoreRow> rows = {
      {"nothing", {Web().Node("a1")}, Db("new"), {}},
      {"prefers", {Web().Node("a1")}, Prefers(Db("new"), 7, kWebByZone), {7, 7, 0, 0}},
      {"prefers not", {Web().Node("a1")}, PrefersNot(Db("new"), 7, kWebByHost), {-7, 0, 0, 0}},
      {"per pod", {Web("w1").Node("a1"), Web("w2").Node("a2")}, Prefers(Db("new"), 7, kWebByZone), {14, 14, 0, 0}},
      {"nothing that it prefers", {Db().Node("a1")}, Prefers(Db("new"), 7, kWebByZone), {}},
      {"nothing where the key is", {Web().Node("bare")}, Prefers(Db("new"), 7, kWebByZone), {}},
      {"is preferred", {Prefers(Db(), 3, kWebByZone).Node("b1")}, Web("new"), {0, 0, 3, 0}},
      {"is not wanted", {PrefersNot(Db(), 3, kWebByZone).Node("b1")}, Web("new"), {0, 0, -3, 0}},
      {"required by another", {hard}, Web("new"), {1, 1, 0, 0}},
      {"required by another, with weight", {hard}, Web("new"), {50, 50, 0, 0}, heavy},
      {"required by another, without weight", {hard}, Web("new"), {}, off},
      {"required anti-affinity does not count", {AntiAffinity(Db(), {kWebByZone}).Node("a1")}, Web("new"), {}},
      {"sums that cancel out are no Skip",
       {Prefers(PrefersNot(Db(), 3, kWebByZone), 3, kWebByZone).Node("b1")},
       Web("new"),
       {0, 0, 0, 0}},
      {"all together",
       {Web().Node("a1"), hard, PrefersNot(Db("d2"), 5, kWebByHost).Node("a2")},
       Prefers(Web("new"), 7, kWebByHost),
       {8, -4, 0, 0}},
      {"ignored", {Prefers(Db(), 3, kWebByZone).Node("b1"), hard}, Web("new"), {}, ignore},
      {"not ignored by a pod that prefers",
       {Prefers(Db(), 3, kWebByZone).Node("b1")},
       Prefers(Web("new"), 7, kWebByZone),
       {0, 0, 3, 0},
       ignore},
  };
  for (const ScoreRow& row : rows) {
    SCOPED_TRACE(row.name);
    Zones cluster;
    const auto plugin = cluster.Create<InterPodAffinity>(row.args);
    for (const MakePod& pod : row.existing) cluster.AddPod(pod);
    EXPECT_EQ(cluster.Scores(*plugin, cluster.AddPod(row.pod)), row.want);
    EXPECT_EQ(cluster.error, row.want.empty() ? "Skip" : "");
  }
}

TEST(InterPodAffinityTest, NormalizeScore) {
  struct Row {
    std::string name;
    std::vector<int64_t> scores, want;
  };
  const std::vector<Row> rows = {
      {"none", {}, {}},
      {"all equal", {7, 7}, {0, 0}},
      {"from lowest to highest", {-7, 0, 7}, {0, 50, 100}},
      {"rounds towards zero", {0, 1, 3}, {0, 33, 100}},
      {"in the order of Go's operations", {0, 29, 100}, {0, 28, 100}},  // 100 * 0.29 is below 29
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Zones cluster;
    const auto plugin = cluster.Create<InterPodAffinity>(kDefaults);
    std::vector<int64_t> scores = row.scores;
    EXPECT_TRUE(plugin->NormalizeScore(cluster.cycle, cluster.AddPod(Web()), scores).ok());
    EXPECT_EQ(scores, row.want);
  }
}

// A steady cycle asks the nodes that changed, however many pods and nodes there are.
TEST(InterPodAffinityTest, CostsWhatHasChanged) {
  TestCluster cluster;
  for (int i = 0; i < 100; ++i) {
    cluster.AddNode(MakeNode("n" + std::to_string(i)).Label("zone", std::to_string(i % 3)));
  }
  const auto plugin = cluster.Create<InterPodAffinity>(kDefaults);
  const auto web = [](int i) { return AntiAffinity(Web("w" + std::to_string(i)), {kWebByZone}); };
  const auto cost = [&](const PodInfo& pod) {
    const uint64_t before = plugin->nodes_asked();
    cluster.Filter(*plugin, pod, cluster.View(NodeId{0}));
    cluster.Scores(*plugin, pod);
    return plugin->nodes_asked() - before;
  };
  cluster.AddPod(MakePod(web(0)).Node("n0"));
  const PodInfo& pod = cluster.AddPod(web(1));
  EXPECT_EQ(cost(pod), 200U);  // its own term and the same term of the pod on n0: every node once
  EXPECT_EQ(cost(pod), 0U);
  cluster.AddPod(MakePod(web(2)).Node("n1"));
  EXPECT_EQ(cost(pod), 2U);
  for (int i = 0; i < 1000; ++i) cluster.AddPod(Db("d" + std::to_string(i)).Node("n2"));
  EXPECT_EQ(cost(pod), 2U);  // they came to one node
  const PodInfo& other = cluster.AddPod(Db("other"));
  EXPECT_EQ(cost(other), 0U);  // no term means it, and it has none
}

TEST(InterPodAffinityTest, Signs) {
  Zones cluster;
  const auto plugin = cluster.Create<InterPodAffinity>(kDefaults);
  const config::InterPodAffinityArgs ignore{.ignore_preferred_terms_of_existing_pods = true};
  const auto ignoring = cluster.Create<InterPodAffinity>(ignore);
  const auto sign = [&](const InterPodAffinity& by, const MakePod& pod) {
    std::string signature;
    return by.SignPod(cluster.AddPod(pod), signature) ? signature : "refused";
  };
  EXPECT_EQ(sign(*plugin, Web("w1")), sign(*plugin, Web("w2")));
  EXPECT_NE(sign(*plugin, Web("w3")), sign(*plugin, Db("d3")));
  EXPECT_EQ(sign(*ignoring, Web("w4")), "");
  for (const auto* by : {plugin.get(), ignoring.get()}) {
    const std::string n = by == plugin.get() ? "5" : "6";
    EXPECT_EQ(sign(*by, Affinity(Web("a" + n), {kWebByZone})), "refused");
    EXPECT_EQ(sign(*by, PrefersNot(Web("p" + n), 1, kWebByZone)), "refused");
    EXPECT_NE(sign(*by, Web("n" + n).RequiredNodeAffinity({})), "refused");
  }
}

TEST(InterPodAffinityTest, CreateChecksTheArguments) {
  Zones cluster;
  EXPECT_EQ(cluster.Create<InterPodAffinity>(config::UnknownArgs{}), nullptr);
  EXPECT_EQ(cluster.error, "want args to be of type InterPodAffinityArgs");
}

}  // namespace
}  // namespace ksched
