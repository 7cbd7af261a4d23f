// What moves pods that wait: events, hints, activation and the flushes.
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "queue/queue_test_support.h"
#include "queue/scheduling_queue.h"

namespace ksched {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kSecond = kNsPerSecond;

QueueHarness::Edit Gates(std::vector<std::string> gates) {
  return [gates](api::Pod& pod) { pod.spec.scheduling_gates = gates; };
}

class MoveTest : public ::testing::Test {
 protected:
  PodId Unschedulable(const std::string& name, PluginSet plugins, PluginSet pending = {}) {
    const PodId id = h.Add(name);
    h.Fail(id, plugins, pending);
    return id;
  }
  void Move(const ClusterEvent& event) { h.queue->MoveAllToActiveOrBackoffQueue(event, {}); }

  QueueHarness h;
};

TEST(MoveTable, WhatAHintDoes) {
  using enum QueueingHint;
  const QueueingHintFn fails = [](const PodInfo&, const EventObjects&) { return Result<QueueingHint>(Error{"no"}); };
  const auto fit = Plugins({kFit}), devices = Plugins({kDevices});
  struct Row {
    const char* name;
    PluginSet unschedulable, pending;
    QueueingHintFn fit_hint, devices_hint;
    ClusterEvent event;
    bool backing_off;
    const char* where;
  };
  const Row rows[] = {
      {"no hint says queue", fit, {}, nullptr, Hint(kSkip), kNodeAdd, true, "backoff"},
      {"queue", fit, {}, Hint(kQueue), Hint(kSkip), kNodeAdd, true, "backoff"},
      {"queue, not backing off any more", fit, {}, Hint(kQueue), Hint(kSkip), kNodeAdd, false, "active"},
      {"skip", fit, {}, Hint(kSkip), Hint(kSkip), kNodeAdd, true, "unschedulable"},
      {"a hint that fails says queue", fit, {}, fails, Hint(kSkip), kNodeAdd, true, "backoff"},
      {"only those who turned it down are asked", fit, {}, Hint(kSkip), Hint(kQueue), kNodeAdd, true, "unschedulable"},
      {"a pending plugin: no backoff", {}, devices, Hint(kSkip), Hint(kQueue), kNodeAdd, true, "active"},
      {"a pending plugin that fails: no backoff", {}, devices, Hint(kSkip), fails, kNodeAdd, true, "active"},
      {"a pending plugin skips", {}, devices, Hint(kQueue), Hint(kSkip), kNodeAdd, true, "unschedulable"},
      {"both queue: the pending one counts", fit, devices, Hint(kQueue), Hint(kQueue), kNodeAdd, true, "active"},
      {"the pending one skips", fit, devices, Hint(kQueue), Hint(kSkip), kNodeAdd, true, "backoff"},
      {"an event that nobody listens to", fit, devices, Hint(kQueue), Hint(kQueue), kNodeLabel, true, "unschedulable"},
      {"wildcard", fit, {}, Hint(kSkip), Hint(kSkip), kWildCardEvent, true, "backoff"},
      {"wildcard: pending plugins are not asked",
       {},
       devices,
       Hint(kSkip),
       Hint(kQueue),
       kWildCardEvent,
       true,
       "backoff"},
  };
  for (const Row& row : rows) {
    QueueHarness harness;
    harness.Listen(kFit, kNodeAdd, row.fit_hint);
    harness.Listen(kDevices, kNodeAdd, row.devices_hint);
    harness.Start();
    const PodId id = harness.Add("p");
    harness.Fail(id, row.unschedulable, row.pending);
    const TimeNs timestamp = harness.queue->Find(id)->timestamp;
    harness.clock.now = row.backing_off ? 2 * kSecond - 1 : 2 * kSecond;
    harness.queue->MoveAllToActiveOrBackoffQueue(row.event, {});
    EXPECT_EQ(harness.Where(id), row.where) << row.name;
    EXPECT_EQ(harness.queue->Find(id)->timestamp, timestamp) << row.name;
  }
}

TEST_F(MoveTest, AHintIsAskedOnlyForPodsOfItsPlugin) {
  std::vector<std::string> asked;
  h.Listen(kFit, kNodeAdd, [&](const PodInfo& pod, const EventObjects& objects) {
    asked.push_back(pod.name() + " about " + objects.new_node->metadata.name);
    return Result<QueueingHint>(QueueingHint::kSkip);
  });
  h.Start();
  Unschedulable("fit", Plugins({kFit}));
  Unschedulable("taints", Plugins({kTaints}));
  Unschedulable("both", Plugins({kFit, kTaints}));
  api::Node node;
  node.metadata.name = "n";
  h.queue->MoveAllToActiveOrBackoffQueue(kNodeAdd, {.new_node = &node});
  EXPECT_THAT(asked, ElementsAre("fit about n", "both about n"));
}

TEST_F(MoveTest, EachProfileHasItsOwnHints) {
  QueueProfile other = h.profile;
  other.scheduler_name = "other";
  other.events = {{kFit, {{kNodeAdd, nullptr}}}};
  h.other_profiles = {other};
  h.Start();
  const PodId first = Unschedulable("first", Plugins({kFit}));
  const PodId second = h.Add("second", [](api::Pod& pod) { pod.spec.scheduler_name = "other"; });
  h.Fail(second, Plugins({kFit}));
  Move(kNodeAdd);
  EXPECT_EQ(h.Where(first), "unschedulable");
  EXPECT_EQ(h.Where(second), "backoff");
}

TEST_F(MoveTest, APodOfNoProfileMovesWithAnyEventThatSomebodyListensTo) {
  h.Listen(kFit, kNodeAdd);
  h.Start();
  const PodId id = h.Add("p", [](api::Pod& pod) { pod.spec.scheduler_name = "unknown"; });
  h.Fail(id, Plugins({kTaints}));
  Move(kNodeLabel);
  EXPECT_EQ(h.Where(id), "unschedulable");
  Move(kNodeAdd);
  EXPECT_EQ(h.Where(id), "backoff");
}

TEST_F(MoveTest, PreCheckChoosesPods) {
  h.Listen(kFit, kAssignedPodDelete);
  h.Start();
  const PodId high = h.Add("high", [](api::Pod& pod) { pod.spec.priority = 9; });
  h.Fail(high, Plugins({kFit}));
  const PodId low = Unschedulable("low", Plugins({kFit}));
  h.queue->MoveAllToActiveOrBackoffQueue(kAssignedPodDelete, {},
                                         [](const PodInfo& pod) { return pod.priority() <= 5; });
  EXPECT_EQ(h.Where(high), "unschedulable");
  EXPECT_EQ(h.Where(low), "backoff");
}

TEST_F(MoveTest, OnlyUnschedulablePodsMove) {
  h.Listen(kFit, kNodeAdd);
  h.Start();
  const PodId backoff = Unschedulable("backoff", Plugins({kFit}));
  Move(kNodeAdd);
  const PodId error = Unschedulable("error", {});
  h.clock.now = 100 * kSecond;
  Move(kNodeAdd);
  EXPECT_EQ(h.Where(backoff), "backoff");
  EXPECT_EQ(h.Where(error), "error backoff");
}

TEST(MoveGatedTable, AGatedPodMovesOnlyIfItsGatingPluginListens) {
  struct Row {
    const char* name;
    PluginId listener;
    ClusterEvent event;
    bool gate_is_open;
    const char* where;
  };
  const Row rows[] = {
      {"the gating plugin listens", kGateA, kNodeAdd, true, "active"},
      {"but still holds it back", kGateA, kNodeAdd, false, "gated"},
      {"to another event", kGateA, kNodeLabel, true, "gated"},
      {"another plugin listens", kFit, kNodeAdd, true, "gated"},
      {"wildcard", kFit, kWildCardEvent, true, "active"},
      {"wildcard, but still held back", kFit, kWildCardEvent, false, "gated"},
  };
  for (const Row& row : rows) {
    QueueHarness harness;
    harness.Listen(row.listener, kNodeAdd);
    harness.Start();
    const PodId id = harness.Add("p", Gates({"a"}));
    // The store changes, and the queue is not told: so does a gate that looks at something else.
    if (row.gate_is_open) {
      api::Pod pod = harness.objects[id];
      pod.spec.scheduling_gates.clear();
      harness.pods.Update(id, std::move(pod));
    }
    harness.queue->MoveAllToActiveOrBackoffQueue(row.event, {});
    EXPECT_EQ(harness.Where(id), row.where) << row.name;
  }
}

TEST_F(MoveTest, AnotherGateMayHoldItBackNext) {
  h.Listen(kGateA, kNodeAdd);
  h.Listen(kGateB, kNodeLabel);
  h.Start();
  const PodId id = h.Add("p", Gates({"a", "b"}));
  api::Pod pod = h.objects[id];
  pod.spec.scheduling_gates = {"b"};
  h.pods.Update(id, api::Pod(pod));
  Move(kNodeAdd);
  EXPECT_EQ(h.queue->Find(id)->gating_plugin, kGateB);
  EXPECT_EQ(h.queue->Find(id)->unschedulable_plugins, Plugins({kGateA, kGateB}));
  pod.spec.scheduling_gates.clear();
  h.pods.Update(id, api::Pod(pod));
  Move(kNodeAdd);
  EXPECT_EQ(h.Where(id), "gated");
  Move(kNodeLabel);
  EXPECT_EQ(h.Where(id), "active");
}

TEST_F(MoveTest, GatesAreAskedBeforeBackoffToo) {
  for (bool gate : {true, false}) {
    QueueHarness harness;
    harness.options.pop_from_backoff_q = gate;
    harness.Listen(kFit, kNodeAdd);
    harness.Start();
    const PodId id = harness.Add("p");
    harness.Fail(id, Plugins({kFit}));
    harness.Update(id, Gates({"a"}));
    harness.queue->MoveAllToActiveOrBackoffQueue(kNodeAdd, {});
    // Without the feature gate nobody pops from backoff, so that the flush asks.
    EXPECT_EQ(harness.Where(id), gate ? "gated" : "backoff");
    harness.clock.now = 3 * kSecond;
    harness.queue->FlushBackoff();
    EXPECT_EQ(harness.Where(id), "gated");
  }
}

// ---- events while a pod is in flight ----

TEST(InFlightTable, APodThatComesBackLooksAtWhatItMissed) {
  using enum QueueingHint;
  const auto fit = Plugins({kFit}), devices = Plugins({kDevices});
  struct Row {
    const char* name;
    PluginSet unschedulable, pending;
    std::vector<ClusterEvent> before, during;
    const char* where;
  };
  const Row rows[] = {
      {"nothing happened", fit, {}, {}, {}, "unschedulable"},
      {"too early", fit, {}, {kNodeAdd}, {}, "unschedulable"},
      {"what its plugin waits for", fit, {}, {}, {kNodeAdd}, "backoff"},
      {"what another plugin waits for", Plugins({kTaints}), {}, {}, {kNodeAdd}, "unschedulable"},
      {"what nobody waits for", fit, {}, {}, {{EventResource::kCsiNode, kAdd}}, "unschedulable"},
      {"the second event", fit, {}, {}, {kNodeLabel, kNodeAdd}, "backoff"},
      {"pending: at once", {}, devices, {}, {kNodeLabel}, "active"},
      {"pending, after one that gives backoff", fit, devices, {}, {kNodeAdd, kNodeLabel}, "active"},
      {"pending, but only the other was helped", fit, devices, {}, {kNodeAdd}, "backoff"},
      {"an error needs no event", {}, {}, {}, {}, "error backoff"},
      {"an error does not look", {}, {}, {}, {kNodeAdd, kNodeLabel}, "error backoff"},
      {"wildcard", fit, {}, {}, {kWildCardEvent}, "backoff"},
  };
  for (const Row& row : rows) {
    QueueHarness harness;
    harness.Listen(kFit, kNodeAdd);
    harness.Listen(kDevices, kNodeLabel);
    SchedulingQueue& queue = harness.Start();
    harness.Add("other");
    queue.Pop();
    for (const ClusterEvent& event : row.before) queue.MoveAllToActiveOrBackoffQueue(event, {});
    const PodId id = harness.Add("p");
    QueuedPodInfo& info = *queue.Pop();
    for (const ClusterEvent& event : row.during) queue.MoveAllToActiveOrBackoffQueue(event, {});
    harness.Return(info, row.unschedulable, row.pending);
    EXPECT_EQ(harness.Where(id), row.where) << row.name;
  }
}

TEST_F(MoveTest, AnUpdateInFlightCountsWhenThePodComesBack) {
  h.Listen(kFit, {EventResource::kTargetPod, kUpdatePodLabel},
           [](const PodInfo& pod, const EventObjects& objects) -> Result<QueueingHint> {
             if (objects.new_pod->id != pod.id) return QueueingHint::kSkip;
             EXPECT_TRUE(objects.old_pod->pod_class->labels.empty());
             EXPECT_EQ(objects.new_pod->pod_class->labels.size(), 1);
             return QueueingHint::kQueue;
           });
  SchedulingQueue& queue = h.Start();
  const PodId id = h.Add("p"), other = h.Add("other");
  QueuedPodInfo& info = *queue.Pop();
  QueuedPodInfo& other_info = *queue.Pop();
  h.Update(id, [](api::Pod& pod) { pod.metadata.labels["a"] = "b"; });
  h.Update(id, [](api::Pod& pod) { pod.metadata.annotations["a"] = "b"; });
  h.Return(info, Plugins({kFit}));
  h.Return(other_info, Plugins({kFit}));
  EXPECT_EQ(h.Where(id), "backoff");
  EXPECT_EQ(h.Where(other), "unschedulable");
}

// ---- activation ----

TEST_F(MoveTest, ActivateTable) {
  h.Listen(kFit, kNodeAdd);
  SchedulingQueue& queue = h.Start();
  const PodId backoff = Unschedulable("backoff", Plugins({kFit}));
  Move(kNodeAdd);
  const PodId unschedulable = Unschedulable("unschedulable", Plugins({kFit}));
  const PodId error = Unschedulable("error", {});
  const PodId gated = h.Add("gated", Gates({"a"}));
  const PodId unknown = h.Make("unknown");
  const PodId pods[] = {backoff, unschedulable, error, gated, unknown};
  queue.Activate(pods);
  EXPECT_EQ(h.Where(backoff), "active");
  EXPECT_EQ(h.Where(unschedulable), "active");
  EXPECT_EQ(h.Where(error), "active");
  EXPECT_EQ(h.Where(gated), "gated");
  EXPECT_EQ(h.Where(unknown), "nowhere");
}

TEST_F(MoveTest, ActivateOfAPodInFlightIsForItAlone) {
  SchedulingQueue& queue = h.Start();
  const PodId one = h.Add("one"), two = h.Add("two");
  QueuedPodInfo& first = *queue.Pop();
  QueuedPodInfo& second = *queue.Pop();
  queue.Activate(std::vector<PodId>{one});
  h.Return(first, Plugins({kFit}));
  h.Return(second, Plugins({kFit}));
  EXPECT_EQ(h.Where(one), "backoff");
  EXPECT_EQ(h.Where(two), "unschedulable");
}

// ---- flushes ----

TEST_F(MoveTest, FlushBackoff) {
  h.Listen(kFit, kNodeAdd);
  SchedulingQueue& queue = h.Start();
  const PodId rejected = Unschedulable("rejected", Plugins({kFit}));
  Move(kNodeAdd);
  const PodId error = Unschedulable("error", {});
  h.clock.now = 1 * kSecond;
  queue.FlushBackoff();
  EXPECT_EQ(h.Where(rejected), "backoff");
  EXPECT_EQ(h.Where(error), "error backoff");
  const TimeNs timestamp = queue.Find(rejected)->timestamp;
  h.clock.now = 2 * kSecond;
  queue.FlushBackoff();
  EXPECT_EQ(h.Where(rejected), "active");
  EXPECT_EQ(h.Where(error), "active");
  EXPECT_EQ(queue.Find(rejected)->timestamp, timestamp);
}

TEST_F(MoveTest, FlushLeftovers) {
  SchedulingQueue& queue = h.Start();
  const PodId old = Unschedulable("old", Plugins({kFit}));
  h.clock.now = 1 * kSecond;
  const PodId newer = Unschedulable("newer", Plugins({kFit}));
  h.clock.now = queue.Find(old)->timestamp + 300 * kSecond;
  queue.FlushUnschedulableLeftovers();
  EXPECT_EQ(h.Where(old), "unschedulable");  // five minutes are not more than five minutes
  h.clock.now += 1;
  queue.FlushUnschedulableLeftovers();
  EXPECT_EQ(h.Where(old), "active");
  EXPECT_TRUE(queue.Find(old)->was_flushed_from_unschedulable);
  EXPECT_EQ(queue.Find(old)->flush_timestamp, h.clock.now);
  EXPECT_EQ(h.Where(newer), "unschedulable");
}

TEST_F(MoveTest, FlushLeftoversRespectsBackoff) {
  h.options.initial_backoff_ns = h.options.max_backoff_ns = 600 * kSecond;
  SchedulingQueue& queue = h.Start();
  const PodId id = Unschedulable("p", Plugins({kFit}));
  h.clock.now = 330 * kSecond;
  queue.FlushUnschedulableLeftovers();
  EXPECT_EQ(h.Where(id), "backoff");
}

TEST_F(MoveTest, FlushLeftoversAsksTheGatesAndThenWaitsAgain) {
  SchedulingQueue& queue = h.Start();
  const PodId id = h.Add("p", Gates({"a"}));
  const auto flush_at = [&](int64_t seconds) {
    const int calls = h.gate_a.calls;
    h.clock.now = seconds * kSecond;
    queue.FlushUnschedulableLeftovers();
    return h.gate_a.calls - calls;
  };
  EXPECT_EQ(flush_at(300), 0);
  EXPECT_EQ(flush_at(330), 1);
  EXPECT_EQ(h.Where(id), "gated");
  EXPECT_FALSE(queue.Find(id)->was_flushed_from_unschedulable);
  EXPECT_EQ(flush_at(360), 0);
  EXPECT_EQ(flush_at(630), 0);  // five minutes after the last flush
  EXPECT_EQ(flush_at(660), 1);
}

TEST_F(MoveTest, FlushLeftoversIsAnEventForPodsInFlight) {
  SchedulingQueue& queue = h.Start();
  const PodId in_flight = h.Add("in flight");
  QueuedPodInfo& info = *queue.Pop();
  queue.FlushUnschedulableLeftovers();  // nothing to flush: no event
  h.Return(info, Plugins({kFit}));
  EXPECT_EQ(h.Where(in_flight), "unschedulable");
  h.Add("second");
  QueuedPodInfo& second = *queue.Pop();
  h.clock.now = 330 * kSecond;
  queue.FlushUnschedulableLeftovers();
  h.Return(second, Plugins({kFit}));
  EXPECT_EQ(h.Where(second.id), "backoff");
}

// The stories of REPORT.md: a pod that fails again and again waits longer each time.
TEST_F(MoveTest, BackoffGrowsFromFailureToFailure) {
  h.Listen(kFit, kNodeAdd);
  SchedulingQueue& queue = h.Start();
  const PodId id = h.Add("p");
  std::vector<int64_t> waits;
  for (int i = 0; i < 6; ++i) {
    const TimeNs failed = h.clock.now;
    h.Fail(id, Plugins({kFit}));
    Move(kNodeAdd);
    while (h.Where(id) == "backoff") {
      h.clock.now = (h.clock.now / kSecond + 1) * kSecond;
      queue.FlushBackoff();
    }
    waits.push_back((h.clock.now - failed) / kSecond);
  }
  // Each ends with the flush after the second in which the backoff ends; the first failure came just after a second.
  EXPECT_THAT(waits, ElementsAre(1, 3, 5, 9, 11, 11));
}

}  // namespace
}  // namespace ksched
