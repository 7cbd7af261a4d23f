#include "plugins/pod_topology_spread/spread_table.h"

#include <gtest/gtest.h>

#include "plugins/pod_topology_spread/testing.h"

namespace ksched {
namespace {

using namespace testing_support;

MakePod Spread(std::string name, std::vector<Constraint> constraints) {
  MakePod made = MakePod(std::move(name)).Label("app", "web");
  made.pod.spec.topology_spread_constraints = std::move(constraints);
  return made;
}

class SpreadTableTest : public ::testing::Test {
 protected:
  std::shared_ptr<SpreadCounts> Counts(SpreadTable& table, const MakePod& pod,
                                       SpreadAction action = SpreadAction::kHard) {
    return table.Find(*cluster_.AddPod(pod).pod_class, action).counts;
  }
  TestCluster cluster_;
  SpreadTable table_{SpreadDefaults(), true, cluster_.state};
};

TEST_F(SpreadTableTest, ClassesThatCountTheSamePodsShareCounts) {
  const auto first = Counts(table_, Spread("set-0", {Hard("zone")}).Label("index", "0"));
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(Counts(table_, Spread("set-1", {Hard("zone")}).Label("index", "1")), first);
  // Other pods are counted, or on other nodes.
  EXPECT_NE(Counts(table_, Spread("a", {Hard("zone")}).Namespace("other")), first);
  EXPECT_NE(Counts(table_, Spread("b", {Hard("rack")})), first);
  EXPECT_NE(Counts(table_, Spread("c", {Hard("zone")}).NodeSelector({{"disk", "ssd"}})), first);
  const auto keyed = Counts(table_, Spread("d", {MatchKeys(Hard("zone"), {"hash"})}).Label("hash", "1"));
  EXPECT_NE(Counts(table_, Spread("e", {MatchKeys(Hard("zone"), {"hash"})}).Label("hash", "2")), keyed);
}

TEST_F(SpreadTableTest, WhetherAConstraintMeansThePodIsOfItsClass) {
  const PodInfo& web = cluster_.AddPod(Spread("web", {Hard("zone")}));
  const PodInfo& db = cluster_.AddPod(Spread("db", {Hard("zone")}).Label("app", "db"));
  EXPECT_EQ(table_.Find(*web.pod_class, SpreadAction::kHard).means_self, std::vector<uint8_t>{1});
  EXPECT_EQ(table_.Find(*db.pod_class, SpreadAction::kHard).means_self, std::vector<uint8_t>{0});
}

TEST_F(SpreadTableTest, HardAndSoftConstraintsAreApart) {
  const PodClass& both = *cluster_.AddPod(Spread("both", {Hard("zone"), Soft("rack"), Hard("row")})).pod_class;
  EXPECT_EQ(table_.Find(both, SpreadAction::kHard).counts->size(), 2u);
  EXPECT_EQ(table_.Find(both, SpreadAction::kSoft).counts->size(), 1u);
  EXPECT_TRUE(table_.MayHave(both, SpreadAction::kSoft));
  const PodClass& hard = *cluster_.AddPod(Spread("hard", {Hard("zone")})).pod_class;
  EXPECT_FALSE(table_.MayHave(hard, SpreadAction::kSoft));
  EXPECT_FALSE(table_.MayHave(*cluster_.AddPod(MakePod("none")).pod_class, SpreadAction::kHard));
}

TEST_F(SpreadTableTest, DefaultConstraintsFollowTheServices) {
  SpreadTable table({{Default("zone", "DoNotSchedule")}, false, true}, true, cluster_.state);
  const PodClass& pod = *cluster_.AddPod(Spread("pod", {})).pod_class;
  EXPECT_EQ(table.Find(pod, SpreadAction::kHard).counts, nullptr);
  cluster_.state.objects().services.Put(ServiceOf("web", {{"app", "web"}}));
  const auto counts = table.Find(pod, SpreadAction::kHard).counts;
  ASSERT_NE(counts, nullptr);
  EXPECT_TRUE(counts->constraints()[0].Means({{"app", "web"}}));
  EXPECT_FALSE(counts->constraints()[0].Means({{"app", "db"}}));
  cluster_.state.objects().services.Put(ServiceOf("unrelated", {{"app", "db"}}));
  EXPECT_EQ(table.Find(pod, SpreadAction::kHard).counts, counts);
  cluster_.state.objects().services.Remove("default", "web");
  EXPECT_EQ(table.Find(pod, SpreadAction::kHard).counts, nullptr);
}

// Counts that were not used for long are dropped, and made again when somebody asks.
TEST_F(SpreadTableTest, KeepsWhatWasUsedLast) {
  constexpr int kNodes = 30'000;
  for (int i = 0; i < kNodes; ++i) cluster_.state.AddNode(MakeNode("n" + std::to_string(i)));
  cluster_.state.TakeSnapshot();
  const auto constraint = [](int i) { return Hard("zone", i + 1); };
  const PodClass& first = *cluster_.AddPod(Spread("first", {constraint(0)})).pod_class;
  std::weak_ptr<SpreadCounts> kept = table_.Find(first, SpreadAction::kHard).counts;
  std::weak_ptr<SpreadCounts> dropped = Counts(table_, Spread("second", {constraint(1)}));
  for (int i = 2; i < 102; ++i) {
    Counts(table_, Spread("p" + std::to_string(i), {constraint(i)}));
    EXPECT_EQ(table_.Find(first, SpreadAction::kHard).counts, kept.lock());
  }
  EXPECT_FALSE(kept.expired());
  EXPECT_TRUE(dropped.expired());
  const PodInfo* second = cluster_.state.pod_store().Find("default", "second");
  EXPECT_NE(table_.Find(*second->pod_class, SpreadAction::kHard).counts, nullptr);
}

}  // namespace
}  // namespace ksched
