#include "plugins/node_affinity/node_affinity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/testing.h"

namespace ksched {
namespace {

using namespace testing_support;
using testing::ElementsAre;

constexpr char kOtherNode[] = "UnschedulableAndUnresolvable: node(s) didn't match Pod's node affinity/selector";
constexpr char kEnforced[] = "UnschedulableAndUnresolvable: node(s) didn't match scheduler-enforced node affinity";
constexpr char kConflict[] = "PreFilter UnschedulableAndUnresolvable: pod affinity terms conflict";

api::NodeSelectorTerm In(const std::string& key, std::vector<std::string> values) {
  return MatchExpressions({{key, "In", std::move(values)}});
}
api::NodeSelectorTerm NameIn(std::vector<std::string> names) {
  return MatchFields({{"metadata.name", "In", std::move(names)}});
}
// A value that is no label value makes a term invalid.
api::NodeSelectorTerm Invalid() { return In("zone", {"a b"}); }

config::PluginArgs Added(std::optional<std::vector<api::NodeSelectorTerm>> required,
                         std::vector<api::PreferredSchedulingTerm> preferred = {}) {
  api::NodeAffinity affinity;
  if (required) affinity.required = api::NodeSelector{*required};
  affinity.preferred = std::move(preferred);
  return config::NodeAffinityArgs{affinity};
}
const config::PluginArgs kNoArgs = config::NodeAffinityArgs{};

TEST(NodeAffinityTest, Filter) {
  struct Row {
    std::string name;
    config::PluginArgs args;
    MakePod pod;
    std::string want;
  };
  const config::PluginArgs zone_a = Added({{In("zone", {"a"})}}), zone_b = Added({{In("zone", {"b"})}});
  const std::vector<Row> rows = {
      {"nothing asked for", kNoArgs, MakePod(), "PreFilter Skip"},
      {"preferred terms are not for Filter", kNoArgs, MakePod().PreferredNodeAffinity(1, In("zone", {"b"})),
       "PreFilter Skip"},
      {"nodeSelector", kNoArgs, MakePod().NodeSelector({{"zone", "a"}}), "Success"},
      {"nodeSelector, another value", kNoArgs, MakePod().NodeSelector({{"zone", "b"}}), kOtherNode},
      {"required", kNoArgs, MakePod().RequiredNodeAffinity({In("zone", {"b"}), In("zone", {"a"})}), "Success"},
      {"required, another value", kNoArgs, MakePod().RequiredNodeAffinity({In("zone", {"b"})}), kOtherNode},
      {"required, no terms", kNoArgs, MakePod().RequiredNodeAffinity({}), kOtherNode},
      {"required, an empty term", kNoArgs, MakePod().RequiredNodeAffinity({{}}), kOtherNode},
      {"required, an invalid term", kNoArgs, MakePod().RequiredNodeAffinity({Invalid()}), kOtherNode},
      {"required, an invalid term and one that matches", kNoArgs,
       MakePod().RequiredNodeAffinity({Invalid(), In("zone", {"a"})}), "Success"},
      {"this name", kNoArgs, MakePod().RequiredNodeAffinity({NameIn({"n1"})}), "Success"},
      {"another name", kNoArgs, MakePod().RequiredNodeAffinity({NameIn({"n2"})}), kOtherNode},
      {"names that exclude each other", kNoArgs,
       MakePod().RequiredNodeAffinity(
           {MatchFields({{"metadata.name", "In", {"n1"}}, {"metadata.name", "In", {"n2"}}})}),
       kConflict},
      {"added, matches", zone_a, MakePod(), "Success"},
      {"added, does not match", zone_b, MakePod(), kEnforced},
      {"added comes first", zone_b, MakePod().NodeSelector({{"zone", "b"}}), kEnforced},
      {"added matches, the pod's does not", zone_a, MakePod().NodeSelector({{"zone", "b"}}), kOtherNode},
      {"added without terms matches nothing", Added({{}}), MakePod(), kEnforced},
      {"added by name", Added({{NameIn({"n1"})}}), MakePod(), "Success"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<NodeAffinity>(row.args);
    const NodeView node = cluster.AddNode(MakeNode("n1").Label("zone", "a"));
    const PodInfo& pod = cluster.AddPod(row.pod);
    EXPECT_EQ(cluster.Filter(*plugin, pod, node), row.want);
    if (row.want.starts_with("PreFilter")) continue;
    const CycleState without_pre_filter;
    EXPECT_EQ(cluster.Text(plugin->Filter(without_pre_filter, pod, node)), row.want);
  }
}

TEST(NodeAffinityTest, TheNodesThatPreFilterLeaves) {
  struct Row {
    std::string name;
    std::vector<api::NodeSelectorTerm> terms;
    std::optional<std::vector<std::string>> want;
  };
  const auto both = MatchFields({{"metadata.name", "In", {"n1", "n2"}}, {"metadata.name", "In", {"n3", "n2"}}});
  const auto neither = MatchFields({{"metadata.name", "In", {"n1"}}, {"metadata.name", "In", {"n2"}}});
  api::NodeSelectorTerm labelled = NameIn({"n4"});
  labelled.match_expressions = In("zone", {"a"}).match_expressions;
  const std::vector<Row> rows = {
      {"one name", {NameIn({"n1"})}, {{"n1"}}},
      {"sorted, each once", {NameIn({"n2", "n1", "n2"})}, {{"n1", "n2"}}},
      {"any of the terms", {NameIn({"n2"}), NameIn({"n1"})}, {{"n1", "n2"}}},
      {"all lists of a term", {both}, {{"n2"}}},
      {"a term that excludes itself adds nothing", {neither, NameIn({"n3"})}, {{"n3"}}},
      {"labels do not matter", {labelled}, {{"n4"}}},
      {"a term without names", {NameIn({"n1"}), In("zone", {"a"})}, std::nullopt},
      {"an empty term", {NameIn({"n1"}), {}}, std::nullopt},
      {"NotIn", {MatchFields({{"metadata.name", "NotIn", {"n1"}}})}, std::nullopt},
      {"another field", {MatchFields({{"metadata.uid", "In", {"n1"}}})}, std::nullopt},
      {"no terms", {}, std::nullopt},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<NodeAffinity>(kNoArgs);
    PreFilterResult result;
    const PodInfo& pod = cluster.AddPod(MakePod().RequiredNodeAffinity(row.terms));
    EXPECT_EQ(cluster.Text(plugin->PreFilter(cluster.cycle, pod, result)), "Success");
    EXPECT_EQ(result.node_names, row.want);
  }
}

TEST(NodeAffinityTest, Scores) {
  struct Row {
    std::string name;
    config::PluginArgs args;
    MakePod pod;
    std::vector<int64_t> want;  // of nodes in the zones a, b and none; empty: `error` says why
    std::string error;
  };
  const config::PluginArgs added = Added(std::nullopt, {{3, In("zone", {"b"})}});
  const std::vector<Row> rows = {
      {"nothing preferred", kNoArgs, MakePod().NodeSelector({{"zone", "a"}}), {}, "Skip"},
      {"one term", kNoArgs, MakePod().PreferredNodeAffinity(5, In("zone", {"a"})), {5, 0, 0}, ""},
      {"terms add up",
       kNoArgs,
       MakePod().PreferredNodeAffinity(5, In("zone", {"a"})).PreferredNodeAffinity(7, In("zone", {"a", "b"})),
       {12, 7, 0},
       ""},
      {"an empty term", kNoArgs, MakePod().PreferredNodeAffinity(5, {}), {0, 0, 0}, ""},
      {"added", added, MakePod(), {0, 3, 0}, ""},
      {"added and the pod's own", added, MakePod().PreferredNodeAffinity(5, In("zone", {"a", "b"})), {5, 8, 0}, ""},
      {"by name", kNoArgs, MakePod().PreferredNodeAffinity(5, NameIn({"n3"})), {0, 0, 5}, ""},
      {"an invalid term is an error",
       kNoArgs,
       MakePod()
           .PreferredNodeAffinity(5, In("zone", {"a"}))
           .PreferredNodeAffinity(1, MatchExpressions({{"x", "Gt", {"y"}}})),
       {},
       "Error: [1].matchExpressions[0].values[0]: Invalid value: \"y\": for 'Gt', 'Lt' operators, the value must be an "
       "integer"},
      {"an invalid term without weight is not", kNoArgs, MakePod().PreferredNodeAffinity(0, Invalid()), {0, 0, 0}, ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<NodeAffinity>(row.args);
    const NodeView a = cluster.AddNode(MakeNode("n1").Label("zone", "a"));
    cluster.AddNode(MakeNode("n2").Label("zone", "b"));
    cluster.AddNode(MakeNode("n3"));
    const PodInfo& pod = cluster.AddPod(row.pod);
    EXPECT_EQ(cluster.Scores(*plugin, pod), row.want);
    EXPECT_EQ(cluster.error, row.error);
    if (row.error == "Skip") continue;
    const CycleState without_pre_score;
    int64_t score = 0;
    EXPECT_EQ(cluster.Text(plugin->Score(without_pre_score, pod, a, score)), row.error.empty() ? "Success" : row.error);
    if (row.error.empty()) {
      EXPECT_EQ(score, row.want.front());
    }
  }
}

TEST(NodeAffinityTest, NormalizeScore) {
  TestCluster cluster;
  const auto plugin = cluster.Create<NodeAffinity>(kNoArgs);
  std::vector<int64_t> scores = {12, 7, 0};
  EXPECT_TRUE(plugin->NormalizeScore(cluster.cycle, cluster.AddPod(MakePod()), scores).ok());
  EXPECT_THAT(scores, ElementsAre(100, 58, 0));
}

TEST(NodeAffinityTest, OnePodAfterAnother) {
  TestCluster cluster;
  const auto plugin = cluster.Create<NodeAffinity>(kNoArgs);
  const NodeView node = cluster.AddNode(MakeNode("n1").Label("zone", "a"));
  const PodInfo& a =
      cluster.AddPod(MakePod("a").NodeSelector({{"zone", "a"}}).PreferredNodeAffinity(2, In("zone", {"a"})));
  const PodInfo& b =
      cluster.AddPod(MakePod("b").NodeSelector({{"zone", "b"}}).PreferredNodeAffinity(2, In("zone", {"b"})));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(cluster.Filter(*plugin, a, node), "Success");
    EXPECT_EQ(cluster.Filter(*plugin, b, node), kOtherNode);
    EXPECT_THAT(cluster.Scores(*plugin, a), ElementsAre(2));
    EXPECT_THAT(cluster.Scores(*plugin, b), ElementsAre(0));
  }
}

// Verdicts are kept for each NodeClass, so the labels that decide have to tell classes apart by then.
TEST(NodeAffinityTest, LabelsInUseTellNodeClassesApart) {
  TestCluster cluster;
  const NodeView a = cluster.AddNode(MakeNode("n1").Label("zone", "a").Label("disk", "ssd").Label("pool", "x"));
  const NodeView b = cluster.AddNode(MakeNode("n2").Label("zone", "b").Label("disk", "ssd").Label("pool", "x"));
  const NodeView c = cluster.AddNode(MakeNode("n3").Label("zone", "a").Label("disk", "hdd").Label("pool", "x"));
  const NodeView d = cluster.AddNode(MakeNode("n4").Label("zone", "a").Label("disk", "ssd").Label("pool", "y"));
  const auto class_of = [&](const NodeView& node) { return cluster.state.node_class(node.id()); };
  const auto plugin = cluster.Create<NodeAffinity>(Added({{In("pool", {"x", "y"})}}));
  EXPECT_NE(class_of(a), class_of(d));
  EXPECT_EQ(class_of(a), class_of(b));
  const PodInfo& pod =
      cluster.AddPod(MakePod().NodeSelector({{"zone", "a"}}).PreferredNodeAffinity(1, In("disk", {"ssd"})));
  EXPECT_EQ(cluster.Filter(*plugin, pod, a), "Success");
  EXPECT_NE(class_of(a), class_of(b));
  EXPECT_EQ(class_of(a), class_of(c));
  EXPECT_THAT(cluster.Scores(*plugin, pod), testing::SizeIs(4));
  EXPECT_NE(class_of(a), class_of(c));
}

TEST(NodeAffinityTest, AddedNamesAreNoMatterOfNodeClasses) {
  TestCluster cluster;
  EXPECT_EQ(cluster.Create<NodeAffinity>(Added({{In("zone", {"a"})}}))->dependencies().filter, kNodeClassChanged);
  const auto by_name = cluster.Create<NodeAffinity>(Added({{NameIn({"n1"})}}));
  EXPECT_EQ(by_name->dependencies().filter, kNodeClassChanged | kNodeObjectChanged);
  EXPECT_EQ(by_name->dependencies().score, kNodeClassChanged);
}

TEST(NodeAffinityTest, HintAfterNodeChange) {
  struct Row {
    std::string name;
    config::PluginArgs args;
    MakePod pod;
    std::optional<MakeNode> before;  // absent: the node is new
    MakeNode after;
    std::string want;
  };
  const MakePod wants_a = MakePod().RequiredNodeAffinity({In("zone", {"a"})});
  const MakePod in_doubt =
      MakePod().NodeSelector({{"disk", "ssd"}}).RequiredNodeAffinity({Invalid(), In("zone", {"a"})});
  const MakeNode a = MakeNode("n1").Label("zone", "a"), b = MakeNode("n1").Label("zone", "b");
  const MakeNode a_ssd = MakeNode(a).Label("disk", "ssd"), b_ssd = MakeNode(b).Label("disk", "ssd");
  const config::PluginArgs added_b = Added({{In("zone", {"b"})}});
  const std::string problem =
      "nodeSelectorTerms[0].matchExpressions[0].values[0][zone]: Invalid value: \"a b\": a valid label must be an "
      "empty "
      "string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
      "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
      "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const std::vector<Row> rows = {
      {"new, matches", kNoArgs, wants_a, std::nullopt, a, "Queue"},
      {"new, does not match", kNoArgs, wants_a, std::nullopt, b, "Skip"},
      {"new, not for this profile", added_b, wants_a, std::nullopt, a, "Skip"},
      {"matches now", kNoArgs, wants_a, b, a, "Queue"},
      {"matched before", kNoArgs, wants_a, a, a, "Skip"},
      {"does not match any more", kNoArgs, wants_a, a, b, "Skip"},
      {"changed, not for this profile", added_b, wants_a, b, a, "Skip"},
      // Only the pod's own affinity is asked about before: this is the reference's behaviour.
      {"for this profile now", added_b, MakePod(), a, b, "Skip"},
      {"an invalid term in doubt", kNoArgs, in_doubt, std::nullopt, b_ssd, problem},
      {"an invalid term, nodeSelector does not match", kNoArgs, in_doubt, std::nullopt, b, "Skip"},
      {"an invalid term, another matches", kNoArgs, in_doubt, std::nullopt, a_ssd, "Queue"},
      {"an invalid term in doubt before", kNoArgs, in_doubt, b_ssd, a_ssd, problem},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<NodeAffinity>(row.args);
    const api::Node before = row.before.value_or(MakeNode()), after = row.after;
    const ClusterEvent event{EventResource::kNode, row.before ? kUpdateNodeLabel : kAdd};
    EXPECT_EQ(
        Hint(*plugin, event, cluster.AddPod(row.pod), {.old_node = row.before ? &before : nullptr, .new_node = &after}),
        row.want);
  }
}

TEST(NodeAffinityTest, OtherEvents) {
  TestCluster cluster;
  const auto plugin = cluster.Create<NodeAffinity>(kNoArgs);
  const api::Node node = MakeNode();
  EXPECT_EQ(Hint(*plugin, {EventResource::kNode, kUpdateNodeTaint}, cluster.AddPod(MakePod()),
                 {.old_node = &node, .new_node = &node}),
            "not registered");
}

TEST(NodeAffinityTest, CreateChecksTheArguments) {
  TestCluster cluster;
  EXPECT_EQ(cluster.Create<NodeAffinity>(config::UnknownArgs{}), nullptr);
  EXPECT_EQ(cluster.error, "args are not of type NodeAffinityArgs");
  EXPECT_EQ(cluster.Create<NodeAffinity>(
                Added({{MatchExpressions({{"a", "Is", {}}})}}, {{1, MatchFields({{"metadata.name", "In", {}}})}})),
            nullptr);
  EXPECT_EQ(cluster.error,
            "[addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]"
            ".operator: Unsupported value: \"Is\": supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", "
            "\"Gt\", \"Lt\", addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].matchFields[0].values: "
            "Invalid value: null: must have one element]");
}

TEST(NodeAffinityTest, SignsSetsInAnyOrder) {
  TestCluster cluster;
  const auto plugin = cluster.Create<NodeAffinity>(kNoArgs);
  int pods = 0;
  const auto sign = [&](MakePod pod) {
    std::string signature;
    pod.pod.metadata.name = "pod-" + std::to_string(++pods);
    EXPECT_TRUE(plugin->SignPod(cluster.AddPod(pod), signature));
    return signature;
  };
  const auto a = In("zone", {"a"}), b = In("zone", {"b"});
  EXPECT_EQ(sign(MakePod().RequiredNodeAffinity({a, b})), sign(MakePod().RequiredNodeAffinity({b, a})));
  EXPECT_EQ(sign(MakePod().RequiredNodeAffinity({In("zone", {"a", "b"})})),
            sign(MakePod().RequiredNodeAffinity({In("zone", {"b", "a"})})));
  EXPECT_EQ(sign(MakePod().PreferredNodeAffinity(1, a).PreferredNodeAffinity(2, b)),
            sign(MakePod().PreferredNodeAffinity(2, b).PreferredNodeAffinity(1, a)));
  const std::vector<MakePod> different = {
      MakePod(),
      MakePod().RequiredNodeAffinity({}),  // signs like preferred terms that are absent, not like no affinity
      MakePod().RequiredNodeAffinity({a}),
      MakePod().RequiredNodeAffinity({b}),
      MakePod().RequiredNodeAffinity({In("zone", {"a", "b"})}),
      MakePod().RequiredNodeAffinity({a, b}),
      MakePod().RequiredNodeAffinity({NameIn({"a"})}),
      MakePod().PreferredNodeAffinity(1, a),
      MakePod().PreferredNodeAffinity(2, a),
      MakePod().NodeSelector({{"zone", "a"}}),
      MakePod().NodeSelector({{"zone", "b"}}),
  };
  std::vector<std::string> signatures;
  for (const MakePod& pod : different) signatures.push_back(sign(pod));
  std::sort(signatures.begin(), signatures.end());
  EXPECT_EQ(std::adjacent_find(signatures.begin(), signatures.end()), signatures.end());
}

}  // namespace
}  // namespace ksched
