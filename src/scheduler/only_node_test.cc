// Pods that are only to go to one node, whether it is good or not; and pods of which only the nominations count.

#include <gtest/gtest.h>

#include "scheduler/scheduler_testing.h"

namespace ksched {
namespace {

using config::ExtensionPoint;
using namespace testing_support;  // NOLINT

class OnlyNodeTest : public SchedulerTest {
 protected:
  void Create(const std::string& only_node, bool force = false) {
    for (const char* name : {"small", "busy"}) {
      profile_.Add(name, {ExtensionPoint::kFilter}).filter = [this, name](const PodInfo&, const NodeView& node) {
        return node.name() == bad_ ? Status::Unschedulable(Reason(name)) : Status();
      };
    }
    configuration_.profiles = {profile_.profile};
    auto scheduler = Scheduler::Create(
        {.configuration = configuration_, .features = cluster_.features, .only_node = only_node, .force_node = force},
        {cluster_.state, clock_, profile_.registry, {}});
    ASSERT_TRUE(scheduler) << scheduler.error().message;
    scheduler_ = std::move(*scheduler);
    handlers_.emplace(*scheduler_);
    for (const char* name : {"n1", "n2", "n3"}) handlers_->AddNode(MakeNode(name));
  }
  ReasonId Reason(const char* text) { return const_cast<ReasonTable&>(scheduler_->reasons()).Intern(text); }
  PodInfo& Add(const MakePod& pod) {
    PodInfo& added = cluster_.state.pod_store().Add(api::Pod(pod.pod));
    handlers_->AddPod(added);
    clock_.now += kNsPerMs;
    return added;
  }
  CycleResult Cycle() {
    EXPECT_EQ(scheduler_->ScheduleOne(), Scheduler::Step::kCycle);
    return scheduler_->record().result;
  }
  std::vector<std::string> Texts(const std::vector<Status>& statuses) const {
    std::vector<std::string> texts;
    for (const Status& status : statuses) texts.push_back(status.Message(scheduler_->reasons()));
    return texts;
  }
  using Expected = std::vector<std::string>;

  std::string bad_;
};

TEST_F(OnlyNodeTest, OthersAreNotLookedAt) {
  Create("n2");
  const PodInfo& pod = Add(MakePod("p"));
  EXPECT_EQ(Cycle(), CycleResult::kScheduled);
  EXPECT_EQ(pod.node_name(), "n2");
  EXPECT_EQ(scheduler_->record().evaluated, 1u);
  EXPECT_TRUE(scheduler_->record().violations.empty());
}

TEST_F(OnlyNodeTest, EveryFilterSaysWhatItHasAgainstTheNode) {
  bad_ = "n2";
  Create("n2");
  const PodInfo& pod = Add(MakePod("p"));
  EXPECT_EQ(Cycle(), CycleResult::kUnschedulable);
  EXPECT_TRUE(pod.node_name().empty());
  EXPECT_EQ(Texts(scheduler_->record().violations), (Expected{"small", "busy"}));
  EXPECT_EQ(scheduler_->record().message, "0/3 nodes are available: 1 small, 2 node(s) were not asked for.");
}

TEST_F(OnlyNodeTest, ANodeThatIsNotThere) {
  Create("n9");
  Add(MakePod("p"));
  EXPECT_EQ(Cycle(), CycleResult::kUnschedulable);
  EXPECT_EQ(scheduler_->record().message, "0/3 nodes are available: 3 node(s) were not asked for.");
}

TEST_F(OnlyNodeTest, ForceIsToldWhatItBreaks) {
  bad_ = "n2";
  Create("n2", /*force=*/true);
  const PodInfo& pod = Add(MakePod("p"));
  EXPECT_EQ(Cycle(), CycleResult::kScheduled);
  EXPECT_EQ(pod.node_name(), "n2");
  EXPECT_EQ(Texts(scheduler_->record().violations), (Expected{"small", "busy"}));
}

TEST_F(OnlyNodeTest, WhatPreFilterSaysCountsOnce) {
  FakeBehaviour& claims = profile_.Add("Claims", {ExtensionPoint::kPreFilter, ExtensionPoint::kFilter});
  claims.pre_filter = [this](CycleState&, PreFilterResult&) {
    return Status::UnschedulableAndUnresolvable(Reason("no claim"));
  };
  claims.filter = [this](const PodInfo&, const NodeView&) { return Status::Unschedulable(Reason("not asked")); };
  bad_ = "n2";
  Create("n2", /*force=*/true);
  Add(MakePod("p"));
  EXPECT_EQ(Cycle(), CycleResult::kScheduled);
  EXPECT_EQ(Texts(scheduler_->record().violations), (Expected{"no claim", "small", "busy"}));
}

TEST_F(OnlyNodeTest, ForceNeedsANode) {
  Create("n9", /*force=*/true);
  Add(MakePod("p"));
  EXPECT_EQ(Cycle(), CycleResult::kError);
  EXPECT_EQ(scheduler_->record().message, "node \"n9\" not found");
}

TEST_F(OnlyNodeTest, AnAssumedPodIsNotInItsOwnWay) {
  FakeBehaviour& alone = profile_.Add("Alone", {ExtensionPoint::kFilter});
  alone.filter = [this](const PodInfo&, const NodeView& node) {
    return node.pods().empty() ? Status() : Status::Unschedulable(Reason("taken"));
  };
  Create("");
  PodInfo& pod = Add(MakePod("p"));
  EXPECT_EQ(Cycle(), CycleResult::kScheduled);
  EXPECT_TRUE(scheduler_->ViolationsOfAssumed(pod).empty());
  Add(MakePod("other").Node(pod.node_name()));
  EXPECT_EQ(Texts(scheduler_->ViolationsOfAssumed(pod)), Expected{"taken"});
  bad_ = pod.node_name();
  EXPECT_EQ(Texts(scheduler_->ViolationsOfAssumed(pod)), (Expected{"taken", "small", "busy"}));
  EXPECT_NE(pod.node, kNoNode);
}

TEST_F(OnlyNodeTest, PodsThatAreNotWantedOnlyNominate) {
  Create("");
  scheduler_->HandleOnly([](const PodInfo& pod) { return pod.name() == "mine"; });
  MakePod other("other");
  other.pod.status.nominated_node_name = "n1";
  PodInfo& added = Add(other);
  EXPECT_EQ(scheduler_->ScheduleOne(), Scheduler::Step::kNothing);
  ASSERT_EQ(scheduler_->queue().nominator().NominatedPods("n1").size(), 1u);
  handlers_->UpdatePod(added, api::Pod(MakePod("other").pod));
  EXPECT_FALSE(scheduler_->queue().nominator().AnyNominations());
  handlers_->UpdatePod(added, api::Pod(other.pod));
  EXPECT_TRUE(scheduler_->queue().nominator().AnyNominations());
  handlers_->RemovePod(added);
  EXPECT_FALSE(scheduler_->queue().nominator().AnyNominations());
  Add(MakePod("mine"));
  EXPECT_EQ(Cycle(), CycleResult::kScheduled);
}

}  // namespace
}  // namespace ksched
