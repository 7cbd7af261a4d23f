// Pods that come, change, go, are tried and come back. What events and flushes do: scheduling_queue_move_test.cc.
#include "queue/scheduling_queue.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "queue/queue_test_support.h"

namespace ksched {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kSecond = kNsPerSecond;

QueueHarness::Edit Priority(int32_t priority) {
  return [priority](api::Pod& pod) { pod.spec.priority = priority; };
}
QueueHarness::Edit Gates(std::vector<std::string> gates) {
  return [gates](api::Pod& pod) { pod.spec.scheduling_gates = gates; };
}
QueueHarness::Edit Nominated(std::string node) {
  return [node](api::Pod& pod) { pod.status.nominated_node_name = node; };
}
QueueHarness::Edit Labelled(std::string value) {
  return [value](api::Pod& pod) { pod.metadata.labels["l"] = value; };
}

class SchedulingQueueTest : public ::testing::Test {
 protected:
  std::span<const PodId> NominatedTo(const char* node) const { return h.queue->nominator().NominatedPods(node); }

  QueueHarness h;
};

TEST_F(SchedulingQueueTest, PopsByPriorityThenByTime) {
  SchedulingQueue& queue = h.Start();
  h.Add("low", Priority(1));
  h.Add("high 1", Priority(9));
  h.Add("high 2", Priority(9));
  h.Add("none");
  EXPECT_TRUE(queue.Ready());
  EXPECT_EQ(queue.num_active(), 4);
  EXPECT_THAT(h.PopAll(), ElementsAre("high 1", "high 2", "low", "none"));
  EXPECT_FALSE(queue.Ready());
  EXPECT_EQ(queue.Pop(), nullptr);
}

TEST_F(SchedulingQueueTest, APoppedPodIsInFlightUntilItIsDone) {
  SchedulingQueue& queue = h.Start();
  h.clock.now = 5 * kSecond;
  const PodId id = h.Add("p");
  QueuedPodInfo* info = queue.Pop();
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->id, id);
  EXPECT_EQ(info->pod, &h.pods.Get(id));
  EXPECT_EQ(info->attempts, 1);
  EXPECT_EQ(info->timestamp, 5 * kSecond);
  EXPECT_EQ(info->initial_attempt_timestamp, 5 * kSecond);
  EXPECT_EQ(h.Where(id), "in flight");
  queue.Done(id);
  EXPECT_EQ(h.Where(id), "nowhere");
  queue.Done(id);
  EXPECT_EQ(queue.num_in_flight(), 0);
}

TEST_F(SchedulingQueueTest, AddGatedPods) {
  SchedulingQueue& queue = h.Start();
  struct Row {
    std::vector<std::string> gates;
    const char* where;
    PluginId gating;
  };
  const Row rows[] = {{{}, "active", kNoPlugin},
                      {{"a"}, "gated", kGateA},
                      {{"b"}, "gated", kGateB},
                      {{"b", "a"}, "gated", kGateA},
                      {{"other"}, "active", kNoPlugin}};
  for (const Row& row : rows) {
    const PodId id = h.Add("p", Gates(row.gates));
    EXPECT_EQ(h.Where(id), row.where);
    EXPECT_EQ(queue.Gated(id), row.gating != kNoPlugin);
    EXPECT_EQ(queue.Find(id)->gating_plugin, row.gating);
    EXPECT_EQ(queue.Find(id)->initial_attempt_timestamp.has_value(), row.gating == kNoPlugin);
    EXPECT_EQ(queue.Find(id)->unschedulable_plugins, row.gating != kNoPlugin ? Plugins({row.gating}) : PluginSet());
    queue.Delete(id);
    h.pods.Remove(id);
  }
}

