// CycleRecord: everything that one scheduling cycle did, for who reports it. Its memory is used again by the next
// cycle.
#pragma once

#include <string>
#include <vector>

#include "framework/diagnosis.h"
#include "framework/score_table.h"
#include "queue/queued_pod_info.h"

namespace ksched {

// kBinding: the pod has its node, and is on its way there.
enum class CycleResult : uint8_t { kScheduled, kUnschedulable, kError, kBinding };

// What a pod's cycle came to, or the binding that followed it.
struct CycleOutcome {
  CycleResult result = CycleResult::kError;
  std::string message;  // why not; empty when scheduled
  // Nobody is to blame for the failure, so that the queue tries the pod again in any case.
  bool error_for_queue = false;
  bool nominates = false;  // the nomination changes (also to "")
  std::string nominated_node;
  PluginSet unschedulable_plugins, pending_plugins;  // of the failure

  void Clear();
};

struct CycleRecord : CycleOutcome {
  PodId pod = kNoPod;
  const Framework* framework = nullptr;
  uint32_t attempts = 0;
  TimeNs start = 0;

  bool found_node = false;  // also when a later step turned the pod down
  NodeId node = kNoNode;    // the one chosen
  uint32_t evaluated = 0, feasible = 0;
  PreFilterOutcome pre_filter;
  Diagnosis diagnosis;
  std::vector<NodeId> feasible_nodes;  // in the order of the search
  bool scored = false;                 // `scores` has a column for each feasible node
  ScoreTable scores;

  std::vector<Status> violations;  // what speaks against the only node (SchedulerOptions::only_node), all of it

  bool post_filter_ran = false;
  Status post_filter_status;
  std::vector<PodId> victims;                   // of preemption, in the order of eviction
  std::vector<PreemptionCandidate> candidates;  // in the order in which they were found

  void Start(const QueuedPodInfo& queued, const Framework* of, TimeNs now);
};

}  // namespace ksched
