#include "report/structure.h"

namespace ksched {
namespace {

// Fields of one object; those whose name ends in IfAny are left out when empty.
class Fields {
 public:
  explicit Fields(Emitter& emitter) : emitter_(emitter) { emitter_.BeginObject(); }
  ~Fields() { emitter_.EndObject(); }
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  void String(std::string_view key, std::string_view value) {
    emitter_.Key(key);
    emitter_.String(value);
  }
  void StringIfAny(std::string_view key, std::string_view value) {
    if (!value.empty()) String(key, value);
  }
  void Int(std::string_view key, int64_t value) {
    emitter_.Key(key);
    emitter_.Int(value);
  }
  void Strings(std::string_view key, const std::vector<std::string>& values) {
    List(key, values, [&](const std::string& value) { emitter_.String(value); });
  }
  void StringsIfAny(std::string_view key, const std::vector<std::string>& values) {
    if (!values.empty()) Strings(key, values);
  }
  template <typename T, typename F>
  void List(std::string_view key, const std::vector<T>& values, F emit_one) {
    emitter_.Key(key);
    emitter_.BeginArray();
    for (const T& value : values) emit_one(value);
    emitter_.EndArray();
  }

 private:
  Emitter& emitter_;
};

void EmitSummary(const ReportSummary& summary, Emitter& emitter) {
  Fields fields(emitter);
  fields.Int("pods", summary.pods);
  fields.Int("scheduled", summary.scheduled);
  fields.Int("nominated", summary.nominated);
  fields.Int("unschedulable", summary.unschedulable);
  fields.Int("gated", summary.gated);
  fields.Int("errors", summary.errors);
  if (summary.deleted != 0) fields.Int("deleted", summary.deleted);
}

void EmitOutcome(const PodOutcome& pod, Emitter& emitter) {
  Fields fields(emitter);
  fields.String("namespace", pod.ns);
  fields.String("name", pod.name);
  fields.String("schedulerName", pod.scheduler_name);
  fields.Int("priority", pod.priority);
  fields.String("result", pod.result);
  fields.StringIfAny("node", pod.node);
  fields.Int("attempts", pod.attempts);
  fields.StringIfAny("message", pod.message);
  fields.StringsIfAny("victims", pod.victims);
}

void EmitNode(const NodeReport& node, Emitter& emitter) {
  Fields fields(emitter);
  fields.String("name", node.name);
  fields.String("code", node.code);
  fields.StringIfAny("plugin", node.plugin);
  fields.StringsIfAny("reasons", node.reasons);
  if (!node.scores.empty()) {
    emitter.Key("scores");
    Fields scores(emitter);
    for (const auto& [plugin, score] : node.scores) scores.Int(plugin, score);
  }
  if (node.total) fields.Int("total", *node.total);
}

void EmitPreFilter(const PreFilterReport& pre_filter, Emitter& emitter) {
  Fields fields(emitter);
  fields.StringIfAny("plugin", pre_filter.plugin);
  fields.String("code", pre_filter.code);
  fields.StringsIfAny("reasons", pre_filter.reasons);
}

void EmitPreemption(const PreemptionReport& preemption, Emitter& emitter) {
  Fields fields(emitter);
  fields.StringIfAny("message", preemption.message);
  fields.StringIfAny("nominatedNode", preemption.nominated_node);
  if (!preemption.victims.empty()) {
    fields.List("victims", preemption.victims, [&](const auto& victim) {
      Fields one(emitter);
      one.String("pod", victim.first);
      one.Int("priority", victim.second);
    });
  }
  if (!preemption.candidates.empty()) {
    fields.List("candidates", preemption.candidates, [&](const CandidateReport& candidate) {
      Fields one(emitter);
      one.String("node", candidate.node);
      one.Strings("victims", candidate.victims);
      one.Int("pdbViolations", candidate.pdb_violations);
    });
  }
}

void EmitCycle(const CycleReport& cycle, Emitter& emitter) {
  Fields fields(emitter);
  fields.String("pod", cycle.pod);
  fields.Int("attempt", cycle.attempt);
  fields.Int("atMs", cycle.at_ms);
  fields.String("result", cycle.result);
  fields.StringIfAny("node", cycle.node);
  fields.StringIfAny("message", cycle.message);
  fields.StringsIfAny("unschedulablePlugins", cycle.unschedulable_plugins);
  fields.StringsIfAny("pendingPlugins", cycle.pending_plugins);
  fields.Int("evaluated", cycle.evaluated);
  fields.Int("feasible", cycle.feasible);
  if (cycle.pre_filter) {
    emitter.Key("preFilter");
    EmitPreFilter(*cycle.pre_filter, emitter);
  }
  fields.List("nodes", cycle.nodes, [&](const NodeReport& node) { EmitNode(node, emitter); });
  fields.StringsIfAny("tied", cycle.tied);
  if (cycle.preemption) {
    emitter.Key("preemption");
    EmitPreemption(*cycle.preemption, emitter);
  }
}

void EmitWorkload(const WorkloadReport& workload, Emitter& emitter) {
  Fields fields(emitter);
  fields.String("workload", workload.workload);
  fields.String("change", workload.change);
  fields.StringIfAny("changedField", workload.changed_field);
  fields.Int("desired", workload.desired);
  fields.Int("updated", workload.updated);
  fields.Int("ready", workload.ready);
  fields.Int("old", workload.old);
  emitter.Key("complete");
  emitter.Bool(workload.complete);
  fields.StringIfAny("waitingFor", workload.waiting_for);
  if (workload.steps.empty()) return;
  fields.List("steps", workload.steps, [&](const WorkloadStep& step) {
    Fields one(emitter);
    one.Int("atMs", step.at_ms);
    one.StringsIfAny("created", step.created);
    one.StringsIfAny("removed", step.removed);
  });
}

// What goes beyond the format that is shared with the oracle.
void EmitOwn(const SchedulingReport& report, Emitter& emitter) {
  if (report.other_schedulers.empty() && report.absent_plugins.empty() && report.rejected.empty() &&
      report.workloads.empty()) {
    return;
  }
  emitter.Key("ksched");
  Fields fields(emitter);
  if (!report.other_schedulers.empty()) {
    fields.List("otherSchedulers", report.other_schedulers, [&](const OtherSchedulerPod& pod) {
      Fields one(emitter);
      one.String("namespace", pod.ns);
      one.String("name", pod.name);
      one.String("schedulerName", pod.scheduler_name);
    });
  }
  if (!report.rejected.empty()) {
    fields.List("rejected", report.rejected, [&](const RejectedPod& pod) {
      Fields one(emitter);
      one.String("namespace", pod.ns);
      one.String("name", pod.name);
      one.StringIfAny("source", pod.source);
      one.String("message", pod.message);
    });
  }
  if (!report.workloads.empty()) {
    fields.List("workloads", report.workloads, [&](const WorkloadReport& one) { EmitWorkload(one, emitter); });
  }
  fields.StringsIfAny("absentPlugins", report.absent_plugins);
}

}  // namespace

void EmitReport(const SchedulingReport& report, Emitter& emitter) {
  Fields fields(emitter);
  fields.String("apiVersion", "ksched.dev/v1alpha1");
  fields.String("kind", "SchedulingReport");
  fields.String("kubeVersion", kKubeVersion);
  if (report.truncated) {
    emitter.Key("truncated");
    emitter.Bool(true);
  }
  emitter.Key("summary");
  EmitSummary(report.summary, emitter);
  fields.List("pods", report.pods, [&](const PodOutcome& pod) { EmitOutcome(pod, emitter); });
  if (!report.cycles.empty()) {
    fields.List("cycles", report.cycles, [&](const CycleReport& cycle) { EmitCycle(cycle, emitter); });
  }
  EmitOwn(report, emitter);
}

void WriteJson(const SchedulingReport& report, std::ostream& out) {
  JsonEmitter emitter(out);
  EmitReport(report, emitter);
}

void WriteYaml(const SchedulingReport& report, std::ostream& out) {
  YamlEmitter emitter(out);
  EmitReport(report, emitter);
}

}  // namespace ksched
