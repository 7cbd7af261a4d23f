// Bindings that take their time, while other pods have their cycles and the cluster changes.

#include <gtest/gtest.h>

#include "scheduler/cluster_feed.h"
#include "scheduler/scheduler_testing.h"

namespace ksched {
namespace {

using config::ExtensionPoint;
using namespace testing_support;  // NOLINT

class BindingCycleTest : public SchedulerTest, private StatusWriter, private EventSink {
 protected:
  // PreBind and Bind wait for the test, if `prepares`; else only Bind does.
  void Create(bool prepares = false) {
    if (prepares) profile_.Add("Prepare", {ExtensionPoint::kPreBind}).pre_bind_pending = &preparing_;
    profile_.profile.plugins.At(ExtensionPoint::kBind).enabled.clear();
    profile_.Add("Late", {ExtensionPoint::kBind}).bind_pending = &binding_;
    profile_.Add("Room", {ExtensionPoint::kFilter}).filter = [this](const PodInfo&, const NodeView& node) {
      return node.pods().empty() ? Status() : Status::Unschedulable(Reason("taken"));
    };
    Ports ports;
    ports.status_writer = this;
    ports.event_sink = this;
    CreateScheduler(ports);
    feed_.emplace(cluster_.state, *handlers_);
    scheduler_->OnBindingEnded([this](const PodInfo& pod, const CycleOutcome& outcome) {
      ended_.push_back(pod.name() + ": " + (outcome.result == CycleResult::kScheduled ? "bound" : outcome.message));
    });
    handlers_->AddNode(MakeNode("n"));
  }
  ReasonId Reason(const char* text) { return const_cast<ReasonTable&>(scheduler_->reasons()).Intern(text); }
  Status Fails(const char* text) { return {Code::kError, Reason(text)}; }
  PodInfo* Put(const MakePod& pod) {
    feed_->Put({api::KindClass::kScheduling, "v1", "Pod", pod.pod});
    clock_.now += kNsPerMs;
    return cluster_.state.pod_store().Find("default", pod.pod.metadata.name);
  }
  CycleResult Cycle() {
    EXPECT_EQ(scheduler_->ScheduleOne(), Scheduler::Step::kCycle);
    return scheduler_->record().result;
  }
  bool IsFree() const { return cluster_.state.pods(0).empty(); }

  void Write(const PodInfo& pod, const FailureUpdate& update) override {
    written_.push_back(pod.name() + ": " + std::string(update.reason) + ": " + std::string(update.message));
  }
  void ClearNomination(const PodInfo&) override {}
  void Expect(const PodInfo& pod, const std::string& node) override { written_.push_back(pod.name() + " -> " + node); }
  void Scheduled(const PodInfo& pod, const std::string& node) override {
    events_.push_back(pod.name() + ": Scheduled: " + node);
  }
  void FailedScheduling(const PodInfo& pod, std::string_view message) override {
    events_.push_back(pod.name() + ": FailedScheduling: " + std::string(message));
  }