TEST_F(SchedulingQueueTest, EachProfileHasItsOwnGates) {
  QueueProfile other = h.profile;
  other.scheduler_name = "other";
  other.pre_enqueue = {{kGateB, &h.gate_b}};
  h.other_profiles = {other};
  h.Start();
  const auto of = [](const char* scheduler) {
    return [scheduler](api::Pod& pod) {
      pod.spec.scheduler_name = scheduler;
      pod.spec.scheduling_gates = {"a"};
    };
  };
  EXPECT_EQ(h.Where(h.Add("default", of("default-scheduler"))), "gated");
  EXPECT_EQ(h.Where(h.Add("other", of("other"))), "active");
  EXPECT_EQ(h.Where(h.Add("unknown", of("unknown"))), "active");
}

TEST_F(SchedulingQueueTest, AddCountsTheNominationOfAGatedPodToo) {
  h.Start();
  const PodId gated = h.Add("gated", [](api::Pod& pod) {
    pod.status.nominated_node_name = "n";
    pod.spec.scheduling_gates = {"a"};
  });
  const PodId active = h.Add("active", Nominated("n"));
  EXPECT_THAT(NominatedTo("n"), ElementsAre(gated, active));
}

// ---- failed attempts ----

TEST_F(SchedulingQueueTest, ReturnTable) {
  struct Row {
    const char* name;
    PluginSet unschedulable, pending;
    const char* where;
    uint32_t unschedulable_count, errors;
  };
  const Row rows[] = {
      {"turned down", Plugins({kFit}), {}, "unschedulable", 1, 0},
      {"pending", {}, Plugins({kDevices}), "unschedulable", 1, 0},
      {"an error", {}, {}, "error backoff", 0, 1},
  };
  for (const Row& row : rows) {
    QueueHarness harness;
    SchedulingQueue& queue = harness.Start();
    const PodId id = harness.Add("p");
    QueuedPodInfo& info = *queue.Pop();
    info.flush_timestamp = 7;
    info.was_flushed_from_unschedulable = true;
    harness.clock.now = 3 * kSecond;
    EXPECT_TRUE(harness.Return(info, row.unschedulable, row.pending));
    EXPECT_EQ(harness.Where(id), row.where) << row.name;
    EXPECT_EQ(info.timestamp, 3 * kSecond);
    EXPECT_EQ(info.unschedulable_count, row.unschedulable_count);
    EXPECT_EQ(info.consecutive_errors_count, row.errors);
    EXPECT_EQ(info.flush_timestamp, kNoTime);
    EXPECT_FALSE(info.was_flushed_from_unschedulable);
    EXPECT_EQ(queue.num_in_flight(), 0);
  }
}

TEST_F(SchedulingQueueTest, ARejectionEndsTheRowOfErrors) {
  SchedulingQueue& queue = h.Start();
  const PodId id = h.Add("p");
  h.Fail(id, {});
  h.clock.now = 2 * kSecond;
  queue.FlushBackoff();
  h.Fail(id, {});
  EXPECT_EQ(queue.Find(id)->consecutive_errors_count, 2);
  h.clock.now = 10 * kSecond;
  queue.FlushBackoff();
  h.Fail(id, Plugins({kFit}));
  EXPECT_EQ(queue.Find(id)->consecutive_errors_count, 0);
  EXPECT_EQ(queue.Find(id)->unschedulable_count, 1);
  EXPECT_EQ(queue.Find(id)->attempts, 3);
}

TEST_F(SchedulingQueueTest, APodIsNotBroughtBackTwice) {
  SchedulingQueue& queue = h.Start();
  for (const char* where : {"unschedulable", "error backoff"}) {
    const PodId id = h.Add(where);
    QueuedPodInfo& info = *queue.Pop();
    const PluginSet plugins = std::string(where) == "unschedulable" ? Plugins({kFit}) : PluginSet();
    EXPECT_TRUE(h.Return(info, plugins));
    EXPECT_FALSE(h.Return(info, plugins));
    EXPECT_EQ(h.Where(id), where);
    EXPECT_EQ(info.unschedulable_count + info.consecutive_errors_count, 1);
  }
}

