// What an Observer hears of a queue: which pods get where and why, and who has turned down those that are there.
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "queue/queue_test_support.h"

namespace ksched {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr int64_t kSecond = kNsPerSecond;

class Listener final : public Observer {
 public:
  void Ran(ObservedPoint point, const std::string&, Code code, std::chrono::nanoseconds) override {
    EXPECT_EQ(PointName(point), "PreEnqueue");
    EXPECT_EQ(code, Code::kSuccess);
    ++pre_enqueues;
  }
  void AlgorithmEnded(std::chrono::nanoseconds) override {}
  void AttemptEnded(AttemptResult, const std::string&, std::chrono::nanoseconds) override {}
  void Bound(const BoundPod&) override {}
  void PermitEnded(Code, std::chrono::nanoseconds) override {}
  void PreemptionTried(size_t) override {}
  void Queued(ObservedQueue queue, const QueueCause& cause) override {
    constexpr const char* kNames[] = {"active", "backoff", "unschedulable"};
    heard.push_back(LabelOf(cause) + " -> " + kNames[static_cast<size_t>(queue)]);
  }
  void Rejected(const std::string& profile, PluginSet plugins, int change) override {
    EXPECT_EQ(profile, "default-scheduler");
    plugins.ForEach([&](PluginId id) { rejected[id] += change; });
    std::erase_if(rejected, [](const auto& one) { return one.second == 0; });
  }
  std::vector<std::string> Take() { return std::exchange(heard, {}); }

  std::vector<std::string> heard;
  std::map<PluginId, int> rejected;
  int pre_enqueues = 0;
};

class QueueObserverTest : public ::testing::Test {
 protected:
  void SetUp() override {
    h.options.observer = &listener;
    h.Listen(kFit, kNodeAdd, Hint(QueueingHint::kQueue));
    h.Listen(kGateA, {EventResource::kTargetPod, kUpdatePodSchedulingGatesEliminated});
    h.Start();
  }

  QueueHarness h;
  Listener listener;
};

TEST_F(QueueObserverTest, APodThatIsTurnedDownAndMovesOn) {
  const PodId id = h.Add("p");
  EXPECT_THAT(listener.Take(), ElementsAre("UnscheduledPodAdd -> active"));
  h.Fail(id, Plugins({kFit, kTaints}));
  EXPECT_THAT(listener.Take(), ElementsAre("ScheduleAttemptFailure -> unschedulable"));
  EXPECT_THAT(listener.rejected, UnorderedElementsAre(Pair(kFit, 1), Pair(kTaints, 1)));
  h.queue->MoveAllToActiveOrBackoffQueue(kNodeAdd, {});
  EXPECT_THAT(listener.Take(), ElementsAre("NodeAdd -> backoff"));
  h.clock.now += 20 * kSecond;
  h.queue->FlushBackoff();
  EXPECT_THAT(listener.Take(), ElementsAre("BackoffComplete -> active"));
  EXPECT_THAT(listener.rejected, UnorderedElementsAre(Pair(kFit, 1), Pair(kTaints, 1)));
  EXPECT_THAT(h.PopAll(), ElementsAre("p"));
  EXPECT_THAT(listener.rejected, IsEmpty());
  EXPECT_THAT(listener.Take(), IsEmpty());
}

TEST_F(QueueObserverTest, APodThatIsPoppedEarlyActivatedOrFlushed) {
  const PodId early = h.Add("early"), forced = h.Add("forced"), late = h.Add("late");
  for (const PodId id : {early, forced, late}) h.Fail(id, Plugins({kFit}));
  listener.Take();
  const PodId activated[] = {forced};
  h.queue->Activate(activated);
  EXPECT_THAT(listener.Take(), ElementsAre("ForceActivate -> active"));
  h.queue->Delete(late);
  EXPECT_THAT(listener.rejected, ElementsAre(Pair(kFit, 2)));
  h.queue->MoveAllToActiveOrBackoffQueue(kNodeAdd, {});
  listener.Take();
  EXPECT_THAT(h.PopAll(), ElementsAre("forced", "early"));
  EXPECT_THAT(listener.Take(), ElementsAre("PopFromBackoffQ -> active"));
  const PodId left = h.Add("left");
  h.Fail(left, Plugins({kTaints}));
  listener.Take();
  h.clock.now += 400 * kSecond;
  h.queue->FlushUnschedulableLeftovers();
  EXPECT_THAT(listener.Take(), ElementsAre("UnschedulableTimeout -> active"));
}

TEST_F(QueueObserverTest, AGatedPod) {
  const PodId id = h.Add("p", [](api::Pod& pod) { pod.spec.scheduling_gates = {"a"}; });
  EXPECT_THAT(listener.Take(), ElementsAre("UnscheduledPodAdd -> unschedulable"));
  EXPECT_THAT(listener.rejected, ElementsAre(Pair(kGateA, 1)));
  EXPECT_EQ(h.queue->num_gated(), 1U);
  h.Update(id, [](api::Pod& pod) { pod.spec.scheduling_gates.clear(); });
  EXPECT_THAT(listener.Take(), ElementsAre("TargetPodUpdatePodSchedulingGatesEliminated -> active"));
  EXPECT_EQ(h.queue->num_gated(), 0U);
  EXPECT_EQ(listener.pre_enqueues, 2);
  EXPECT_THAT(h.PopAll(), ElementsAre("p"));
  EXPECT_THAT(listener.rejected, IsEmpty());
}

}  // namespace
}  // namespace ksched
