#include "framework/class_cache.h"

#include <gtest/gtest.h>

#include "framework/fake_plugins.h"
#include "framework/scoring.h"

namespace ksched {
namespace {

using config::ExtensionPoint;
using namespace testing_support;  // NOLINT

constexpr Dependencies kOfRequests{
    .filter = kRequestedChanged, .score = kRequestedChanged, .cacheable_filter = true, .cacheable_score = true};
constexpr Dependencies kOfNodeClass{.filter = kNodeClassChanged, .cacheable_filter = true};

class ClassCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 20; ++i) {
      cluster_.AddNode(MakeNode("n" + std::to_string(i)).Allocatable({{"cpu", "4"}, {"pods", "10"}}));
    }
  }
  void Create(size_t max_bytes = ClassCache::kDefaultMaxBytes) {
    auto framework = profile_.CreateFramework(cluster_);
    ASSERT_TRUE(framework) << framework.error().message;
    framework_ = std::move(*framework);
    cache_.emplace(*framework_, verdicts_, max_bytes);
  }
  // Verdicts of all nodes, as a cycle asks for them.
  std::vector<VerdictId> Verdicts(const PodInfo& pod) {
    ClassCache::Entry& entry = cache_->Use(pod);
    std::vector<VerdictId> verdicts;
    for (const NodeId node : cluster_.state.order()) verdicts.push_back(cache_->Verdict(entry, cycle_, pod, node));
    return verdicts;
  }
  PodInfo& Assume(api::Pod pod) { return cluster_.AddPod(std::move(pod)); }

  TestCluster cluster_;
  FakeProfile profile_;
  VerdictTable verdicts_;
  CycleState cycle_;
  std::unique_ptr<Framework> framework_;
  std::optional<ClassCache> cache_;
};

TEST_F(ClassCacheTest, AfterOneAssumeOneNodeIsWorkedOutAgainForEachClass) {
  profile_.Add("Fit", {ExtensionPoint::kFilter, ExtensionPoint::kScore}).dependencies = kOfRequests;
  Create();
  PodInfo& web = cluster_.AddPod(MakePod("web").Requests({{"cpu", "1"}}));
  PodInfo& db = cluster_.AddPod(MakePod("db").Requests({{"cpu", "2"}}));
  ScoreTable table;
  const auto cycle_of = [&](const PodInfo& pod) {
    Verdicts(pod);
    const ScoringRequest request{*framework_, &*cache_, &cache_->Use(pod), cycle_, pod};
    ASSERT_TRUE(ScoreNodes(request, cluster_.state.order(), table).ok());
  };
  cycle_of(web);
  cycle_of(db);
  EXPECT_EQ(cache_->counters().filters_computed, 40u);
  EXPECT_EQ(cache_->counters().scores_computed, 40u);
  Assume(MakePod("placed").Node("n7").Requests({{"cpu", "1"}}));
  cycle_of(web);
  EXPECT_EQ(cache_->counters().filters_computed, 41u);
  EXPECT_EQ(cache_->counters().scores_computed, 41u);
  cycle_of(db);
  EXPECT_EQ(cache_->counters().filters_computed, 42u);
  cycle_of(db);
  EXPECT_EQ(cache_->counters().filters_computed, 42u) << "nothing has changed";
}

TEST_F(ClassCacheTest, PodsOfTheSameSpecShareWhatIsKnown) {
  profile_.Add("Fit", {ExtensionPoint::kFilter}).dependencies = kOfRequests;
  Create();
  Verdicts(cluster_.AddPod(MakePod("db-0").Label("statefulset.kubernetes.io/pod-name", "db-0")));
  Verdicts(cluster_.AddPod(MakePod("db-1").Label("statefulset.kubernetes.io/pod-name", "db-1").Namespace("other")));
  EXPECT_EQ(cache_->counters().filters_computed, 20u);
}