// A binding that fails: the pod was done when its binding began, and comes back nevertheless.
TEST_F(SchedulingQueueTest, APodMayComeBackAfterItWasDone) {
  SchedulingQueue& queue = h.Start();
  const PodId error = h.Add("error");
  QueuedPodInfo& first = *queue.Pop();
  queue.Done(error);
  EXPECT_TRUE(h.Return(first, {}));
  EXPECT_EQ(h.Where(error), "error backoff");
  EXPECT_EQ(first.attempts, 1);
  // Nobody knows what happened meanwhile: it is tried again.
  const PodId rejected = h.Add("rejected");
  QueuedPodInfo& second = *queue.Pop();
  queue.Done(rejected);
  EXPECT_TRUE(h.Return(second, Plugins({kFit})));
  EXPECT_EQ(h.Where(rejected), "backoff");
}

TEST_F(SchedulingQueueTest, WithoutBackoffAnErrorIsRetriedAtOnce) {
  h.options.max_backoff_ns = 0;
  SchedulingQueue& queue = h.Start();
  const PodId id = h.Add("p");
  h.Fail(id, {});
  EXPECT_EQ(h.Where(id), "active");
  EXPECT_TRUE(queue.Ready());
}

TEST_F(SchedulingQueueTest, GatesAreAskedAgainWhenAPodComesBack) {
  SchedulingQueue& queue = h.Start();
  const PodId id = h.Add("p");
  QueuedPodInfo& info = *queue.Pop();
  h.Update(id, Gates({"b"}));
  EXPECT_TRUE(h.Return(info, {}));
  EXPECT_EQ(h.Where(id), "gated");
  EXPECT_EQ(info.unschedulable_plugins, Plugins({kGateB}));
}

// ---- popping from backoff ----

TEST_F(SchedulingQueueTest, PopsFromBackoffWhenNothingElseIsLeft) {
  for (bool gate : {true, false}) {
    QueueHarness harness;
    harness.options.pop_from_backoff_q = gate;
    harness.Listen(kFit, kNodeAdd);
    SchedulingQueue& queue = harness.Start();
    const PodId backoff = harness.Add("backoff", Priority(9));
    harness.Fail(backoff, Plugins({kFit}));
    queue.MoveAllToActiveOrBackoffQueue(kNodeAdd, {});
    ASSERT_EQ(harness.Where(backoff), "backoff");
    EXPECT_EQ(queue.Ready(), gate);
    harness.Add("active");
    EXPECT_EQ(queue.Pop()->pod->name(), "active");
    QueuedPodInfo* next = queue.Pop();
    EXPECT_EQ(next, gate ? queue.Find(backoff) : nullptr);
    EXPECT_EQ(queue.Find(backoff)->attempts, gate ? 2 : 1);
  }
}

TEST_F(SchedulingQueueTest, NeverPopsFromErrorBackoff) {
  SchedulingQueue& queue = h.Start();
  h.Fail(h.Add("p"), {});
  EXPECT_EQ(queue.num_error_backoff(), 1);
  EXPECT_EQ(queue.num_backoff(), 0);
  EXPECT_FALSE(queue.Ready());
  EXPECT_EQ(queue.Pop(), nullptr);
}

// ---- updates ----

TEST_F(SchedulingQueueTest, UpdateOfAnActivePodPutsItWhereItBelongs) {
  h.Start();
  const PodId low = h.Add("low", Priority(1));
  const PodId high = h.Add("high", Priority(2));
  h.Add("middle", Priority(2));
  h.Update(low, Priority(3));
  h.Update(high, Priority(0));
  EXPECT_THAT(h.PopAll(), ElementsAre("low", "middle", "high"));
}

