#include "simulate/cycle_report.h"

#include <algorithm>

namespace ksched {
namespace {

class Builder {
 public:
  Builder(const Scheduler& scheduler, const ClusterState& state)
      : record_(scheduler.record()), reasons_(scheduler.reasons()), verdicts_(scheduler.verdicts()), state_(state) {}

  CycleReport Build() {
    const PodInfo& pod = state_.pod_store().Get(record_.pod);
    out_.pod = pod.Key();
    out_.attempt = static_cast<int>(record_.attempts);
    out_.at_ms = record_.start / kNsPerMs;
    out_.message = record_.message;
    out_.unschedulable_plugins = Names(record_.unschedulable_plugins);
    out_.pending_plugins = Names(record_.pending_plugins);
    AddResult();
    AddNodes();
    AddTied();
    return std::move(out_);
  }

 private:
  void AddResult() {
    switch (record_.result) {
      case CycleResult::kBinding:  // what comes of that is not known yet; in a simulation it is one step
      case CycleResult::kScheduled:
        out_.result = "Scheduled";
        break;
      case CycleResult::kUnschedulable:
        out_.result = "Unschedulable";
        break;
      case CycleResult::kError:
        out_.result = "Error";
        break;
    }
    if (PlacesPod()) out_.node = state_.node_name(record_.node);
    if (record_.result == CycleResult::kUnschedulable && !record_.nominated_node.empty()) {
      out_.result = "Nominated";
      out_.node = record_.nominated_node;
    }
    if (record_.found_node || record_.result == CycleResult::kUnschedulable) {
      out_.evaluated = record_.evaluated;
      out_.feasible = record_.feasible;
    }
    if (record_.post_filter_ran) {
      out_.preemption.emplace();
      out_.preemption->message = record_.diagnosis.post_filter_message;
      out_.preemption->nominated_node = record_.nominated_node;
      AddVictims(*out_.preemption);
    }
  }

  bool PlacesPod() const {
    return record_.result == CycleResult::kScheduled || record_.result == CycleResult::kBinding;
  }

  void AddVictims(PreemptionReport& preemption) const {
    const PodStore& pods = state_.pod_store();
    for (const PodId id : record_.victims) {
      preemption.victims.emplace_back(pods.Get(id).Key(), pods.Get(id).priority());
    }
    for (const PreemptionCandidate& found : record_.candidates) {
      CandidateReport& candidate = preemption.candidates.emplace_back();
      candidate.node = state_.node_name(found.node);
      candidate.pdb_violations = found.pdb_violations;
      for (const PodId id : found.victims) candidate.victims.push_back(pods.Get(id).Key());
    }
    std::sort(preemption.candidates.begin(), preemption.candidates.end(),
              [](const auto& a, const auto& b) { return a.node < b.node; });
  }

  void AddNodes() {
    const Status& pre_filter = record_.pre_filter.status;
    if (!pre_filter.ok()) {
      out_.pre_filter =
          PreFilterReport{NameOf(pre_filter.plugin()), std::string(CodeName(pre_filter.code())), Reasons(pre_filter)};
      return;
    }
    if (record_.framework->has_filters()) AddFeasibleNodes();
    for (const CheckedNode& node : record_.diagnosis.rejected) {
      out_.nodes.push_back(NodeWith(node.node, verdicts_.Get(node.verdict)));
    }
    const bool no_node = !record_.found_node && record_.result == CycleResult::kUnschedulable;
    if (no_node && record_.diagnosis.absent) AddAbsentNodes();
    std::sort(out_.nodes.begin(), out_.nodes.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  }

  void AddFeasibleNodes() {
    for (size_t i = 0; i < record_.feasible_nodes.size(); ++i) {
      NodeReport& node = out_.nodes.emplace_back(NodeWith(record_.feasible_nodes[i], Status()));
      if (!record_.scored) continue;
      for (const ScoreTable::Row& row : record_.scores.rows()) {
        node.scores.emplace_back(NameOf(row.plugin), row.scores[i]);
      }
      std::sort(node.scores.begin(), node.scores.end());
      node.total = record_.scores.totals()[i];
    }
  }

  // Nodes that PreFilter left out.
  void AddAbsentNodes() {
    std::vector<bool> looked_at(state_.node_capacity(), false);
    for (const CheckedNode& node : record_.diagnosis.rejected) looked_at[node.node] = true;
    for (const NodeId node : state_.order()) {
      if (!looked_at[node]) out_.nodes.push_back(NodeWith(node, *record_.diagnosis.absent));
    }
  }

  void AddTied() {
    if (!PlacesPod()) return;
    const std::vector<int64_t>& totals = record_.scores.totals();
    const int64_t best = record_.scored ? *std::max_element(totals.begin(), totals.end()) : 0;
    for (size_t i = 0; i < record_.feasible_nodes.size(); ++i) {
      if (record_.scored && (!record_.framework->has_filters() || totals[i] != best)) continue;
      out_.tied.push_back(state_.node_name(record_.feasible_nodes[i]));
    }
    std::sort(out_.tied.begin(), out_.tied.end());
  }

  NodeReport NodeWith(NodeId node, const Status& status) const {
    NodeReport report;
    report.name = state_.node_name(node);
    report.code = CodeName(status.code());
    if (status.ok()) return report;
    report.plugin = NameOf(status.plugin());
    report.reasons = Reasons(status);
    return report;
  }

  std::vector<std::string> Reasons(const Status& status) const {
    std::vector<std::string> texts;
    for (const ReasonId reason : status.reasons()) texts.emplace_back(reasons_.Text(reason));
    return texts;
  }

  std::string NameOf(PluginId plugin) const {
    return plugin == kNoPlugin ? std::string() : std::string(record_.framework->plugin_name(plugin));
  }

  std::vector<std::string> Names(PluginSet plugins) const {
    std::vector<std::string> names;
    plugins.ForEach([&](PluginId plugin) { names.push_back(NameOf(plugin)); });
    std::sort(names.begin(), names.end());
    return names;
  }

  const CycleRecord& record_;
  const ReasonTable& reasons_;
  const VerdictTable& verdicts_;
  const ClusterState& state_;
  CycleReport out_;
};

}  // namespace

CycleReport MakeCycleReport(const Scheduler& scheduler, const ClusterState& state) {
  return Builder(scheduler, state).Build();
}

}  // namespace ksched