TEST_F(ClassCacheTest, WhatNoPluginDependsOnChangesNothing) {
  profile_.Add("Static", {ExtensionPoint::kFilter}).dependencies = kOfNodeClass;
  Create();
  PodInfo& pod = cluster_.AddPod(MakePod("p"));
  Verdicts(pod);
  Assume(MakePod("placed").Node("n7"));
  Verdicts(pod);
  EXPECT_EQ(cache_->counters().filters_computed, 20u);
}

TEST_F(ClassCacheTest, AStaticFilterIsAskedOncePerNodeClass) {
  int asked = 0;
  FakeBehaviour& plugin = profile_.Add("Static", {ExtensionPoint::kFilter});
  plugin.dependencies = kOfNodeClass;
  plugin.filter = [&](const PodInfo&, const NodeView&) { return ++asked, Status(); };
  Create();
  Verdicts(cluster_.AddPod(MakePod("p")));
  EXPECT_EQ(asked, 1);
  cluster_.AddNode(MakeNode("tainted").Taint("k", "v", "NoSchedule"));
  Verdicts(*cluster_.state.pod_store().Find("default", "p"));
  EXPECT_EQ(asked, 2);
}

TEST_F(ClassCacheTest, APodThatNamesItsNodeIsNoMatterOfNodeClasses) {
  int asked = 0;
  FakeBehaviour& plugin = profile_.Add("Static", {ExtensionPoint::kFilter});
  plugin.dependencies = kOfNodeClass;
  plugin.filter = [&](const PodInfo&, const NodeView&) { return ++asked, Status(); };
  Create();
  Verdicts(cluster_.AddPod(MakePod("p").RequiredNodeAffinity({MatchFields({{"metadata.name", "In", {"n1"}}})})));
  EXPECT_EQ(asked, 20);
}

TEST_F(ClassCacheTest, TheFirstPluginInOrderHasTheWordCacheableOrNot) {
  const ReasonId first = cluster_.reasons.Intern("first"), second = cluster_.reasons.Intern("second");
  bool first_rejects = false;
  profile_.Add("Uncached", {ExtensionPoint::kFilter}).filter = [&](const PodInfo&, const NodeView&) {
    return first_rejects ? Status::Unschedulable(first) : Status();
  };
  FakeBehaviour& cached = profile_.Add("Cached", {ExtensionPoint::kFilter});
  cached.dependencies = kOfRequests;
  cached.filter = [&](const PodInfo&, const NodeView&) { return Status::Unschedulable(second); };
  Create();
  PodInfo& pod = cluster_.AddPod(MakePod("p"));
  EXPECT_EQ(verdicts_.Get(Verdicts(pod)[0]).Message(cluster_.reasons), "second");
  first_rejects = true;
  EXPECT_EQ(verdicts_.Get(Verdicts(pod)[0]).Message(cluster_.reasons), "first");
}

TEST_F(ClassCacheTest, AnErrorIsForOneCycleOnly) {
  const ReasonId reason = cluster_.reasons.Intern("broken");
  bool broken = true;
  FakeBehaviour& plugin = profile_.Add("Fit", {ExtensionPoint::kFilter});
  plugin.dependencies = kOfRequests;
  plugin.filter = [&](const PodInfo&, const NodeView&) { return broken ? Status(Code::kError, reason) : Status(); };
  Create();
  PodInfo& pod = cluster_.AddPod(MakePod("p"));
  EXPECT_EQ(verdicts_.Get(Verdicts(pod)[0]).code(), Code::kError);
  broken = false;
  EXPECT_EQ(Verdicts(pod)[0], kFeasible);
}

TEST_F(ClassCacheTest, ANodeThatComesIsAskedAbout) {
  profile_.Add("Fit", {ExtensionPoint::kFilter}).dependencies = kOfRequests;
  Create();
  PodInfo& pod = cluster_.AddPod(MakePod("p"));
  Verdicts(pod);
  cluster_.AddNode(MakeNode("late"));
  EXPECT_EQ(Verdicts(pod).size(), 21u);
  EXPECT_EQ(cache_->counters().filters_computed, 21u);
}

