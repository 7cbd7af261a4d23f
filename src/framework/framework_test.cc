#include "framework/framework.h"

#include <gtest/gtest.h>

#include "framework/fake_plugins.h"

namespace ksched {
namespace {

using config::ExtensionPoint;
using namespace testing_support;  // NOLINT
using Names = std::vector<std::string>;

class FrameworkTest : public ::testing::Test {
 protected:
  void SetUp() override { cluster_.AddNode(MakeNode("n1").Allocatable({{"cpu", "4"}, {"pods", "10"}})); }
  void Create() {
    auto framework = profile_.CreateFramework(cluster_);
    ASSERT_TRUE(framework) << framework.error().message;
    framework_ = std::move(*framework);
  }
  ReasonId Reason(const char* text) { return cluster_.reasons.Intern(text); }
  FakeBehaviour& AddPreFilter(const std::string& name, Status status, std::optional<Names> names = std::nullopt) {
    FakeBehaviour& plugin = profile_.Add(name, {ExtensionPoint::kPreFilter, ExtensionPoint::kFilter});
    plugin.pre_filter = [=](CycleState&, PreFilterResult& result) {
      result.node_names = names;
      return status;
    };
    return plugin;
  }
  PreFilterOutcome PreFilter() {
    cycle_.StartCycle();
    PreFilterOutcome outcome;
    framework_->RunPreFilter(cycle_, cluster_.AddPod(MakePod("pre")), outcome);
    return outcome;
  }
  std::string PluginOf(const Status& status) {
    return status.plugin() == kNoPlugin ? "" : std::string(framework_->plugin_name(status.plugin()));
  }

  TestCluster cluster_;
  FakeProfile profile_;
  CycleState cycle_;
  std::unique_ptr<Framework> framework_;
};

// ---- creation ----

TEST_F(FrameworkTest, APluginThatIsNotThereYetIsAnError) {
  profile_.Add("Later", {ExtensionPoint::kFilter});
  profile_.registry.back().create = nullptr;
  const auto framework = profile_.CreateFramework(cluster_);
  ASSERT_FALSE(framework);
  EXPECT_EQ(framework.error().message, "plugin \"Later\" is not there yet in this version of ksched");
}

TEST_F(FrameworkTest, APluginThatCannotBeMadeSaysWhy) {
  profile_.Add("Picky", {ExtensionPoint::kFilter});
  profile_.registry.back().create = [](const config::PluginArgs&, const PluginContext&) {
    return Result<std::unique_ptr<Plugin>>(Error{"bad arguments"});
  };
  const auto framework = profile_.CreateFramework(cluster_);
  ASSERT_FALSE(framework);
  EXPECT_EQ(framework.error().message, "initializing plugin \"Picky\": bad arguments");
}

// ---- PreFilter ----

TEST_F(FrameworkTest, PreFilterKeepsTheNodesThatAllName) {
  AddPreFilter("A", {}, Names{"n1", "n2", "n3"});
  AddPreFilter("B", {});
  AddPreFilter("C", {}, Names{"n2", "n3", "n4"});
  Create();
  const PreFilterOutcome outcome = PreFilter();
  EXPECT_TRUE(outcome.status.ok());
  EXPECT_EQ(outcome.node_names, (Names{"n2", "n3"}));
  EXPECT_EQ(framework_->PluginNames(outcome.narrowed_by), "A C");
}

TEST_F(FrameworkTest, NodesThatAPluginNamesMayBeNone) {
  struct Row {
    std::optional<Names> a, b;
    const char* message;
  };
  const Row rows[] = {
      {Names{}, std::nullopt, "node(s) didn't satisfy plugin A"},
      {Names{"n1"}, Names{"n2"}, "node(s) didn't satisfy plugin(s) [A B] simultaneously"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.message);
    profile_ = FakeProfile();
    AddPreFilter("A", {}, row.a);
    AddPreFilter("B", {}, row.b);
    Create();
    cluster_.state.pod_store();
    cycle_.StartCycle();
    PreFilterOutcome outcome;
    PodInfo& pod = cluster_.AddPod(MakePod(row.message));
    framework_->RunPreFilter(cycle_, pod, outcome);
    EXPECT_EQ(outcome.status.code(), Code::kUnschedulableAndUnresolvable);
    EXPECT_EQ(outcome.status.Message(cluster_.reasons), row.message);
    EXPECT_EQ(outcome.status.plugin(), kNoPlugin);
  }
}

TEST_F(FrameworkTest, PreFilterRejections) {
  bool later_ran = false;
  AddPreFilter("A", Status::Unschedulable(Reason("not now")));
  AddPreFilter("B", {}).pre_filter = [&](CycleState&, PreFilterResult&) { return later_ran = true, Status(); };
  Create();
  PreFilterOutcome outcome = PreFilter();
  EXPECT_EQ(PluginOf(outcome.status), "A");
  EXPECT_TRUE(later_ran) << "preemption may follow, which needs all of PreFilter";

  profile_ = FakeProfile();
  later_ran = false;
  AddPreFilter("A", Status::UnschedulableAndUnresolvable(Reason("never")));
  AddPreFilter("B", {}).pre_filter = [&](CycleState&, PreFilterResult&) { return later_ran = true, Status(); };
  Create();
  cluster_.state.pod_store().Remove(cluster_.state.pod_store().Find("default", "pre")->id);
  outcome = PreFilter();
  EXPECT_EQ(outcome.status.Message(cluster_.reasons), "never");
  EXPECT_FALSE(later_ran);
}

TEST_F(FrameworkTest, PreFilterErrorsNameThePlugin) {
  AddPreFilter("A", Status(Code::kError, Reason("disk on fire")));
  Create();
  const PreFilterOutcome outcome = PreFilter();
  EXPECT_EQ(outcome.status.code(), Code::kError);
  EXPECT_EQ(outcome.status.Message(cluster_.reasons), "running PreFilter plugin \"A\": disk on fire");
}

TEST_F(FrameworkTest, AFilterWhosePreFilterSkipsDoesNotRun) {
  AddPreFilter("A", Status::Skip()).filter = [&](const PodInfo&, const NodeView&) {
    return Status::Unschedulable(Reason("no"));
  };
  Create();
  PreFilter();
  PodInfo& pod = *cluster_.state.pod_store().Find("default", "pre");
  EXPECT_TRUE(framework_->RunFilter(cycle_, pod, cluster_.View("n1")).ok());
}

// ---- Filter ----

TEST_F(FrameworkTest, TheFirstRejectionEndsFilter) {
  profile_.Add("A", {ExtensionPoint::kFilter}).filter = [&](const PodInfo&, const NodeView&) {
    return Status::Unschedulable(Reason("a"));
  };
  profile_.Add("B", {ExtensionPoint::kFilter}).filter = [&](const PodInfo&, const NodeView&) {
    return Status::Unschedulable(Reason("b"));
  };
  Create();
  const Status status = framework_->RunFilter(cycle_, cluster_.AddPod(MakePod("p")), cluster_.View("n1"));
  EXPECT_EQ(cluster_.Text(status), "Unschedulable: a");
  EXPECT_EQ(PluginOf(status), "A");
}

TEST_F(FrameworkTest, AFilterThatFailsSaysWhoAndWhy) {
  profile_.Add("A", {ExtensionPoint::kFilter}).filter = [&](const PodInfo&, const NodeView&) {
    return Status(Code::kError, Reason("oops"));
  };
  Create();
  const Status status = framework_->RunFilter(cycle_, cluster_.AddPod(MakePod("p")), cluster_.View("n1"));
  EXPECT_EQ(cluster_.Text(status), "Error: running \"A\" filter plugin: oops");
}

// Every node has these nominated pods.
class FixedNominations final : public PodNominator {
 public:
  explicit FixedNominations(std::vector<PodId> pods) : pods_(std::move(pods)) {}
  std::span<const PodId> NominatedPods(const std::string&) const override { return pods_; }
  bool AnyNominations() const override { return !pods_.empty(); }
  std::vector<std::string> NominatedNodes() const override { return {"n1"}; }