TEST_F(SchedulingQueueTest, UpdateOfAPodInBackoff) {
  h.Listen(kFit, kNodeAdd);
  SchedulingQueue& queue = h.Start();
  const PodId low = h.Add("low", Priority(1));
  h.Fail(low, Plugins({kFit}));
  h.Fail(h.Add("high", Priority(2)), Plugins({kFit}));
  queue.MoveAllToActiveOrBackoffQueue(kNodeAdd, {});
  h.Update(low, Priority(3));
  EXPECT_EQ(h.Where(low), "backoff");
  EXPECT_THAT(h.PopAll(), ElementsAre("low", "high"));
}

TEST_F(SchedulingQueueTest, UpdateOfAPodInErrorBackoffLeavesItThere) {
  h.Start();
  const PodId id = h.Add("p");
  h.Fail(id, {});
  h.Update(id, Labelled("x"));
  EXPECT_EQ(h.Where(id), "error backoff");
}

TEST_F(SchedulingQueueTest, UpdateOfAnUnschedulablePodTable) {
  const ClusterEvent label{EventResource::kTargetPod, kUpdatePodLabel}, update{EventResource::kTargetPod, kUpdate};
  struct Row {
    const char* name;
    ClusterEvent listens_to;
    QueueingHint hint;
    QueueHarness::Edit edit;
    bool backing_off, gate;
    PluginSet unschedulable, pending;
    const char* where;
  };
  const auto fit = Plugins({kFit});
  const Row rows[] = {
      {"nobody listens", kNodeAdd, QueueingHint::kQueue, Labelled("x"), true, true, fit, {}, "unschedulable"},
      {"another change", update, QueueingHint::kQueue, Nominated("n"), true, true, fit, {}, "backoff"},
      {"a plain update is no label update", label, QueueingHint::kQueue, nullptr, true, true, fit, {}, "unschedulable"},
      {"the hint says skip", label, QueueingHint::kSkip, Labelled("x"), true, true, fit, {}, "unschedulable"},
      {"backing off", label, QueueingHint::kQueue, Labelled("x"), true, true, fit, {}, "backoff"},
      {"backing off, without the gate", label, QueueingHint::kQueue, Labelled("x"), true, false, fit, {}, "backoff"},
      {"not backing off any more", label, QueueingHint::kQueue, Labelled("x"), false, true, fit, {}, "active"},
      {"a pending plugin", label, QueueingHint::kQueue, Labelled("x"), true, true, {}, fit, "active"},
      {"another plugin listens",
       label,
       QueueingHint::kQueue,
       Labelled("x"),
       true,
       true,
       Plugins({kTaints}),
       {},
       "unschedulable"},
      {"registered for every pod",
       {EventResource::kPod, kUpdate},
       QueueingHint::kQueue,
       Labelled("x"),
       true,
       true,
       fit,
       {},
       "backoff"},
      {"registered for other pods",
       {EventResource::kUnscheduledPod, kUpdate},
       QueueingHint::kQueue,
       Labelled("x"),
       true,
       true,
       fit,
       {},
       "unschedulable"},
      {"a gate that came holds it back",
       label,
       QueueingHint::kQueue,
       [](api::Pod& pod) {
         pod.metadata.labels["l"] = "x";
         pod.spec.scheduling_gates = {"a"};
       },
       true,
       true,
       fit,
       {},
       "gated"},
  };
  for (const Row& row : rows) {
    QueueHarness harness;
    harness.options.pop_from_backoff_q = row.gate;
    harness.Listen(kFit, row.listens_to, Hint(row.hint));
    harness.Start();
    const PodId id = harness.Add("p");
    harness.Fail(id, row.unschedulable, row.pending);
    const TimeNs timestamp = harness.queue->Find(id)->timestamp;
    harness.clock.now = row.backing_off ? kSecond : 2 * kSecond;
    harness.Update(id, row.edit);
    EXPECT_EQ(harness.Where(id), row.where) << row.name;
    EXPECT_EQ(harness.queue->Find(id)->timestamp, timestamp) << row.name;
  }
}

