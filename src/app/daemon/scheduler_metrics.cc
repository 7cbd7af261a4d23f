#include "app/daemon/scheduler_metrics.h"

namespace ksched::daemon {
namespace {

using serve::ExponentialBuckets;

constexpr const char* kPendingHelp =
    "[STABLE] Number of pending pods, by the queue type. 'active' means number of pods in activeQ; 'backoff' means "
    "number of pods in backoffQ; 'unschedulable' means number of pods in unschedulableEntities that the scheduler "
    "attempted to schedule and failed; 'gated' is the number of unschedulable pods that the scheduler never attempted "
    "to schedule because they are gated; 'incomplete' means number of pods in incompletePodGroupPods; 'pending' means "
    "number of pods in pendingPodGroupPods.";
constexpr const char* kQueuedHelp =
    "[ALPHA] Number of queued scheduling entities ('pod' or 'podgroup'; 'pod' stands for individual pods that are not "
    "members of any podgroup) by the queue type. 'active' means number of entities in activeQ; 'backoff' means number "
    "of entities in backoffQ; 'unschedulable' means number of entities in unschedulableEntities that the scheduler "
    "attempted to schedule and failed; 'gated' is the number of unschedulable entities that the scheduler never "
    "attempted to schedule because they are gated.";
constexpr const char* kUnschedulableHelp =
    "[BETA] The number of unschedulable pods broken down by plugin name. A pod will increment the gauge for all "
    "plugins "
    "that caused it to not schedule and so this metric have meaning only when broken down by plugin.";
constexpr const char* kAttemptsHelp =
    "[STABLE] Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could not be scheduled, "
    "while 'error' means an internal scheduler problem.";
constexpr const char* kSliHelp =
    "[BETA] E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue and might involve "
    "multiple scheduling attempts.";
constexpr const char* kFlushHelp =
    "[ALPHA] Number of pods that were successfully scheduled after being flushed from unschedulableEntities due to "
    "timeout. This metric helps detect potential queueing hint misconfigurations or event handling issues.";

constexpr uint32_t kManyAttempts = 15;
constexpr const char* kResults[] = {"scheduled", "unschedulable", "error"};
constexpr const char* kQueues[] = {"active", "backoff", "unschedulable"};

double Seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

SchedulerMetrics::SchedulerMetrics(serve::Registry& metrics, const PluginRegistry& plugins)
    : plugins_(plugins),
      attempts_(metrics.AddCounter({"scheduler_schedule_attempts_total", kAttemptsHelp, {"profile", "result"}})),
      preemptions_(metrics.AddCounter(
          {"scheduler_preemption_attempts_total", "[STABLE] Total preemption attempts in the cluster till now", {}})),
      after_flush_(metrics.AddCounter({"scheduler_pod_scheduled_after_flush_total", kFlushHelp, {}})),
      incoming_(metrics.AddCounter({"scheduler_queue_incoming_pods_total",
                                    "[STABLE] Number of pods added to scheduling queues by event and queue type.",
                                    {"event", "queue"}})),
      attempt_seconds_(
          metrics.AddHistogram({"scheduler_scheduling_attempt_duration_seconds",
                                "[STABLE] Scheduling attempt latency in seconds (scheduling algorithm + binding)",
                                {"profile", "result"}},
                               ExponentialBuckets(0.001, 2, 15))),
      algorithm_seconds_(metrics.AddHistogram(
          {"scheduler_scheduling_algorithm_duration_seconds", "[BETA] Scheduling algorithm latency in seconds", {}},
          ExponentialBuckets(0.001, 2, 15))),
      victims_(metrics.AddHistogram(
          {"scheduler_preemption_victims",
           "[STABLE] Number of selected preemption victims for preemption initiated by a single pod",
           {}},
          ExponentialBuckets(1, 2, 7))),
      sli_seconds_(metrics.AddHistogram({"scheduler_pod_scheduling_sli_duration_seconds", kSliHelp, {"attempts"}},
                                        ExponentialBuckets(0.01, 2, 20))),
      pod_attempts_(metrics.AddHistogram(
          {"scheduler_pod_scheduling_attempts", "[STABLE] Number of attempts to successfully schedule a pod.", {}},
          ExponentialBuckets(1, 2, 5))),
      point_seconds_(metrics.AddHistogram({"scheduler_framework_extension_point_duration_seconds",
                                           "[STABLE] Latency for running all plugins of a specific extension point.",
                                           {"extension_point", "profile", "status"}},
                                          ExponentialBuckets(0.0001, 2, 12))),
      permit_seconds_(metrics.AddHistogram(
          {"scheduler_permit_wait_duration_seconds", "[BETA] Duration of waiting on permit.", {"result"}},
          ExponentialBuckets(0.001, 2, 15))),
      pending_(metrics.AddGauge({"scheduler_pending_pods", kPendingHelp, {"queue"}})),
      queued_(metrics.AddGauge({"scheduler_queued_entities", kQueuedHelp, {"queue", "type"}})),
      cache_size_(metrics.AddGauge({"scheduler_cache_size",
                                    "[ALPHA] Number of nodes, pods, and assumed (bound) pods in the scheduler cache.",
                                    {"type"}})),
      unschedulable_(metrics.AddGauge({"scheduler_unschedulable_pods", kUnschedulableHelp, {"plugin", "profile"}})),
      goroutines_(metrics.AddGauge({"scheduler_goroutines",
                                    "[BETA] Number of running goroutines split by the work they do such as binding.",
                                    {"operation"}})),
      master_(metrics.AddGauge({"leader_election_master_status",
                                "[ALPHA] Gauge of if the reporting system is master of the relevant lease, 0 indicates "
                                "backup, 1 indicates master. 'name' is the string used to identify the lease. Please "
                                "make sure to group by name.",
                                {"name"}})) {}

void SchedulerMetrics::Ran(ObservedPoint point, const std::string& profile, Code code, std::chrono::nanoseconds took) {
  serve::Histogram*& histogram = points_[{point, code, profile}];
  if (histogram == nullptr) {
    histogram = &point_seconds_.With({std::string(PointName(point)), profile, std::string(CodeName(code))});
  }
  histogram->Observe(Seconds(took));
}

void SchedulerMetrics::AlgorithmEnded(std::chrono::nanoseconds took) { (*algorithm_seconds_).Observe(Seconds(took)); }

void SchedulerMetrics::AttemptEnded(AttemptResult result, const std::string& profile, std::chrono::nanoseconds took) {
  const std::vector<std::string> labels = {profile, kResults[static_cast<size_t>(result)]};
  attempts_.With(labels).Add();
  attempt_seconds_.With(labels).Observe(Seconds(took));
}

void SchedulerMetrics::Bound(const BoundPod& pod) {
  (*pod_attempts_).Observe(pod.attempts);
  if (pod.waited.count() >= 0) {
    sli_seconds_.With({pod.attempts >= kManyAttempts ? "15+" : std::to_string(pod.attempts)})
        .Observe(Seconds(pod.waited));
  }
  if (pod.after_flush) (*after_flush_).Add();
}

void SchedulerMetrics::PermitEnded(Code code, std::chrono::nanoseconds waited) {
  permit_seconds_.With({std::string(CodeName(code))}).Observe(Seconds(waited));
}

void SchedulerMetrics::PreemptionTried(size_t victims) {
  (*preemptions_).Add();
  if (victims > 0) (*victims_).Observe(static_cast<double>(victims));
}

void SchedulerMetrics::Queued(ObservedQueue queue, const QueueCause& cause) {
  incoming_.With({LabelOf(cause), kQueues[static_cast<size_t>(queue)]}).Add();
}

void SchedulerMetrics::Rejected(const std::string& profile, PluginSet plugins, int change) {
  plugins.ForEach([&](PluginId id) { unschedulable_.With({std::string(plugins_[id].name), profile}).Add(change); });
}

void SchedulerMetrics::Take(Scheduler& scheduler, std::optional<bool> leads) {
  const SchedulingQueue& queue = scheduler.queue();
  const auto set = [this](const char* name, size_t pods) {
    pending_.With({name}).Set(static_cast<double>(pods));
    queued_.With({name, "pod"}).Set(static_cast<double>(pods));
  };
  set("active", queue.num_active());
  set("backoff", queue.num_backoff() + queue.num_error_backoff());
  set("unschedulable", queue.num_unschedulable() - queue.num_gated());
  set("gated", queue.num_gated());
  cache_size_.With({"nodes"}).Set(static_cast<double>(scheduler.state().num_nodes()));
  cache_size_.With({"pods"}).Set(static_cast<double>(scheduler.cache().num_pods()));
  cache_size_.With({"assumed_pods"}).Set(static_cast<double>(scheduler.cache().num_assumed()));
  goroutines_.With({"binding"}).Set(static_cast<double>(scheduler.num_binding()));
  if (leads) master_.With({"kube-scheduler"}).Set(*leads ? 1 : 0);
}

}  // namespace ksched::daemon