 private:
  std::vector<PodId> pods_;
};

TEST_F(FrameworkTest, NominatedPodsOfEqualOrHigherPriorityCountOnTheNode) {
  profile_.Add("Fit", {ExtensionPoint::kFilter}).filter = [&](const PodInfo&, const NodeView& node) {
    return node.pods().empty() ? Status() : Status::Unschedulable(Reason("taken"));
  };
  Create();
  const NodeId n1 = *cluster_.state.FindNode("n1");
  PodInfo& pod = cluster_.AddPod(MakePod("p").Priority(5));
  const PodId lower = cluster_.AddPod(MakePod("lower").Priority(4)).id;
  const PodId equal = cluster_.AddPod(MakePod("equal").Priority(5)).id;
  const auto check = [&](std::vector<PodId> nominated) {
    const FixedNominations nominator(std::move(nominated));
    framework_->set_nominator(nominator);
    return cluster_.Text(framework_->RunFilterWithNominatedPods(cycle_, pod, n1, false));
  };
  EXPECT_EQ(check({lower}), "Success");
  EXPECT_EQ(check({pod.id}), "Success") << "its own nomination";
  EXPECT_EQ(check({lower, equal}), "Unschedulable: taken");
  EXPECT_TRUE(cluster_.state.pods(n1).empty()) << "all as it was";
}

TEST_F(FrameworkTest, APodMustFitWithoutTheNominatedPodsToo) {
  profile_.Add("Needy", {ExtensionPoint::kFilter}).filter = [&](const PodInfo&, const NodeView& node) {
    return node.pods().empty() ? Status::Unschedulable(Reason("lonely")) : Status();
  };
  Create();
  PodInfo& pod = cluster_.AddPod(MakePod("p"));
  const FixedNominations nominator({cluster_.AddPod(MakePod("friend")).id});
  framework_->set_nominator(nominator);
  EXPECT_EQ(cluster_.Text(framework_->RunFilterWithNominatedPods(cycle_, pod, 0, false)), "Unschedulable: lonely");
}

// ---- PostFilter ----

TEST_F(FrameworkTest, PostFilterPlugins) {
  class NoStatuses final : public NodeStatuses {
    Code CodeOf(NodeId) const override { return Code::kUnschedulable; }
  } statuses;
  struct Row {
    const char* name;
    Code first, second;
    const char* expected;
    const char* plugin;
    const char* nominated;
  };
  const Row rows[] = {
      {"success ends it", Code::kSuccess, Code::kError, "Success", "A", "a"},
      {"unresolvable ends it", Code::kUnschedulableAndUnresolvable, Code::kError, "UnschedulableAndUnresolvable: A",
       "A", "a"},
      {"an error ends it", Code::kUnschedulable, Code::kError, "Error: B", "B", ""},
      {"rejections add up", Code::kUnschedulable, Code::kUnschedulable, "Unschedulable: A, B", "A", "b"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    profile_ = FakeProfile();
    const auto add = [&](const char* name, Code code, const char* node) {
      profile_.Add(name, {ExtensionPoint::kPostFilter}).post_filter = [=, this](PostFilterResult& result) {
        result = {true, node};
        return code == Code::kSuccess ? Status() : Status(code, Reason(name));
      };
    };
    add("A", row.first, "a");
    add("B", row.second, "b");
    Create();
    PostFilterResult result;
    const Status status = framework_->RunPostFilter(cycle_, cluster_.AddPod(MakePod(row.name)), statuses, result);
    EXPECT_EQ(cluster_.Text(status), row.expected);
    EXPECT_EQ(PluginOf(status), row.plugin);
    EXPECT_EQ(result.nominated_node, row.nominated);
  }
}

// ---- what follows ----

TEST_F(FrameworkTest, ReserveUnreserveAndPermit) {
  std::string order;
  FakeBehaviour& a = profile_.Add("A", {ExtensionPoint::kReserve, ExtensionPoint::kPermit});
  FakeBehaviour& b = profile_.Add("B", {ExtensionPoint::kReserve, ExtensionPoint::kPermit});
  a.unreserve = [&] { order += "A"; };
  b.unreserve = [&] { order += "B"; };
  b.reserve = [&] { return Status(Code::kError, Reason("lost")); };
  b.permit = [&] { return Status::Unschedulable(Reason("denied")); };
  Create();
  PodInfo& pod = cluster_.AddPod(MakePod("p"));
  EXPECT_EQ(cluster_.Text(framework_->RunReserve(cycle_, pod, 0)), "Error: running Reserve plugin \"B\": lost");
  framework_->RunUnreserve(cycle_, pod, 0);
  EXPECT_EQ(order, "BA") << "in reverse";
  std::vector<PermitWait> waits;
  const Status permit = framework_->RunPermit(cycle_, pod, 0, waits);
  EXPECT_EQ(cluster_.Text(permit), "Unschedulable: denied");
  EXPECT_EQ(PluginOf(permit), "B");
}

TEST_F(FrameworkTest, PermitPluginsThatAskToWait) {
  FakeBehaviour& a = profile_.Add("A", {ExtensionPoint::kPermit});
  FakeBehaviour& b = profile_.Add("B", {ExtensionPoint::kPermit});
  profile_.Add("C", {ExtensionPoint::kPermit});
  a.permit = b.permit = [] { return Status(Code::kWait); };
  a.permit_timeout = std::chrono::seconds(3);
  b.permit_timeout = std::chrono::hours(1);
  Create();
  PodInfo& pod = cluster_.AddPod(MakePod("p"));
  std::vector<PermitWait> waits;
  EXPECT_EQ(cluster_.Text(framework_->RunPermit(cycle_, pod, 0, waits)),
            "Wait: one or more plugins asked to wait and no plugin rejected pod");
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].plugin_name, "A");
  EXPECT_EQ(waits[0].timeout, std::chrono::seconds(3));
  EXPECT_EQ(waits[1].plugin_name, "B");
  EXPECT_EQ(waits[1].timeout, std::chrono::minutes(15)) << "no longer";
}

TEST_F(FrameworkTest, PluginsThatDoNotSayWhatTheyWaitForWaitForAnything) {
  profile_.Add("Filter", {ExtensionPoint::kFilter});
  profile_.Add("OnlyScore", {ExtensionPoint::kScore});
  Create();
  bool filter = false;
  for (const auto& [id, events] : framework_->QueueingHints()) {
    EXPECT_NE(framework_->plugin_name(id), "OnlyScore");
    if (framework_->plugin_name(id) != "Filter") continue;
    filter = true;
    EXPECT_GT(events.size(), 5u);
  }
  EXPECT_TRUE(filter);
}

}  // namespace
}  // namespace ksched
