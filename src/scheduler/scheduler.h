// Scheduler: pops a pod from the queue, finds it a node, and binds it there.
// Reference: pkg/scheduler/schedule_one.go, v1.37.2.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "base/rng.h"
#include "cache/cache.h"
#include "config/feature_gates.h"
#include "config/types.h"
#include "framework/framework.h"
#include "framework/observer.h"
#include "queue/scheduling_queue.h"
#include "scheduler/cycle_record.h"
#include "scheduler/node_search.h"

namespace ksched {

struct SchedulerOptions {
  const config::SchedulerConfiguration& configuration;
  const config::FeatureGates& features;
  bool use_class_cache = true;
  bool record_scores = false;  // record() has the scores of every plugin, not only totals
  // Which of several best nodes is taken is drawn by numbers from this seed; absent: the one whose name sorts first.
  std::optional<uint64_t> tie_seed;
  Observer* observer = nullptr;                 // null: nobody counts
  std::optional<int64_t> max_in_unschedulable;  // in ns, how long a pod waits for an event; absent: five minutes
  // Where somebody has said which node it is to be: its name; empty: any. With force_node pods go there whatever
  // filters say, and record() has what they said.
  std::string only_node;
  bool force_node = false;
};

// What the scheduler works on and with. Everything outlives it.
struct SchedulerWorld {
  ClusterState& state;
  const Clock& clock;
  const PluginRegistry& registry;
  Ports ports;
};

class Scheduler {
 public:
  // Creates the profiles of the configuration. Errors are the reference's.
  static Result<std::unique_ptr<Scheduler>> Create(const SchedulerOptions& options, const SchedulerWorld& world);
  ~Scheduler();

  enum class Step { kNothing, kDropped, kCycle };
  // Pops a pod and gives it a scheduling cycle and, if that found a node, a binding cycle, which may end later
  // (kBinding). kNothing: the queue had none; kDropped: the pod needs no cycle (it is being deleted, or is bound
  // already). What happened is in record().
  Step ScheduleOne();
  const CycleRecord& record() const { return record_; }

  // ---- bindings ----

  size_t num_binding() const { return bindings_.size(); }
  bool IsBinding(PodId pod) const { return bindings_.contains(pod); }
  // The cluster has deleted the pod, and neither cache nor queue has it any more. If it is binding, it is not found in
  // the store from now on, and leaves it when that has ended (maybe at once); false: it is not.
  bool RemoveWhenBound(PodId pod);
  // A more important pod takes the place of one that waits for Permit or for PreBind: it will not be bound. `plugin`
  // is the name of the one that decided so. False if the pod does neither, or not any more.
  bool PreemptBinding(PodId pod, std::string_view plugin);
  WaitingPods& waiting_pods() { return waiting_pods_; }
  // Told of each pod that was assumed and will not be bound, when it is off its node.
  void OnForgotten(std::function<void(PodInfo&)> told) { on_forgotten_ = std::move(told); }
  // Told of each binding that has ended, with what it came to.
  void OnBindingEnded(std::function<void(const PodInfo&, const CycleOutcome&)> told) {
    on_binding_ended_ = std::move(told);
  }

  SchedulingQueue& queue() { return *queue_; }
  Cache& cache() { return cache_; }
  ClusterState& state() { return world_.state; }
  const ReasonTable& reasons() const { return reasons_; }
  const VerdictTable& verdicts() const { return verdicts_; }
  // The profile that handles pods with this schedulerName; null if none does.
  const Framework* FindProfile(const std::string& scheduler_name) const;
  bool Handles(const PodInfo& pod) const { return HasProfile(pod) && (!wanted_ || wanted_(pod)); }
  // Of the pods that profiles are for only these are scheduled. The others count with their nominations only. Before
  // any pod comes; a pod may be wanted no more later: its owner takes it from the queue.
  void HandleOnly(std::function<bool(const PodInfo&)> wanted) { wanted_ = std::move(wanted); }
  bool OnlyNominates(const PodInfo& pod) const { return HasProfile(pod) && !Handles(pod); }
  // What speaks against the node that the pod is assumed on, as things are now; nothing: it is good.
  std::vector<Status> ViolationsOfAssumed(PodInfo& pod);