TEST_F(ClassCacheTest, AClassThatTakesTheIdOfAnotherStartsAfresh) {
  profile_.Add("Fit", {ExtensionPoint::kFilter}).dependencies = kOfRequests;
  Create();
  const PodId first = cluster_.AddPod(MakePod("a").Requests({{"cpu", "1"}})).id;
  Verdicts(cluster_.state.pod_store().Get(first));
  cluster_.state.pod_store().Remove(first);
  PodInfo& other = cluster_.AddPod(MakePod("b").Requests({{"cpu", "2"}}));
  Verdicts(other);
  EXPECT_EQ(cache_->counters().filters_computed, 40u);
}

TEST_F(ClassCacheTest, TheLeastRecentlyUsedClassIsDropped) {
  profile_.Add("Fit", {ExtensionPoint::kFilter}).dependencies = kOfRequests;
  Create(/*max_bytes=*/1);  // room for one
  PodInfo& a = cluster_.AddPod(MakePod("a").Requests({{"cpu", "1"}}));
  PodInfo& b = cluster_.AddPod(MakePod("b").Requests({{"cpu", "2"}}));
  Verdicts(a);
  Verdicts(b);
  EXPECT_EQ(cache_->counters().entries_dropped, 1u);
  Verdicts(b);
  EXPECT_EQ(cache_->counters().filters_computed, 40u);
  Verdicts(a);
  EXPECT_EQ(cache_->counters().filters_computed, 60u);
}

TEST_F(ClassCacheTest, AnOldEntryStartsAfreshWhenTheJournalHasForgotten) {
  profile_.Add("Fit", {ExtensionPoint::kFilter}).dependencies = kOfRequests;
  Create();
  PodInfo& pod = cluster_.AddPod(MakePod("p"));
  Verdicts(pod);
  PodInfo& moving = cluster_.AddPod(MakePod("moving").Node("n3"));
  for (int i = 0; i < 100'000; ++i) {
    cluster_.state.RemovePod(moving);
    cluster_.state.AddPod(moving);
  }
  Verdicts(pod);
  EXPECT_EQ(cache_->counters().filters_computed, 40u);
}

// ---- scores ----

TEST_F(ClassCacheTest, CachedAndPlainScoresAreEqual) {
  FakeBehaviour& fixed = profile_.Add("Fixed", {ExtensionPoint::kScore}, 2);
  fixed.dependencies = kOfRequests;
  fixed.score = [](const NodeView& node, int64_t& score) { return score = node.id() * 3, Status(); };
  FakeBehaviour& normalized = profile_.Add("Normalized", {ExtensionPoint::kScore}, 5);
  normalized.dependencies = kOfRequests;
  normalized.score = [](const NodeView& node, int64_t& score) { return score = 1000 + node.id(), Status(); };
  normalized.normalize = [](std::span<int64_t> scores) {
    for (int64_t& score : scores) score -= 1000;
  };
  profile_.Add("Uncached", {ExtensionPoint::kScore}).score = [](const NodeView& node, int64_t& score) {
    return score = 100 - node.id(), Status();
  };
  Create();
  PodInfo& pod = cluster_.AddPod(MakePod("p"));
  ScoreTable plain, cached, totals_only;
  const auto nodes = cluster_.state.order();
  ASSERT_TRUE(ScoreNodes({*framework_, nullptr, nullptr, cycle_, pod, true}, nodes, plain).ok());
  ASSERT_TRUE(ScoreNodes({*framework_, &*cache_, &cache_->Use(pod), cycle_, pod, true}, nodes, cached).ok());
  ASSERT_TRUE(ScoreNodes({*framework_, &*cache_, &cache_->Use(pod), cycle_, pod, false}, nodes, totals_only).ok());
  EXPECT_EQ(plain.totals(), cached.totals());
  EXPECT_EQ(plain.totals(), totals_only.totals());
  ASSERT_EQ(plain.rows().size(), 3u);
  ASSERT_EQ(cached.rows().size(), 3u);
  EXPECT_EQ(totals_only.rows().size(), 2u) << "what is fixed needs no row of its own";
  for (size_t row = 0; row < 3; ++row) EXPECT_EQ(plain.rows()[row].scores, cached.rows()[row].scores) << row;
}

