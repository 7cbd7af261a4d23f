#include "app/daemon/scheduler_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/scheduler_testing.h"

namespace ksched::daemon {
namespace {

using config::ExtensionPoint;
using testing::HasSubstr;
using namespace testing_support;  // NOLINT

class SchedulerMetricsTest : public SchedulerTest {
 protected:
  // A node takes one pod.
  void Create() {
    profile_.Add("Room", {ExtensionPoint::kFilter}).filter = [](const PodInfo&, const NodeView& node) {
      return node.pods().empty() ? Status() : Status(Code::kUnschedulable);
    };
    configuration_.profiles = {profile_.profile};
    metrics_.emplace(registry_, profile_.registry);
    SchedulerOptions options{.configuration = configuration_, .features = cluster_.features};
    options.observer = &*metrics_;
    auto scheduler = Scheduler::Create(options, {cluster_.state, clock_, profile_.registry, {}});
    ASSERT_TRUE(scheduler) << scheduler.error().message;
    scheduler_ = std::move(*scheduler);
    handlers_.emplace(*scheduler_);
    handlers_->AddNode(MakeNode("n"));
  }
  void Add(const std::string& name) {
    PodInfo& pod = cluster_.state.pod_store().Add(api::Pod(MakePod(name).pod));
    handlers_->AddPod(pod);
    clock_.now += kNsPerMs;
  }
  std::string Text() {
    metrics_->Take(*scheduler_, true);
    return registry_.Text();
  }
  void Expect(const std::vector<std::string>& lines) {
    const std::string text = Text();
    for (const std::string& line : lines) EXPECT_THAT(text, HasSubstr("\n" + line + "\n"));
  }

  serve::Registry registry_;
  std::optional<SchedulerMetrics> metrics_;
};

TEST_F(SchedulerMetricsTest, CountWhatBecomesOfPods) {
  Create();
  Add("one");
  Add("two");
  Expect({"scheduler_pending_pods{queue=\"active\"} 2",
          "scheduler_queue_incoming_pods_total{event=\"UnscheduledPodAdd\",queue=\"active\"} 2",
          "scheduler_preemption_attempts_total 0", "scheduler_pod_scheduling_attempts_count 0"});
  EXPECT_EQ(scheduler_->ScheduleOne(), Scheduler::Step::kCycle);
  EXPECT_EQ(scheduler_->ScheduleOne(), Scheduler::Step::kCycle);
  const std::string name = profile_.profile.scheduler_name;
  Expect({"scheduler_schedule_attempts_total{profile=\"" + name + "\",result=\"scheduled\"} 1",
          "scheduler_schedule_attempts_total{profile=\"" + name + "\",result=\"unschedulable\"} 1",
          "scheduler_scheduling_attempt_duration_seconds_count{profile=\"" + name + "\",result=\"scheduled\"} 1",
          "scheduler_scheduling_algorithm_duration_seconds_count 2", "scheduler_pod_scheduling_attempts_sum 1",
          "scheduler_pod_scheduling_sli_duration_seconds_count{attempts=\"1\"} 1",
          "scheduler_unschedulable_pods{plugin=\"Room\",profile=\"" + name + "\"} 1",
          "scheduler_pending_pods{queue=\"unschedulable\"} 1", "scheduler_cache_size{type=\"nodes\"} 1",
          "scheduler_cache_size{type=\"pods\"} 1", "scheduler_cache_size{type=\"assumed_pods\"} 1",
          "scheduler_queue_incoming_pods_total{event=\"ScheduleAttemptFailure\",queue=\"unschedulable\"} 1",
          "leader_election_master_status{name=\"kube-scheduler\"} 1"});
  for (const char* point : {"Bind", "PostBind", "Reserve", "Permit", "PreBind"}) {
    Expect({"scheduler_framework_extension_point_duration_seconds_count{extension_point=\"" + std::string(point) +
            "\",profile=\"" + name + "\",status=\"Success\"} 1"});
  }
  scheduler_->queue().Delete(cluster_.state.pod_store().Find("default", "two")->id);
  Expect({"scheduler_unschedulable_pods{plugin=\"Room\",profile=\"" + name + "\"} 0",
          "scheduler_pending_pods{queue=\"unschedulable\"} 0"});
}

TEST_F(SchedulerMetricsTest, EventsAreNamedAsInTheReference) {
  const ClusterEvent gates{EventResource::kTargetPod, kUpdatePodSchedulingGatesEliminated};
  const ClusterEvent claims{EventResource::kResourceClaim, kAllActions}, csi{EventResource::kCsiNode, kUpdate};
  EXPECT_EQ(LabelOf({{}, &kAssignedPodDelete}), "AssignedPodDelete");
  EXPECT_EQ(LabelOf({{}, &gates}), "TargetPodUpdatePodSchedulingGatesEliminated");
  EXPECT_EQ(LabelOf({{}, &claims}), "resource.k8s.io/ResourceClaimAll");
  EXPECT_EQ(LabelOf({{}, &csi}), "storage.k8s.io/CSINodeUpdate");
  EXPECT_EQ(LabelOf({"BackoffComplete"}), "BackoffComplete");
}

}  // namespace
}  // namespace ksched::daemon
