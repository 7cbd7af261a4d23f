// Budgets, victims and the evaluator, against a framework with one rule: the pods of a node need no more cpu than it
// has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/testing.h"
#include "preemption/budgets.h"
#include "preemption/evaluator.h"

namespace ksched {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CpuOnly final : public FrameworkHandle {
 public:
  explicit CpuOnly(TestCluster& cluster) : cluster_(cluster) {}
  Status RunFilterWithNominatedPods(CycleState&, const PodInfo& pod, NodeId node, bool) override {
    const ClusterState& state = cluster_.state;
    const bool fits = state.requested(node, kCpu) + pod.pod_class->requests.milli_cpu <= state.allocatable(node, kCpu);
    return fits ? Status() : Status::Unschedulable(cluster_.reasons.Intern("Insufficient cpu"));
  }
  Status RunAddPod(CycleState&, const PodInfo&, const PodInfo& pod, NodeId) const override {
    told += "+" + pod.name() + " ";
    return {};
  }
  Status RunRemovePod(CycleState&, const PodInfo&, const PodInfo& pod, NodeId) const override {
    told += "-" + pod.name() + " ";
    return {};
  }
  std::span<const PodId> NominatedPods(const std::string&) const override { return {}; }
  WaitingPods& waiting_pods() override { return cluster_.waiting_pods; }

  mutable std::string told;

 private:
  TestCluster& cluster_;
};

class AllUnschedulable final : public NodeStatuses {
 public:
  explicit AllUnschedulable(Code others = Code::kUnschedulable) : code_(others) {}
  Code CodeOf(NodeId) const override { return code_; }

 private:
  Code code_;
};

class PreemptionTest : public ::testing::Test {
 protected:
  void AddNode(const char* name, const char* cpu = "4") {
    cluster_.AddNode(MakeNode(name).Allocatable({{"cpu", cpu}, {"pods", "110"}}));
  }
  struct Running {
    int32_t priority = 0;
    const char* cpu = "1";
    int64_t started_s = 0;
    const char* app = "";
  };
  PodInfo& AddPod(const char* name, const char* node, Running running) {
    MakePod pod(name);
    pod.Node(node).Priority(running.priority).Requests({{"cpu", running.cpu}});
    if (*running.app != '\0') pod.Label("app", running.app);
    pod.pod.status.start_time = running.started_s * kNsPerSecond;
    return cluster_.AddPod(pod);
  }
  PodInfo& AddPreemptor(int32_t priority, const char* cpu) {
    return cluster_.AddPod(MakePod("preemptor").Priority(priority).Requests({{"cpu", cpu}}));
  }
  void AddBudget(const char* name, const char* app, int32_t allowed, std::vector<std::string> disrupted = {}) {
    api::PodDisruptionBudget budget;
    budget.metadata.ns = "default";
    budget.metadata.name = name;
    budget.selector.emplace().match_labels["app"] = app;
    budget.status.disruptions_allowed = allowed;
    for (const std::string& pod : disrupted) budget.status.disrupted_pods[pod] = 0;
    cluster_.state.objects().disruption_budgets.Put(std::move(budget));
  }

  std::string Evaluate(const PodInfo& pod, const NodeStatuses& statuses, PreemptionOptions options = {}) {
    PreemptionEvaluator evaluator(cluster_.state, cluster_.reasons, handle_, options);
    result_ = PostFilterResult();
    return cluster_.Text(evaluator.Evaluate(cluster_.cycle, pod, statuses, result_));
  }
  std::string Evaluate(const PodInfo& pod) { return Evaluate(pod, AllUnschedulable()); }
  std::vector<std::string> Names(const std::vector<PodId>& pods) const {
    std::vector<std::string> names;
    for (const PodId id : pods) names.push_back(cluster_.state.pod_store().Get(id).name());
    return names;
  }