TEST_F(ClassCacheTest, AScoreOutOfRangeIsAnErrorInEitherForm) {
  FakeBehaviour& plugin = profile_.Add("Bad", {ExtensionPoint::kScore});
  plugin.dependencies = kOfRequests;
  plugin.score = [](const NodeView&, int64_t& score) { return score = 101, Status(); };
  Create();
  PodInfo& pod = cluster_.AddPod(MakePod("p"));
  ScoreTable table;
  const std::string expected =
      "applying score defaultWeights on Score plugins: plugin \"Bad\" returns an invalid score 101, it should in the "
      "range of [0, 100] after normalizing";
  EXPECT_EQ(ScoreNodes({*framework_, &*cache_, &cache_->Use(pod), cycle_, pod}, cluster_.state.order(), table)
                .Message(cluster_.reasons),
            expected);
  EXPECT_EQ(
      ScoreNodes({*framework_, nullptr, nullptr, cycle_, pod}, cluster_.state.order(), table).Message(cluster_.reasons),
      expected);
}

TEST_F(ClassCacheTest, AScoreThatFailsSaysWhoAndWhy) {
  FakeBehaviour& plugin = profile_.Add("Bad", {ExtensionPoint::kScore});
  plugin.dependencies = kOfRequests;
  plugin.score = [&](const NodeView&, int64_t&) { return Status(Code::kError, cluster_.reasons.Intern("no idea")); };
  Create();
  PodInfo& pod = cluster_.AddPod(MakePod("p"));
  ScoreTable table;
  EXPECT_EQ(ScoreNodes({*framework_, &*cache_, &cache_->Use(pod), cycle_, pod}, cluster_.state.order(), table)
                .Message(cluster_.reasons),
            "running Score plugins: plugin \"Bad\" failed with: no idea");
}

TEST_F(ClassCacheTest, ScoresThatCountNodesAreForgottenWithAnotherNumberOfNodes) {
  FakeBehaviour& plugin = profile_.Add("Counts", {ExtensionPoint::kScore});
  plugin.dependencies = kOfRequests;
  plugin.dependencies.score_counts_nodes = true;
  plugin.score = [](const NodeView& node, int64_t& score) { return score = node.state().num_nodes(), Status(); };
  Create();
  PodInfo& pod = cluster_.AddPod(MakePod("p"));
  ScoreTable table;
  const auto first_total = [&] {
    EXPECT_TRUE(
        ScoreNodes({*framework_, &*cache_, &cache_->Use(pod), cycle_, pod}, cluster_.state.order(), table).ok());
    return table.totals()[0];
  };
  EXPECT_EQ(first_total(), 20);
  cluster_.AddNode(MakeNode("late"));
  EXPECT_EQ(first_total(), 21);
}

TEST_F(ClassCacheTest, AScorerThatWasSkippedIsAskedWhenItIsNotAnyMore) {
  FakeBehaviour& plugin = profile_.Add("Sometimes", {ExtensionPoint::kScore});
  plugin.dependencies = kOfRequests;
  plugin.score = [](const NodeView&, int64_t& score) { return score = 50, Status(); };
  Create();
  PodInfo& pod = cluster_.AddPod(MakePod("p"));
  ScoreTable table;
  cycle_.skip_score.Insert(2);
  ASSERT_TRUE(ScoreNodes({*framework_, &*cache_, &cache_->Use(pod), cycle_, pod}, cluster_.state.order(), table).ok());
  EXPECT_EQ(table.totals()[0], 0);
  cycle_.skip_score.Clear();
  ASSERT_TRUE(ScoreNodes({*framework_, &*cache_, &cache_->Use(pod), cycle_, pod}, cluster_.state.order(), table).ok());
  EXPECT_EQ(table.totals()[0], 50);
}

}  // namespace
}  // namespace ksched