  using Texts = std::vector<std::string>;
  StatusReceiver *preparing_ = nullptr, *binding_ = nullptr;
  Texts written_, events_, ended_;
  std::optional<ClusterFeed> feed_;
};

TEST_F(BindingCycleTest, OthersHaveTheirCyclesMeanwhile) {
  Create();
  const PodInfo* first = Put(MakePod("first"));
  Put(MakePod("second"));
  EXPECT_EQ(Cycle(), CycleResult::kBinding);
  EXPECT_TRUE(scheduler_->IsBinding(first->id));
  EXPECT_EQ(scheduler_->queue().num_in_flight(), 0u);
  EXPECT_EQ(Cycle(), CycleResult::kUnschedulable);
  EXPECT_EQ(scheduler_->record().message, "0/1 nodes are available: 1 taken.");
  binding_->OnStatus({});
  EXPECT_EQ(scheduler_->num_binding(), 0u);
  EXPECT_EQ(ended_, Texts{"first: bound"});
  EXPECT_EQ(events_, (Texts{"second: FailedScheduling: 0/1 nodes are available: 1 taken.", "first: Scheduled: n"}));
  EXPECT_TRUE(scheduler_->cache().IsAssumed(first->id)) << "until the cluster says so";
}

TEST_F(BindingCycleTest, AFailureFreesTheNodeAndTellsTheOthers) {
  Create();
  Put(MakePod("first"));
  Put(MakePod("second"));
  Cycle();
  Cycle();
  EXPECT_EQ(scheduler_->queue().num_unschedulable(), 1u);
  binding_->OnStatus(Fails("conflict"));
  EXPECT_TRUE(IsFree());
  EXPECT_EQ(ended_, Texts{"first: running Bind plugin \"Late\": conflict"});
  EXPECT_EQ(written_.back(), "first: SchedulerError: running Bind plugin \"Late\": conflict");
  EXPECT_EQ(scheduler_->queue().num_unschedulable(), 0u) << "second was told";
  EXPECT_EQ(scheduler_->queue().num_error_backoff(), 1u) << "first is tried again";
}

TEST_F(BindingCycleTest, ARejectionOfBindIsNoVerdictOnNodes) {
  Create();
  Put(MakePod("first"));
  Cycle();
  binding_->OnStatus(Status::Unschedulable(Reason("not now")));
  EXPECT_EQ(written_.back(), "first: Unschedulable: not now");
  EXPECT_EQ(scheduler_->queue().num_error_backoff(), 1u) << "nobody is to blame";
}

TEST_F(BindingCycleTest, ThePodIsDeletedMeanwhile) {
  Create();
  const PodId id = Put(MakePod("first"))->id;
  Cycle();
  feed_->Remove("Pod", "default", "first");
  EXPECT_TRUE(IsFree());
  EXPECT_EQ(cluster_.state.pod_store().Find("default", "first"), nullptr);
  EXPECT_TRUE(cluster_.state.pod_store().exists(id)) << "its binding still knows it";
  const PodInfo* again = Put(MakePod("first"));  // of the same name
  EXPECT_NE(again->id, id);
  binding_->OnStatus(Fails("not found"));
  EXPECT_FALSE(cluster_.state.pod_store().exists(id));
  EXPECT_EQ(cluster_.state.pod_store().Find("default", "first"), again);
  EXPECT_TRUE(written_.empty()) << "there is nobody to write to";
  EXPECT_EQ(scheduler_->queue().num_error_backoff(), 0u);
  EXPECT_EQ(Cycle(), CycleResult::kBinding);
}

// What plugins keep for a pod is kept until its binding has failed, however early the pod has left its node.
class KeptByAPluginTest : public BindingCycleTest {
 protected:
  void SetUp() override {
    FakeBehaviour& keeper = profile_.Add("Keeper", {ExtensionPoint::kReserve, ExtensionPoint::kFilter});
    keeper.reserve = [this] { return kept_ = true, Status(); };
    keeper.unreserve = [this] { kept_ = false; };
    keeper.filter = [this](const PodInfo&, const NodeView&) {
      return kept_ ? Status::Unschedulable(Reason("kept")) : Status();
    };
    Create();
    Put(MakePod("first"));
    Put(MakePod("second"));
    Cycle();
    Cycle();
  }
  // The second has heard that something has happened to the first, and finds that this was not enough.
  void SecondTriesInVain() {
    clock_.now += 100 * kNsPerSecond;
    scheduler_->queue().FlushBackoff();
    EXPECT_EQ(Cycle(), CycleResult::kUnschedulable);
    EXPECT_EQ(scheduler_->record().message, "0/1 nodes are available: 1 kept.");
    EXPECT_EQ(scheduler_->queue().num_unschedulable(), 1u);
  }

