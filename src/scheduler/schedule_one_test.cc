// What a cycle does when a step after the search turns the pod down, or fails. Searches and scores are compared with
// the real scheduler's.

#include <gtest/gtest.h>

#include "scheduler/scheduler_testing.h"

namespace ksched {
namespace {

using config::ExtensionPoint;
using namespace testing_support;  // NOLINT

class ScheduleOneTest : public SchedulerTest, private StatusWriter {
 protected:
  void Create(int nodes = 2) {
    Ports ports;
    ports.status_writer = this;
    CreateScheduler(ports);
    for (int i = 0; i < nodes; ++i) handlers_->AddNode(MakeNode("n" + std::to_string(i)));
  }
  PodInfo& AddPending(const char* name) {
    PodInfo& pod = cluster_.state.pod_store().Add(MakePod(name));
    handlers_->AddPod(pod);
    clock_.now += kNsPerMs;
    return pod;
  }
  const CycleRecord& Cycle() {
    EXPECT_EQ(scheduler_->ScheduleOne(), Scheduler::Step::kCycle);
    clock_.now += kNsPerMs;
    return scheduler_->record();
  }
  Status Rejects(const char* text) { return Status::Unschedulable(scheduler_reason(text)); }
  ReasonId scheduler_reason(const char* text) { return const_cast<ReasonTable&>(scheduler_->reasons()).Intern(text); }
  void Write(const PodInfo& pod, const FailureUpdate& update) override {
    written_.push_back(pod.name() + ": " + std::string(update.reason) + ": " + std::string(update.message) +
                       (update.nominates ? " -> \"" + std::string(update.nominated_node) + "\"" : ""));
  }

  void ClearNomination(const PodInfo&) override {}