TEST_F(SchedulingQueueTest, UpdateTellsTheHintWhatChanged) {
  std::string before, after;
  h.Listen(kFit, {EventResource::kTargetPod, kUpdatePodLabel}, [&](const PodInfo& pod, const EventObjects& objects) {
    before = objects.old_pod->pod_class->labels.at("l");
    after = objects.new_pod->pod_class->labels.at("l");
    EXPECT_EQ(&pod, objects.new_pod);
    return Result<QueueingHint>(QueueingHint::kSkip);
  });
  h.Start();
  const PodId id = h.Add("p", Labelled("1"));
  h.Fail(id, Plugins({kFit}));
  h.Update(id, Labelled("2"));
  EXPECT_EQ(before, "1");
  EXPECT_EQ(after, "2");
}

TEST_F(SchedulingQueueTest, UpdateOfAGatedPod) {
  h.Listen(kGateA, {EventResource::kTargetPod, kUpdatePodSchedulingGatesEliminated});
  SchedulingQueue& queue = h.Start();
  const PodId id = h.Add("p", Gates({"a", "b"}));
  h.Update(id, Gates({"b"}));  // no gate is eliminated until all are
  EXPECT_EQ(queue.Find(id)->gating_plugin, kGateA);
  h.Update(id, Gates({}));
  EXPECT_EQ(h.Where(id), "active");
  EXPECT_FALSE(queue.Gated(id));
}

TEST_F(SchedulingQueueTest, TheGatingPluginIsAskedFirst) {
  h.Listen(kGateB, {EventResource::kTargetPod, kUpdatePodLabel});
  SchedulingQueue& queue = h.Start();
  const PodId id = h.Add("p", Gates({"b"}));
  const int calls = h.gate_a.calls;
  h.Update(id, Labelled("x"));
  EXPECT_EQ(queue.Find(id)->gating_plugin, kGateB);
  EXPECT_EQ(h.gate_a.calls, calls);
}

// With the gate off the queue goes on asking after the pod has gone to backoff, as the reference does.
TEST_F(SchedulingQueueTest, UpdateOfTwoThingsWithoutTheGate) {
  for (bool gate : {true, false}) {
    QueueHarness harness;
    harness.options.pop_from_backoff_q = gate;
    harness.Listen(kFit, {EventResource::kTargetPod, kUpdatePodLabel});
    SchedulingQueue& queue = harness.Start();
    const PodId id = harness.Add("p");
    harness.Fail(id, Plugins({kFit}));
    harness.Update(id, [](api::Pod& pod) {
      pod.metadata.labels["l"] = "x";
      pod.spec.tolerations.push_back({.key = "k"});
    });
    EXPECT_EQ(harness.Where(id), gate ? "backoff" : "backoff+unschedulable");
    harness.clock.now = 3 * kSecond;
    queue.FlushBackoff();
    EXPECT_EQ(harness.Where(id), "active");
  }
}

TEST_F(SchedulingQueueTest, UpdateMakesTheNominationAnew) {
  h.Start();
  const PodId first = h.Add("first", Nominated("n"));
  const PodId second = h.Add("second", Nominated("n"));
  h.Update(first, Labelled("x"));
  EXPECT_THAT(NominatedTo("n"), ElementsAre(second, first));
  h.Update(second, Nominated("m"));
  EXPECT_THAT(NominatedTo("n"), ElementsAre(first));
  EXPECT_THAT(NominatedTo("m"), ElementsAre(second));
  h.Update(first, Nominated(""));
  EXPECT_THAT(NominatedTo("n"), IsEmpty());
  // What a cycle has nominated stays when an update that knows nothing of it comes.
  h.queue->AddNominatedPod(first, "n");
  h.Update(first, Labelled("y"));
  EXPECT_THAT(NominatedTo("n"), ElementsAre(first));
  h.queue->DeleteNominatedPodIfExists(first);
  EXPECT_THAT(NominatedTo("n"), IsEmpty());
}

