// What a scheduling cycle costs once everything is warm: one node worked out again per class, and no allocation.

#include <gtest/gtest.h>

#include "config/load.h"
#include "counting_allocator.h"
#include "framework/testing.h"
#include "plugins/registry.h"
#include "scheduler/event_handlers.h"
#include "scheduler/scheduler.h"

namespace ksched {
namespace {

using namespace testing_support;  // NOLINT

class SteadyCycleTest : public ::testing::Test, private Binder {
 protected:
  void SetUp() override {
    configuration_ = config::DefaultConfiguration(features_);
    std::set<std::string> absent;
    for (const PluginEntry& entry : registry_) {
      if (!entry.create) absent.insert(entry.name);
    }
    ASSERT_TRUE(config::DropAbsentPlugins(configuration_, absent));
    Ports ports;
    ports.binder = this;
    auto scheduler = Scheduler::Create({configuration_, features_}, {cluster_.state, clock_, registry_, ports});
    ASSERT_TRUE(scheduler) << scheduler.error().message;
    scheduler_ = std::move(*scheduler);
    handlers_.emplace(*scheduler_);
    for (int i = 0; i < 300; ++i) {
      handlers_->AddNode(MakeNode("a-node-name-of-some-length-" + std::to_string(i))
                             .Allocatable({{"cpu", "16"}, {"memory", "64Gi"}, {"pods", "110"}})
                             .Label("topology.kubernetes.io/zone", "zone-" + std::to_string(i % 3)));
    }
  }
  void AddPods(const std::string& app, int count) {
    for (int i = 0; i < count; ++i) {
      PodInfo& pod =
          cluster_.state.pod_store().Add(MakePod(app + "-" + std::to_string(i))
                                             .Label("app", app)
                                             .Label("statefulset.kubernetes.io/pod-name", app + "-" + std::to_string(i))
                                             .Requests({{"cpu", app == "web" ? "100m" : "200m"}, {"memory", "128Mi"}}));
      handlers_->AddPod(pod);
    }
  }
  // One cycle, and what the cluster says of it.
  void Cycle() {
    ASSERT_EQ(scheduler_->ScheduleOne(), Scheduler::Step::kCycle);
    ASSERT_EQ(scheduler_->record().result, CycleResult::kScheduled) << scheduler_->record().message;
    handlers_->AddPod(cluster_.state.pod_store().Get(scheduler_->record().pod));
  }
  void Bind(const PodInfo&, const std::string&, ResultCallback done) override { done({}); }

  TestCluster cluster_;
  SystemClock clock_;
  const config::FeatureGates features_;
  const PluginRegistry registry_ = MakeRegistry();
  config::SchedulerConfiguration configuration_;
  std::unique_ptr<Scheduler> scheduler_;
  std::optional<EventHandlers> handlers_;
};

TEST_F(SteadyCycleTest, AfterOneAssumeOneNodeIsWorkedOutAgain) {
  AddPods("web", 700);
  // Searches go round: after a few every node is known.
  for (int i = 0; i < 100; ++i) Cycle();
  const CacheCounters before = scheduler_->cache_counters();
  for (int i = 0; i < 500; ++i) Cycle();
  const CacheCounters after = scheduler_->cache_counters();
  EXPECT_LE(after.filters_computed - before.filters_computed, 500u);
  EXPECT_LE(after.scores_computed - before.scores_computed, 500u);
  EXPECT_EQ(after.entries_made, 1u);
}

TEST_F(SteadyCycleTest, NothingIsAllocated) {
  AddPods("web", 400);
  AddPods("db", 400);
  for (int i = 0; i < 500; ++i) Cycle();
  StartCountingAllocations();
  for (int i = 0; i < 200; ++i) Cycle();
  EXPECT_EQ(StopCountingAllocations(), 0);
}

}  // namespace
}  // namespace ksched