  std::vector<std::string> written_;
};

TEST_F(ScheduleOneTest, APodIsAssumedOnTheBestNode) {
  profile_.Add("Score", {ExtensionPoint::kScore}).score = [](const NodeView& node, int64_t& score) {
    return score = node.name() == "n1" ? 10 : 5, Status();
  };
  profile_.Add("Fit", {ExtensionPoint::kFilter});
  Create();
  PodInfo& pod = AddPending("p");
  const CycleRecord& record = Cycle();
  EXPECT_EQ(record.result, CycleResult::kScheduled);
  EXPECT_EQ(pod.node_name(), "n1");
  EXPECT_TRUE(scheduler_->cache().IsAssumed(pod.id));
  EXPECT_EQ(scheduler_->queue().num_in_flight(), 0u);
  EXPECT_TRUE(written_.empty());
}

TEST_F(ScheduleOneTest, WithoutNodesThePodIsTriedAgainInAnyCase) {
  Create(/*nodes=*/0);
  AddPending("p");
  const CycleRecord& record = Cycle();
  EXPECT_EQ(record.result, CycleResult::kUnschedulable);
  EXPECT_TRUE(record.error_for_queue);
  EXPECT_EQ(written_, (std::vector<std::string>{"p: Unschedulable: no nodes available to schedule pods -> \"\""}));
  EXPECT_EQ(scheduler_->queue().num_error_backoff(), 1u);
}

TEST_F(ScheduleOneTest, ARejectionAfterTheSearchIsThatOfOneNode) {
  for (const ExtensionPoint point : {ExtensionPoint::kReserve, ExtensionPoint::kPermit}) {
    profile_ = FakeProfile();
    written_.clear();
    bool unreserved = false;
    FakeBehaviour& plugin = profile_.Add("Late", point == ExtensionPoint::kReserve
                                                     ? std::vector{ExtensionPoint::kReserve}
                                                     : std::vector{ExtensionPoint::kReserve, ExtensionPoint::kPermit});
    (point == ExtensionPoint::kReserve ? plugin.reserve : plugin.permit) = [this] { return Rejects("not here"); };
    plugin.unreserve = [&] { unreserved = true; };
    Create();
    PodInfo& pod = AddPending(point == ExtensionPoint::kReserve ? "reserve" : "permit");
    const CycleRecord& record = Cycle();
    EXPECT_EQ(record.result, CycleResult::kUnschedulable);
    EXPECT_EQ(record.message, "0/1 nodes are available: 1 not here.");
    EXPECT_TRUE(record.found_node);
    EXPECT_TRUE(unreserved);
    EXPECT_FALSE(scheduler_->cache().IsAssumed(pod.id));
    EXPECT_EQ(pod.node_name(), "");
    EXPECT_EQ(scheduler_->queue().num_unschedulable(), 1u);
    ASSERT_EQ(written_.size(), 1u);
    EXPECT_EQ(written_[0], pod.name() + ": Unschedulable: 0/1 nodes are available: 1 not here. -> \"\"");
  }
}

TEST_F(ScheduleOneTest, AnErrorAfterTheSearchBacksOff) {
  profile_.Add("Late", {ExtensionPoint::kReserve}).reserve = [this] {
    return Status(Code::kError, scheduler_reason("disk on fire"));
  };
  Create();
  AddPending("p");
  const CycleRecord& record = Cycle();
  EXPECT_EQ(record.result, CycleResult::kError);
  EXPECT_EQ(record.message, "running Reserve plugin \"Late\": disk on fire");
  EXPECT_EQ(scheduler_->queue().num_error_backoff(), 1u);
  EXPECT_EQ(written_[0], "p: SchedulerError: running Reserve plugin \"Late\": disk on fire -> \"\"");
}

TEST_F(ScheduleOneTest, ABindingThatFailsFreesTheNodeAndTellsTheOthers) {
  profile_.Add("Room", {ExtensionPoint::kFilter}).filter = [this](const PodInfo&, const NodeView& node) {
    return node.pods().empty() ? Status() : Rejects("taken");
  };
  bool fails = false;
  profile_.Add("Prepare", {ExtensionPoint::kPreBind}).pre_bind = [&] {
    return fails ? Status(Code::kError, scheduler_reason("no volume")) : Status();
  };
  Create(/*nodes=*/1);
  PodInfo& first = AddPending("first");
  AddPending("second");
  Cycle();
  EXPECT_EQ(Cycle().message, "0/1 nodes are available: 1 taken.");
  EXPECT_EQ(scheduler_->queue().num_unschedulable(), 1u);
  scheduler_->cache().ForgetPod(first);
  fails = true;
  AddPending("third");
  const CycleRecord& record = Cycle();
  EXPECT_EQ(record.result, CycleResult::kError);
  EXPECT_EQ(record.message, "running PreBind plugin \"Prepare\": no volume");
  EXPECT_TRUE(cluster_.state.pods(0).empty());
  EXPECT_EQ(scheduler_->queue().num_unschedulable(), 0u) << "second was told that an assigned pod has gone";
}

TEST_F(ScheduleOneTest, APodThatIsBeingDeletedIsDropped) {
  Create();
  PodInfo& pod = AddPending("p");
  cluster_.state.pod_store().Change(pod, [](PodFacts& facts) { facts.deleting = true; });
  EXPECT_EQ(scheduler_->ScheduleOne(), Scheduler::Step::kDropped);
  EXPECT_EQ(scheduler_->queue().num_in_flight(), 0u);
  EXPECT_EQ(scheduler_->ScheduleOne(), Scheduler::Step::kNothing);
}

TEST_F(ScheduleOneTest, PostFilterNominatesANode) {
  profile_.Add("Full", {ExtensionPoint::kFilter}).filter = [this](const PodInfo&, const NodeView&) {
    return Rejects("full");
  };
  profile_.Add("Preempt", {ExtensionPoint::kPostFilter}).post_filter = [](PostFilterResult& result) {
    return result = {true, "n1"}, Status();
  };
  Create();
  PodInfo& pod = AddPending("p");
  const CycleRecord& record = Cycle();
  EXPECT_EQ(record.nominated_node, "n1");
  EXPECT_EQ(scheduler_->queue().nominator().NominatedPods("n1").size(), 1u);
  EXPECT_EQ(scheduler_->queue().nominator().NominatedPods("n1")[0], pod.id);
  EXPECT_EQ(written_[0], "p: Unschedulable: 0/2 nodes are available: 2 full. -> \"n1\"");
}

TEST_F(ScheduleOneTest, ProfilesHaveToSortTheQueueAlike) {
  FakeProfile other;
  profile_.registry.push_back(other.registry[0]);
  profile_.registry.back().name = "OtherSort";
  config::Profile second = profile_.profile;
  second.scheduler_name = "second";
  second.plugins.At(ExtensionPoint::kQueueSort).enabled = {{"OtherSort", 0, false}};
  configuration_.profiles = {profile_.profile, second};
  const auto scheduler =
      Scheduler::Create({configuration_, cluster_.features}, {cluster_.state, clock_, profile_.registry, {}});
  ASSERT_FALSE(scheduler);
  EXPECT_EQ(
      scheduler.error().message,
      "initializing profiles: different queue sort plugins for profile \"second\": \"OtherSort\", first: \"Sort\"");
}

}  // namespace
}  // namespace ksched
