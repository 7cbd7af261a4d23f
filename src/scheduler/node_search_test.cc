#include "scheduler/node_search.h"

#include <set>

#include <gtest/gtest.h>

#include "framework/fake_plugins.h"

namespace ksched {
namespace {

using config::ExtensionPoint;
using namespace testing_support;  // NOLINT

TEST(NumFeasibleNodesToFindTest, Rows) {
  struct Row {
    std::optional<int32_t> percentage;
    int32_t nodes, expected;
  };
  const Row rows[] = {
      {{}, 0, 0},      {{}, 99, 99},    {{}, 100, 100},    {{}, 400, 188}, {{}, 1000, 420},
      {{}, 5000, 500}, {{}, 6000, 300}, {{}, 50000, 2500}, {0, 1000, 420}, {100, 1000, 1000},
      {40, 1000, 400}, {1, 1000, 100},  {10, 50, 50},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(NumFeasibleNodesToFind(row.percentage, row.nodes), row.expected)
        << row.nodes << " nodes, " << row.percentage.value_or(-1) << " percent";
  }
}

class NoNominations final : public PodNominator {
 public:
  std::span<const PodId> NominatedPods(const std::string&) const override { return {}; }
  bool AnyNominations() const override { return false; }
  std::vector<std::string> NominatedNodes() const override { return {}; }
};

class NodeSearchTest : public ::testing::TestWithParam<bool> {
 protected:
  void Create(int nodes, bool scorer = true) {
    FakeBehaviour& fit = profile_.Add("Fit", {ExtensionPoint::kFilter});
    fit.dependencies = {.filter = kRequestedChanged, .cacheable_filter = true};
    fit.filter = [this](const PodInfo&, const NodeView& node) {
      return bad_.contains(node.name()) ? Status::Unschedulable(cluster_.reasons.Intern("bad")) : Status();
    };
    if (scorer) profile_.Add("Score", {ExtensionPoint::kScore});
    for (int i = 0; i < nodes; ++i) cluster_.AddNode(MakeNode("n" + std::to_string(i)));
    auto framework = profile_.CreateFramework(cluster_);
    ASSERT_TRUE(framework) << framework.error().message;
    framework_ = std::move(*framework);
    cache_.emplace(*framework_, verdicts_);
    pod_ = &cluster_.AddPod(MakePod("p"));
  }
  void Nominate(const char* node) {
    cluster_.state.pod_store().Change(*pod_, [node](PodFacts& facts) { facts.nominated_node_name = node; });
  }
  Status Search(PreFilterOutcome pre_filter = {}) {
    diagnosis_.Start(cluster_.state.num_nodes());
    ClassCache* cache = GetParam() ? &*cache_ : nullptr;
    return search_.Run({*framework_, cache, nominator_, verdicts_, cycle_, *pod_, percentage_}, pre_filter, feasible_,
                       diagnosis_);
  }
  std::vector<std::string> Feasible() {
    std::vector<std::string> names;
    for (const NodeId node : feasible_) names.push_back(cluster_.state.node_name(node));
    return names;
  }