  bool kept_ = false;
};

TEST_F(KeptByAPluginTest, ThePodIsDeleted) {
  feed_->Remove("Pod", "default", "first");
  SecondTriesInVain();
  binding_->OnStatus(Fails("not found"));
  EXPECT_FALSE(kept_);
  EXPECT_EQ(scheduler_->queue().num_unschedulable(), 0u) << "second is told again";
}

TEST_F(KeptByAPluginTest, TheDeletionOfThePodBegins) {
  MakePod leaving("first");
  leaving.pod.metadata.deletion_timestamp = kNsPerSecond;
  Put(leaving);
  SecondTriesInVain();
  binding_->OnStatus(Fails("not found"));
  EXPECT_FALSE(kept_);
  EXPECT_EQ(scheduler_->queue().num_unschedulable(), 0u) << "second is told again";
}

TEST_F(KeptByAPluginTest, ThePodIsBoundThoughTheBindingFailed) {
  Put(MakePod("first").Node("n"));
  SecondTriesInVain();
  binding_->OnStatus(Fails("timed out"));
  EXPECT_FALSE(IsFree());
  EXPECT_EQ(scheduler_->queue().num_unschedulable(), 1u) << "nothing has become free on the node";
}

TEST_F(BindingCycleTest, ThePodIsDeletedAndTheBindingWasFaster) {
  Create();
  const PodId id = Put(MakePod("first"))->id;
  Cycle();
  feed_->Remove("Pod", "default", "first");
  binding_->OnStatus({});
  EXPECT_FALSE(cluster_.state.pod_store().exists(id));
  EXPECT_TRUE(IsFree());
}

TEST_F(BindingCycleTest, TheWatchIsFasterThanTheAnswer) {
  Create();
  PodInfo* pod = Put(MakePod("first"));
  Cycle();
  Put(MakePod("first").Node("n"));
  EXPECT_FALSE(scheduler_->cache().IsAssumed(pod->id));
  binding_->OnStatus(Fails("timed out"));  // though it was bound
  EXPECT_EQ(pod->node_name(), "n");
  EXPECT_FALSE(IsFree());
  EXPECT_TRUE(written_.empty());
  EXPECT_EQ(scheduler_->queue().num_error_backoff(), 0u);
}

TEST_F(BindingCycleTest, AnUpdateThatCameMeanwhileCountsAfterAFailure) {
  Create();
  PodInfo* pod = Put(MakePod("first"));
  Cycle();
  Put(MakePod("first").Label("tier", "web"));
  EXPECT_TRUE(pod->pod_class->labels.empty());
  binding_->OnStatus(Fails("conflict"));
  EXPECT_EQ(pod->pod_class->labels.size(), 1u);
}

TEST_F(BindingCycleTest, PreparationsAreAnnounced) {
  Create(/*prepares=*/true);
  Put(MakePod("first"));
  EXPECT_EQ(Cycle(), CycleResult::kBinding);
  EXPECT_EQ(written_, Texts{"first -> n"});
  EXPECT_EQ(binding_, nullptr);
  preparing_->OnStatus({});
  binding_->OnStatus({});
  EXPECT_EQ(ended_, Texts{"first: bound"});
}

TEST_F(BindingCycleTest, AMoreImportantPodTakesThePlaceOfOneThatIsPrepared) {
  Create(/*prepares=*/true);
  const PodInfo* pod = Put(MakePod("first"));
  Cycle();
  EXPECT_TRUE(scheduler_->PreemptBinding(pod->id, "Preempt"));
  EXPECT_FALSE(scheduler_->PreemptBinding(pod->id, "Again"));
  preparing_->OnStatus({});
  EXPECT_EQ(binding_, nullptr);
  EXPECT_EQ(ended_, Texts{"first: preempted by Preempt"});
  EXPECT_TRUE(IsFree());
}

TEST_F(BindingCycleTest, PermitMakesThePodWait) {
  FakeBehaviour& gang = profile_.Add("Gang", {ExtensionPoint::kPermit});
  const auto id = static_cast<PluginId>(profile_.registry.size() - 1);
  gang.permit = [] { return Status(Code::kWait); };
  gang.permit_timeout = std::chrono::seconds(10);
  Create();
  const PodInfo* pod = Put(MakePod("first"));
  EXPECT_EQ(Cycle(), CycleResult::kBinding);
  EXPECT_EQ(scheduler_->queue().num_in_flight(), 1u) << "events are kept for it: it may be found unschedulable";
  EXPECT_FALSE(IsFree());
  EXPECT_EQ(written_, Texts{"first -> n"});
  EXPECT_EQ(binding_, nullptr);
  scheduler_->waiting_pods().Allow(pod->id, id);
  EXPECT_EQ(scheduler_->queue().num_in_flight(), 0u);
  ASSERT_NE(binding_, nullptr);
  binding_->OnStatus({});
  EXPECT_EQ(ended_, Texts{"first: bound"});
}

TEST_F(BindingCycleTest, PermitTurnsThePodDown) {
  FakeBehaviour& gang = profile_.Add("Gang", {ExtensionPoint::kPermit});
  gang.permit = [] { return Status(Code::kWait); };
  gang.permit_timeout = std::chrono::seconds(10);
  Create();
  Put(MakePod("first"));
  Cycle();
  clock_.now += 10 * kNsPerSecond;
  scheduler_->waiting_pods().Expire(clock_.now);
  EXPECT_EQ(
      written_.back(),
      "first: Unschedulable: 0/1 nodes are available: 1 rejected due to timeout after waiting 10s at plugin Gang.");
  EXPECT_TRUE(IsFree());
  EXPECT_EQ(scheduler_->queue().num_unschedulable(), 1u) << "its own event has not moved it";
}

TEST_F(BindingCycleTest, APodThatWaitsIsDeleted) {
  FakeBehaviour& gang = profile_.Add("Gang", {ExtensionPoint::kPermit});
  gang.permit = [] { return Status(Code::kWait); };
  Create();
  const PodId id = Put(MakePod("first"))->id;
  Cycle();
  feed_->Remove("Pod", "default", "first");
  EXPECT_FALSE(cluster_.state.pod_store().exists(id));
  EXPECT_EQ(scheduler_->num_binding(), 0u);
  EXPECT_EQ(scheduler_->queue().num_in_flight(), 0u);
  EXPECT_TRUE(IsFree());
  EXPECT_TRUE(written_.size() == 1) << "only the announcement";
}

TEST_F(BindingCycleTest, TheDeletionOfAPodBegins) {
  Create();
  Put(MakePod("first"));
  Cycle();
  MakePod leaving("first");
  leaving.pod.metadata.deletion_timestamp = kNsPerSecond;
  PodInfo* pod = Put(leaving);
  EXPECT_TRUE(IsFree()) << "what it would take is free at once";
  EXPECT_TRUE(pod->deleting());
  binding_->OnStatus(Fails("not found"));
  EXPECT_EQ(scheduler_->num_binding(), 0u);
  clock_.now += 100 * kNsPerSecond;
  scheduler_->queue().FlushBackoff();
  EXPECT_EQ(scheduler_->ScheduleOne(), Scheduler::Step::kDropped);
}

TEST_F(BindingCycleTest, TiesAreDrawn) {
  profile_.Add("Any", {ExtensionPoint::kScore});
  CreateScheduler();
  configuration_.profiles = {profile_.profile};
  auto scheduler = Scheduler::Create({.configuration = configuration_, .features = cluster_.features, .tie_seed = 1},
                                     {cluster_.state, clock_, profile_.registry, {}});
  ASSERT_TRUE(scheduler);
  scheduler_ = std::move(*scheduler);
  handlers_.emplace(*scheduler_);
  for (const char* name : {"a", "b", "c"}) handlers_->AddNode(MakeNode(name));
  std::map<std::string, int> count;
  for (int i = 0; i < 300; ++i) {
    PodInfo& pod = cluster_.state.pod_store().Add(MakePod("p" + std::to_string(i)));
    handlers_->AddPod(pod);
    clock_.now += kNsPerMs;
    Cycle();
    ++count[pod.node_name()];
  }
  for (const char* name : {"a", "b", "c"}) EXPECT_GT(count[name], 70) << name;
}

}  // namespace
}  // namespace ksched