  // Whether some plugin has asked for events like this one: others are not told to the queue.
  bool ListensTo(EventResource resource, ActionType action) const {
    const auto found = listened_.find(resource);
    return found != listened_.end() && (found->second & action) != 0;
  }

  // What plugins answer may have changed for every node: nothing that is known of them holds.
  void ClearClassCaches();

  uint64_t nodes_evaluated() const { return search_.nodes_evaluated(); }
  CacheCounters cache_counters() const;

 private:
  struct Profile {
    std::unique_ptr<Framework> framework;
    std::unique_ptr<ClassCache> cache;  // null: the plain form
  };
  Scheduler(const SchedulerOptions& options, const SchedulerWorld& world);
  Result<void> CreateProfiles();
  void CreateQueue();
  Profile* ProfileOf(const std::string& scheduler_name);
  bool HasProfile(const PodInfo& pod) const { return FindProfile(pod.pod_class->scheduler_name()) != nullptr; }

  // Each returns Success, or why the cycle ends here.
  Status SchedulePod(Profile& profile, PodInfo& pod);
  Status FindNode(Profile& profile, PodInfo& pod);
  Status RunPreFilter(Profile& profile, PodInfo& pod);
  // ---- one node only (only_node.cc) ----
  Status ForceOntoNode(const Profile& profile, const PodInfo& pod);
  void NarrowToNode();
  void NodeIsNoGood(const Profile& profile, const PodInfo& pod);

  Status PrioritizeNodes(Profile& profile, const PodInfo& pod);
  Status AssumeAndReserve(Profile& profile, PodInfo& pod);
  Status Permit(Profile& profile, PodInfo& pod);
  NodeId BestNode();
  void NoNodeFits(Profile& profile, const PodInfo& pod);
  void RunPostFilter(Profile& profile, const PodInfo& pod);
  void RejectedOnNode(const Status& status, NodeId node, CycleOutcome& outcome);
  void FailWith(const Status& status, CycleOutcome& outcome);
  void TellAttempt(const Profile& profile, const CycleOutcome& outcome, Observer::Time began) const;
  bool GiveNodeBack(Profile& profile, CycleState& cycle, PodInfo& pod, NodeId node);
  void HandleFailure(QueuedPodInfo& queued, CycleOutcome& outcome);

  // ---- bindings (binding_cycle.cc) ----
  class Binding;
  void StartBinding(Profile& profile, PodInfo& pod, QueuedPodInfo& queued);
  void PermitEnded(Binding& binding, const Status& status);
  void TellBound(const Binding& binding) const;
  void BindingEnded(Binding& binding, const Status& status);
  void BindingFailed(Binding& binding, PodInfo& pod, const Status& status);
  std::unique_ptr<Binding> NewBinding();
  void Release(PodId pod);

  // What plugins ask about device classes, out of the state.
  class DeviceClasses;

  SchedulerWorld world_;
  std::unique_ptr<DeviceClasses> device_classes_;
  const config::SchedulerConfiguration& configuration_;
  const config::FeatureGates& features_;
  bool use_class_cache_, record_scores_;
  Observer* const observer_;
  const std::optional<int64_t> max_in_unschedulable_;
  Observer::Time cycle_began_;  // only if somebody observes
  std::string only_node_;
  bool force_node_ = false;
  std::function<bool(const PodInfo&)> wanted_;
  ReasonTable reasons_;
  VerdictTable verdicts_;
  Cache cache_;
  std::vector<Profile> profiles_;
  std::map<EventResource, ActionType> listened_;  // the union of what plugins of all profiles ask for
  std::unique_ptr<SchedulingQueue> queue_;
  NodeSearch search_;
  CycleState cycle_;
  CycleRecord record_;
  std::optional<Rng> ties_;
  WaitingPods waiting_pods_;
  std::vector<PermitWait> permit_waits_;  // of the cycle
  boost::unordered_flat_map<PodId, std::unique_ptr<Binding>> bindings_;
  std::vector<std::unique_ptr<Binding>> free_bindings_;  // to be used again
  const Binding* starting_ = nullptr;                    // in the cycle that goes on
  bool expects_ = false;                                 // nominatedNodeName is set for pods that take their time
  std::function<void(PodInfo&)> on_forgotten_;
  std::function<void(const PodInfo&, const CycleOutcome&)> on_binding_ended_;
};

}  // namespace ksched