  TestCluster cluster_;
  CpuOnly handle_{cluster_};
  PostFilterResult result_;
};

TEST_F(PreemptionTest, TheLeastImportantLeaveAndTheStateComesBack) {
  AddNode("n1");
  AddPod("old", "n1", {.priority = 1, .started_s = 10});
  AddPod("new", "n1", {.priority = 1, .started_s = 20});
  AddPod("low", "n1", {.priority = 0, .started_s = 5});
  AddPod("high", "n1", {.priority = 9});
  EXPECT_EQ(Evaluate(AddPreemptor(5, "2")), "Success");
  EXPECT_EQ(result_.nominated_node, "n1");
  EXPECT_THAT(Names(result_.victims), ElementsAre("new", "low"));
  EXPECT_EQ(handle_.told, "-old -new -low +old +new +low ");
  const NodeId n1 = *cluster_.state.FindNode("n1");
  EXPECT_EQ(cluster_.state.requested(n1, kCpu), 4000);
  EXPECT_THAT(Names({cluster_.state.pods(n1).begin(), cluster_.state.pods(n1).end()}),
              ElementsAre("old", "new", "low", "high"));
}

TEST_F(PreemptionTest, OfEqualPodsTheOneThatCameFirstStays) {
  AddNode("n1", "2");
  AddPod("a", "n1", {.started_s = 10});
  AddPod("b", "n1", {.started_s = 10});
  EXPECT_EQ(Evaluate(AddPreemptor(5, "1")), "Success");
  EXPECT_THAT(Names(result_.victims), ElementsAre("b"));
}

TEST_F(PreemptionTest, WhatABudgetProtectsIsGivenBackFirst) {
  AddNode("n1", "2");
  AddPod("free", "n1", {.priority = 4});
  AddPod("guarded", "n1", {.priority = 0, .app = "a"});
  AddBudget("a", "a", 0);
  EXPECT_EQ(Evaluate(AddPreemptor(5, "1")), "Success");
  EXPECT_THAT(Names(result_.victims), ElementsAre("free"));
  EXPECT_EQ(result_.candidates.front().pdb_violations, 0);
}

TEST_F(PreemptionTest, NotHelpful) {
  AddNode("full", "1");
  AddNode("busy", "1");
  AddPod("important", "full", {.priority = 9});
  AddPod("small", "busy", {.priority = 0});
  EXPECT_EQ(
      Evaluate(AddPreemptor(5, "2")),
      "Unschedulable: 0/2 nodes are available: 1 Insufficient cpu, 1 No preemption victims found for incoming pod.");
  EXPECT_TRUE(result_.nominates);
  EXPECT_EQ(result_.nominated_node, "");
}

TEST_F(PreemptionTest, NodesThatCannotBeHelpedAreNotTried) {
  AddNode("n1");
  AddPod("small", "n1", {});
  const AllUnschedulable never(Code::kUnschedulableAndUnresolvable);
  EXPECT_EQ(Evaluate(AddPreemptor(5, "4"), never),
            "Unschedulable: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
  EXPECT_EQ(handle_.told, "");
}

TEST_F(PreemptionTest, PolicyNever) {
  AddNode("n1");
  api::Pod pod = MakePod("polite").Priority(5);
  pod.spec.preemption_policy = "Never";
  EXPECT_EQ(Evaluate(cluster_.AddPod(pod)), "Unschedulable: not eligible due to preemptionPolicy=Never.");
  EXPECT_FALSE(result_.nominates);
}

struct NominatedRow {
  const char* name;
  const char* nominated;
  bool deleting, preempted;
  int32_t priority;  // of the pod on the nominated node
  Code code;
  bool waits;
};

TEST_F(PreemptionTest, WaitsForVictimsOnItsNominatedNode) {
  const NominatedRow rows[] = {
      {"a victim is leaving", "n1", true, true, 0, Code::kUnschedulable, true},
      {"it is not leaving", "n1", false, true, 0, Code::kUnschedulable, false},
      {"it leaves for another reason", "n1", true, false, 0, Code::kUnschedulable, false},
      {"it is more important", "n1", true, true, 9, Code::kUnschedulable, false},
      {"the node is of no use any more", "n1", true, true, 0, Code::kUnschedulableAndUnresolvable, false},
      {"the node is gone", "gone", true, true, 0, Code::kUnschedulable, false},
      {"no nomination", "", true, true, 0, Code::kUnschedulable, false},
  };
  for (const NominatedRow& row : rows) {
    TestCluster cluster;
    CpuOnly handle(cluster);
    cluster.AddNode(MakeNode("n1").Allocatable({{"cpu", "1"}}));
    PodInfo& victim = cluster.AddPod(MakePod("victim").Node("n1").Priority(row.priority));
    cluster.state.pod_store().Change(victim, [&row](PodFacts& facts) {
      facts.deleting = row.deleting;
      facts.preempted = row.preempted;
    });
    PodInfo& pod = cluster.AddPod(MakePod("pod").Priority(5).NominatedNode(row.nominated));
    PreemptionEvaluator evaluator(cluster.state, cluster.reasons, handle, {});
    PostFilterResult result;
    const std::string text = cluster.Text(evaluator.Evaluate(cluster.cycle, pod, AllUnschedulable(row.code), result));
    EXPECT_EQ(text == "Unschedulable: not eligible due to a terminating pod on the nominated node.", row.waits)
        << row.name << ": " << text;
  }
}

TEST_F(PreemptionTest, RanksByOneRuleAfterTheOther) {
  struct Row {
    const char* name;
    std::vector<Running> on_a, on_b;
    const char* want;
  };
  const Row rows[] = {
      {"fewer violated budgets", {{.cpu = "2", .app = "guarded"}}, {{.priority = 3, .cpu = "2"}}, "b"},
      {"the lower highest priority", {{.priority = 3, .cpu = "2"}}, {{.priority = 2, .cpu = "2"}}, "b"},
      {"the lower sum of priorities", {{.priority = 2}, {.priority = 1}}, {{.priority = 2}, {.priority = 0}}, "b"},
      {"fewer victims", {{.priority = -5}, {.priority = -5}}, {{.priority = -5, .cpu = "2"}}, "b"},
      {"the most important victim started later",
       {{.cpu = "2", .started_s = 10}},
       {{.cpu = "2", .started_s = 20}},
       "b"},
      {"the name", {{.cpu = "2"}}, {{.cpu = "2"}}, "a"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    CpuOnly handle(cluster);
    api::PodDisruptionBudget budget;
    budget.metadata.ns = "default";
    budget.metadata.name = "guard";
    budget.selector.emplace().match_labels["app"] = "guarded";
    cluster.state.objects().disruption_budgets.Put(budget);
    int count = 0;
    for (const auto& [node, running] : {std::pair{"a", &row.on_a}, std::pair{"b", &row.on_b}}) {
      cluster.AddNode(MakeNode(node).Allocatable({{"cpu", "2"}}));
      for (const Running& one : *running) {
        MakePod pod("p" + std::to_string(count++));
        pod.Node(node).Priority(one.priority).Requests({{"cpu", one.cpu}}).Label("app", one.app);
        pod.pod.status.start_time = one.started_s * kNsPerSecond;
        cluster.AddPod(pod);
      }
    }
    PodInfo& pod = cluster.AddPod(MakePod("pod").Priority(5).Requests({{"cpu", "2"}}));
    PreemptionEvaluator evaluator(cluster.state, cluster.reasons, handle, {});
    PostFilterResult result;
    ASSERT_TRUE(evaluator.Evaluate(cluster.cycle, pod, AllUnschedulable(), result).ok());
    EXPECT_EQ(result.nominated_node, row.want);
    EXPECT_EQ(result.candidates.size(), 2U);
  }
}

TEST_F(PreemptionTest, StopsAtEnoughCandidatesOneOfThemWithoutAViolation) {
  for (const char* node : {"n1", "n2", "n3", "n4"}) AddNode(node, "1");
  AddPod("p1", "n1", {.app = "guarded"});
  AddPod("p2", "n2", {.app = "guarded"});
  AddPod("p3", "n3", {});
  AddPod("p4", "n4", {});
  AddBudget("guard", "guarded", 0);
  EXPECT_EQ(Evaluate(AddPreemptor(5, "1"), AllUnschedulable(),
                     {.min_candidate_nodes_percentage = 0, .min_candidate_nodes_absolute = 1}),
            "Success");
  EXPECT_EQ(result_.nominated_node, "n3");
  EXPECT_EQ(result_.candidates.size(), 3U);
}

TEST_F(PreemptionTest, Budgets) {
  AddPod("a1", "n1", {.app = "a"});
  AddPod("a2", "n1", {.app = "a"});
  AddPod("a3", "n1", {.app = "a"});
  AddPod("b1", "n1", {.app = "b"});
  AddPod("plain", "n1", {});
  std::vector<PodInfo*> victims;
  for (PodId id = 0; id < cluster_.state.pod_store().capacity(); ++id) {
    victims.push_back(&cluster_.state.pod_store().Get(id));
  }
  const auto violations = [&] {
    DisruptionBudgets budgets;
    budgets.Refresh(cluster_.state.objects().disruption_budgets);
    std::vector<bool> violates;
    budgets.FindViolations(victims, violates);
    std::vector<std::string> names;
    for (size_t i = 0; i < victims.size(); ++i) {
      if (violates[i]) names.push_back(victims[i]->name());
    }
    return names;
  };
  EXPECT_THAT(violations(), IsEmpty());
  AddBudget("a", "a", 1);
  EXPECT_THAT(violations(), ElementsAre("a2", "a3"));
  AddBudget("a", "a", 1, {"a1"});
  EXPECT_THAT(violations(), ElementsAre("a3")) << "one that is counted already costs nothing";
  AddBudget("also-a", "a", 0);
  EXPECT_THAT(violations(), ElementsAre("a1", "a2", "a3")) << "budgets may overlap";
  api::PodDisruptionBudget everything;
  everything.metadata.ns = "default";
  everything.metadata.name = "everything";
  everything.selector.emplace();
  cluster_.state.objects().disruption_budgets.Put(everything);
  EXPECT_THAT(violations(), ElementsAre("a1", "a2", "a3")) << "an empty selector means no pod";
}

}  // namespace
}  // namespace ksched