  std::set<std::string> bad_;
  TestCluster cluster_;
  FakeProfile profile_;
  VerdictTable verdicts_;
  CycleState cycle_;
  NoNominations nominator_;
  std::unique_ptr<Framework> framework_;
  std::optional<ClassCache> cache_;
  PodInfo* pod_ = nullptr;
  std::optional<int32_t> percentage_;
  NodeSearch search_;
  std::vector<NodeId> feasible_;
  Diagnosis diagnosis_;
};

INSTANTIATE_TEST_SUITE_P(CachedAndPlain, NodeSearchTest, ::testing::Bool());

TEST_P(NodeSearchTest, ItGoesOnWhereTheLastOneEnded) {
  bad_ = {"n3", "n150"};
  Create(200);
  percentage_ = 50;
  ASSERT_TRUE(Search().ok());
  EXPECT_EQ(feasible_.size(), 100u);
  EXPECT_EQ(Feasible().front(), "n0");
  EXPECT_EQ(Feasible().back(), "n100");
  EXPECT_EQ(diagnosis_.rejected.size(), 1u);
  ASSERT_TRUE(Search().ok());
  EXPECT_EQ(Feasible().front(), "n101") << "the feasible node that was one too many";
  EXPECT_EQ(Feasible().back(), "n1");
  ASSERT_TRUE(Search().ok());
  EXPECT_EQ(Feasible().front(), "n2");
}

TEST_P(NodeSearchTest, EveryNodeIsLookedAtWhenTooFewFit) {
  bad_ = {"n0", "n2"};
  Create(4);
  ASSERT_TRUE(Search().ok());
  EXPECT_EQ(Feasible(), (std::vector<std::string>{"n1", "n3"}));
  EXPECT_EQ(diagnosis_.rejected.size(), 2u);
}

TEST_P(NodeSearchTest, OneNodeIsEnoughWhereNothingScores) {
  Create(10, /*scorer=*/false);
  ASSERT_TRUE(Search().ok());
  EXPECT_EQ(Feasible(), (std::vector<std::string>{"n0"}));
  ASSERT_TRUE(Search().ok());
  EXPECT_EQ(Feasible(), (std::vector<std::string>{"n1"}));
}

TEST_P(NodeSearchTest, PreFilterNamesTheNodes) {
  Create(10);
  PreFilterOutcome named;
  named.node_names = {"n4", "n7", "unknown"};
  named.narrowed_by.Insert(2);
  ASSERT_TRUE(Search(named).ok());
  EXPECT_EQ(Feasible(), (std::vector<std::string>{"n4", "n7"}));
  ASSERT_TRUE(diagnosis_.absent);
  EXPECT_EQ(diagnosis_.absent->Message(cluster_.reasons), "node(s) didn't satisfy plugin(s) [Fit]");
  EXPECT_TRUE(diagnosis_.unschedulable_plugins.Has(2));
}

TEST_P(NodeSearchTest, TheNominatedNodeIsTriedFirst) {
  Create(10);
  Nominate("n7");
  ASSERT_TRUE(Search().ok());
  EXPECT_EQ(Feasible(), (std::vector<std::string>{"n7"}));
  Nominate("");
  ASSERT_TRUE(Search().ok());
  EXPECT_EQ(Feasible().front(), "n0") << "the nominated node does not move the start";
}

TEST_P(NodeSearchTest, WhoTurnsTheNominatedNodeDownIsNamedAmongThoseThatNarrow) {
  Create(3);
  bad_ = {"n0", "n1"};
  Nominate("n0");
  PreFilterOutcome narrowed;
  narrowed.node_names = {"n1"};
  for (PluginId id = 0; id < profile_.registry.size(); ++id) {
    if (profile_.registry[id].name == "Score") narrowed.narrowed_by.Insert(id);
  }
  ASSERT_TRUE(Search(narrowed).ok());
  ASSERT_TRUE(diagnosis_.absent.has_value());
  EXPECT_EQ(diagnosis_.absent->Message(cluster_.reasons), "node(s) didn't satisfy plugin(s) [Fit Score]");
}

TEST_P(NodeSearchTest, ANominatedNodeThatDoesNotFitCountsOnce) {
  bad_ = {"n7", "n8"};
  Create(10);
  Nominate("n7");
  ASSERT_TRUE(Search().ok());
  EXPECT_EQ(feasible_.size(), 8u);
  EXPECT_EQ(diagnosis_.rejected.size(), 2u);
  Nominate("gone");
  ASSERT_TRUE(Search().ok());
  EXPECT_EQ(feasible_.size(), 8u);
}

TEST_P(NodeSearchTest, TheFirstErrorEndsTheSearch) {
  FakeBehaviour& broken = profile_.Add("Broken", {ExtensionPoint::kFilter});
  broken.filter = [this](const PodInfo&, const NodeView& node) {
    return node.name() == "n2" ? Status(Code::kError, cluster_.reasons.Intern("oops")) : Status();
  };
  bad_ = {"n0"};
  Create(5);
  const Status status = Search();
  EXPECT_EQ(status.Message(cluster_.reasons), "running \"Broken\" filter plugin: oops");
  EXPECT_EQ(Feasible(), (std::vector<std::string>{"n1"}));
  EXPECT_EQ(diagnosis_.rejected.size(), 2u) << "the one that failed is among them";
}

}  // namespace
}  // namespace ksched
