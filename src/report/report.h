// SchedulingReport: what a run decided. The JSON form is docs/report.md's, shared with the oracle; `ksched` holds what
// goes beyond it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ksched {

struct PodOutcome {
  std::string ns, name, scheduler_name;
  int32_t priority = 0;
  std::string result;  // Scheduled, Nominated, Unschedulable, Gated, Error, Deleted
  std::string node;
  int attempts = 0;
  std::string message;
  std::vector<std::string> victims;  // sorted

  // Not in the report, for the table: a pod of -f, and the workload or pod it came from ("Deployment shop/web").
  bool from_manifest = false;
  std::string source;
};

struct NodeReport {
  std::string name, code, plugin;
  std::vector<std::string> reasons;
  std::vector<std::pair<std::string, int64_t>> scores;  // by plugin name, sorted; weighted
  std::optional<int64_t> total;
};

struct PreFilterReport {
  std::string plugin, code;
  std::vector<std::string> reasons;
};

struct CandidateReport {
  std::string node;
  std::vector<std::string> victims;
  int64_t pdb_violations = 0;
};

struct PreemptionReport {
  std::string message, nominated_node;
  std::vector<std::pair<std::string, int32_t>> victims;  // pod, priority; in the order of eviction
  std::vector<CandidateReport> candidates;               // sorted by node
};

struct CycleReport {
  std::string pod;
  int attempt = 0;
  int64_t at_ms = 0;
  std::string result, node, message;
  std::vector<std::string> unschedulable_plugins, pending_plugins;  // sorted
  int64_t evaluated = 0, feasible = 0;
  std::optional<PreFilterReport> pre_filter;
  std::vector<NodeReport> nodes;  // sorted by name
  std::vector<std::string> tied;  // sorted
  std::optional<PreemptionReport> preemption;
};

struct ReportSummary {
  int pods = 0, scheduled = 0, nominated = 0, unschedulable = 0, gated = 0, errors = 0, deleted = 0;
};

// A pod of the input that no profile handles.
struct OtherSchedulerPod {
  std::string ns, name, scheduler_name;
  bool from_manifest = false;
};

// A pod of the input that the API server's admission refuses: it never comes to be.
struct RejectedPod {
  std::string ns, name, source;  // source as of PodOutcome
  std::string message;           // the API server's
};

// What the controller of a workload of -f did at one moment.
struct WorkloadStep {
  int64_t at_ms = 0;
  std::vector<std::string> created, removed;  // names of pods, in the controller's order
};

// A workload of -f: how it went, and how far it came.
struct WorkloadReport {
  std::string workload;       // "Deployment shop/web"
  std::string change;         // New, Unchanged, Scaled, Rollout
  std::string changed_field;  // of a Rollout: the first field of the template that differs
  int64_t desired = 0, updated = 0, ready = 0, old = 0;
  bool complete = false;
  std::string waiting_for;  // why it is not complete
  std::vector<WorkloadStep> steps;
};

struct SchedulingReport {
  bool truncated = false;
  ReportSummary summary;
  std::vector<PodOutcome> pods;
  std::vector<CycleReport> cycles;  // only with --explain

  // Beyond the shared format: the object "ksched".
  std::vector<OtherSchedulerPod> other_schedulers;
  std::vector<RejectedPod> rejected;
  std::vector<WorkloadReport> workloads;    // of -f, in the order of the input
  std::vector<std::string> absent_plugins;  // of the reference's default profile, that this version runs without
};

}  // namespace ksched
