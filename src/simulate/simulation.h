// Simulation: one run, with the world that the scheduler writes into.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "manifest/cluster_input.h"
#include "report/report.h"
#include "scheduler/event_handlers.h"
#include "scheduler/scheduler.h"
#include "simulate/simulate.h"
#include "simulate/virtual_clock.h"

namespace ksched {

class Simulation final : private Binder, private Evictor, private StatusWriter {
 public:
  Simulation(ClusterState& state, ClusterInput input, const SimulationOptions& options);
  Result<SchedulingReport> Run(SimulationStats* stats);

 private:
  // A pod of the report.
  struct Tracked {
    PodOutcome outcome;
    PodId pod = kNoPod;
    bool placed = false;
    bool deleted = false;   // while it was pending
    NodeId node = kNoNode;  // where it was placed
  };

  // ---- the ports: writes that are told when the cycle is over ----
  void Bind(const PodInfo& pod, const std::string& node, ResultCallback done) override;
  // Victims leave when the cycle is over, those that were on their way already among them.
  void Evict(std::span<const PodId>, const PodInfo&, const std::string&) override {}
  void Write(const PodInfo& pod, const FailureUpdate& update) override;
  void ClearNomination(const PodInfo& pod) override;

  // ---- the run ----
  Result<void> CreateScheduler();
  void Enter();
  void SetStarted(PodInfo& pod);  // if it has no start time
  void Track(const PodInfo& pod, bool from_manifest, const std::string& source);
  Result<void> Loop();
  bool WaitForTime();  // false: nothing will ever happen again
  void NoteCycle();
  void Deliver();
  void DeliverBinding(PodInfo& pod);
  void DeliverPreemption();
  void DeliverFailure(PodInfo& pod);

  // ---- workloads (workloads.cc) ----
  struct WorkloadRun {
    WorkloadReport report;
    std::vector<RejectedPod> rejected;  // until they are tried again
    bool has_news = false;              // its controller was told something since it was last asked
  };
  void EnterWorkload(uint32_t workload);
  // Does what the controllers do now, until they wait for something. Those without news have nothing to do.
  void SyncWorkloads();
  void HasNews(uint32_t workload);
  bool Sync(uint32_t workload);
  std::optional<std::string> Create(uint32_t workload, controllers::NewPod made);
  void Reject(uint32_t workload, const std::string& name, const std::string& message);
  void RemoveOfWorkload(uint32_t workload, const std::string& name);
  void TellStarted(const PodInfo& pod);
  void TellGone(const PodInfo& pod);
  void RetryRejected();
  void ReportWorkloads(SchedulingReport& report);

  // ---- events (events.cc) ----
  Result<void> HappenWhatIsDue();
  Result<void> Happen(TimedEvent& event);
  void HappenToNode(TimedEvent& event);
  Result<void> HappenToPod(TimedEvent& event);
  // What an update does not say of the metadata stays.
  static void KeepMetadata(api::ObjectMeta& now, const api::ObjectMeta& was);
  PodInfo& AddPodLater(api::Pod pod, bool from_manifest, const std::string& source);
  void RemovePod(PodInfo& pod);
  Result<void> ChangePod(TimedEvent& event, PodInfo& pod, api::Pod now);
  PodInfo* FindAlive(const std::string& ns, const std::string& name);

  // ---- other objects (objects.cc) ----
  void EnterObjects();
  void AddClaim(api::PersistentVolumeClaim claim);
  void AddReplicaSetOf(const InputWorkload& workload, const api::Pod& pod);
  void HappenToObject(TimedEvent& event);
  template <typename T>
  void HappenTo(ObjectTable<T>& table, TimedEvent& event);

  // ---- the report ----
  SchedulingReport MakeReport();
  void FinishOutcome(Tracked& tracked);
  std::string GateMessage(const PodInfo& pod) const;

  ClusterState& state_;
  ClusterInput input_;
  const SimulationOptions& options_;
  VirtualClock clock_;
  std::unique_ptr<Scheduler> scheduler_;
  std::optional<EventHandlers> handlers_;

  std::deque<Tracked> tracked_;
  std::vector<Tracked*> tracked_of_;  // by PodId; null: not in the report
  std::vector<bool> alive_;           // by PodId: the API has it
  std::vector<OtherSchedulerPod> other_schedulers_;
  std::vector<CycleReport> cycle_reports_;
  std::vector<WorkloadRun> workload_runs_;  // as input_.workloads
  std::vector<uint32_t> workloads_with_news_;
  boost::unordered_flat_map<std::string, uint32_t> workload_of_pod_;  // by "namespace/name"
  size_t next_event_ = 0;
  uint32_t next_arrival_ = 0;
  uint64_t cycles_ = 0, errors_in_a_row_ = 0;
  uint64_t counted_from_ = 0;  // cycles before the last event of a recording
  bool truncated_ = false;

  // What the cycle wrote.
  bool bound_ = false;
  struct Failure {
    std::string reason, message, nominated_node;
    bool nominates = false;
  };
  std::optional<Failure> failure_;
  std::vector<PodId> cleared_;  // pods that lose their nomination
};

// The start time of a pod that has none: later than any real one (docs/report.md).
inline constexpr TimeNs kStartOfRunNs = 4'102'444'800 * kNsPerSecond;  // 2100-01-01T00:00:00Z

}  // namespace ksched