TEST_F(SchedulingQueueTest, UpdateOfAPodInFlightChangesNothingYet) {
  SchedulingQueue& queue = h.Start();
  const PodId id = h.Add("p", Nominated("n"));
  QueuedPodInfo& info = *queue.Pop();
  h.Update(id, [](api::Pod& pod) {
    pod.status.nominated_node_name = "m";
    pod.spec.priority = 4;
  });
  EXPECT_EQ(h.Where(id), "in flight");
  EXPECT_THAT(NominatedTo("n"), ElementsAre(id));
  h.Return(info, {});
  EXPECT_EQ(info.sort_key().priority, 4);
}

TEST_F(SchedulingQueueTest, UpdateOfAPodInNoQueueAddsIt) {
  SchedulingQueue& queue = h.Start();
  const PodId unknown = h.Make("unknown", Nominated("n"));
  h.Update(unknown, Labelled("x"));
  EXPECT_EQ(h.Where(unknown), "active");
  EXPECT_THAT(NominatedTo("n"), ElementsAre(unknown));
  // One that was popped and dropped begins anew.
  queue.Done(queue.Pop()->id);
  h.Update(unknown, Labelled("y"));
  EXPECT_EQ(h.Where(unknown), "active");
  EXPECT_EQ(queue.Find(unknown)->attempts, 0);
}

// ---- deletions ----

TEST_F(SchedulingQueueTest, DeleteFromAnyQueue) {
  h.Listen(kFit, kNodeAdd);
  SchedulingQueue& queue = h.Start();
  const PodId backoff = h.Add("backoff");
  h.Fail(backoff, Plugins({kFit}));
  queue.MoveAllToActiveOrBackoffQueue(kNodeAdd, {});
  const PodId error = h.Add("error");
  h.Fail(error, {});
  const PodId unschedulable = h.Add("unschedulable");
  h.Fail(unschedulable, Plugins({kFit}));
  const PodId gated = h.Add("gated", Gates({"a"}));
  const PodId active = h.Add("active", Nominated("n"));
  const PodId unknown = h.Make("unknown");
  for (const auto& [id, where] : {std::pair{backoff, "backoff"},
                                  {error, "error backoff"},
                                  {gated, "gated"},
                                  {unschedulable, "unschedulable"},
                                  {active, "active"},
                                  {unknown, "nowhere"}}) {
    EXPECT_EQ(h.Where(id), where);
    queue.Delete(id);
    EXPECT_EQ(h.Where(id), "nowhere");
  }
  EXPECT_FALSE(queue.nominator().AnyNominations());
  EXPECT_EQ(queue.num_active() + queue.num_backoff() + queue.num_error_backoff() + queue.num_unschedulable(), 0);
}

TEST_F(SchedulingQueueTest, DeleteOfAPodInFlightEndsOnlyItsNomination) {
  SchedulingQueue& queue = h.Start();
  const PodId id = h.Add("p", Nominated("n"));
  queue.Pop();
  queue.Delete(id);
  EXPECT_EQ(h.Where(id), "in flight");
  EXPECT_THAT(NominatedTo("n"), IsEmpty());
  queue.Done(id);
  EXPECT_EQ(h.Where(id), "nowhere");
}

TEST_F(SchedulingQueueTest, ANumberThatIsUsedAgainBeginsAnew) {
  SchedulingQueue& queue = h.Start();
  const PodId old_id = h.Add("old");
  h.Fail(old_id, Plugins({kFit}));
  queue.Delete(old_id);
  h.pods.Remove(old_id);
  const PodId new_id = h.Add("new");
  ASSERT_EQ(new_id, old_id);
  EXPECT_EQ(queue.Find(new_id)->unschedulable_count, 0);
  EXPECT_EQ(h.Where(new_id), "active");
}

}  // namespace
}  // namespace ksched
