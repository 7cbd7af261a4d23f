#include "report/explain.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/count_of.h"
#include "report/columns.h"

namespace ksched {
namespace {

constexpr size_t kFewNodes = 3, kFewScored = 20;

std::string Join(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ", ") + text;
  return joined;
}

bool IsFeasible(const NodeReport& node) { return node.code == "Success"; }

// "2 nodes rejected by TaintToleration: node(s) had untolerated taint(s) (n1, n2)".
void WriteRejections(const CycleReport& cycle, const ExplainOptions& options, std::ostream& out) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const NodeReport& node : cycle.nodes) {
    if (IsFeasible(node)) continue;
    std::string reason = "rejected by " + (node.plugin.empty() ? "an earlier narrowing" : node.plugin);
    if (!node.reasons.empty()) reason += ": " + Join(node.reasons);
    by_reason[reason].push_back(node.name);
  }
  for (const auto& [reason, nodes] : by_reason) {
    out << "  " << CountOf(nodes.size(), "node") << ' ' << reason << " ("
        << NameSome(nodes, options.wide ? 0 : kFewNodes) << ")\n";
  }
}

// Best first; of equals the one whose name sorts first, which is how one is chosen.
std::vector<const NodeReport*> Ranked(const CycleReport& cycle) {
  std::vector<const NodeReport*> ranked;
  for (const NodeReport& node : cycle.nodes) {
    if (IsFeasible(node)) ranked.push_back(&node);
  }
  std::ranges::stable_sort(
      ranked, [](const NodeReport* a, const NodeReport* b) { return a->total.value_or(0) > b->total.value_or(0); });
  return ranked;
}

std::vector<std::string> ScoringPlugins(const std::vector<const NodeReport*>& nodes) {
  std::set<std::string> names;
  for (const NodeReport* node : nodes) {
    for (const auto& [plugin, score] : node->scores) names.insert(plugin);
  }
  return {names.begin(), names.end()};
}

std::string ScoreOf(const NodeReport& node, const std::string& plugin) {
  const auto found = std::ranges::find(node.scores, plugin, [](const auto& score) { return score.first; });
  return found == node.scores.end() ? "-" : std::to_string(found->second);
}

void WriteScores(const CycleReport& cycle, const ExplainOptions& options, std::ostream& out) {
  const std::vector<const NodeReport*> nodes = Ranked(cycle);
  if (nodes.empty()) return;
  const std::vector<std::string> plugins = ScoringPlugins(nodes);
  std::vector<std::string> header = {"NODE"};
  std::vector<bool> right = {false};
  for (const std::string& plugin : plugins) header.push_back(plugin), right.push_back(true);
  header.emplace_back("TOTAL"), right.push_back(true);
  header.emplace_back(""), right.push_back(false);
  Columns columns(std::move(header), std::move(right));
  const size_t shown = options.wide ? nodes.size() : std::min(nodes.size(), kFewScored);
  for (size_t i = 0; i < shown; ++i) {
    const NodeReport& node = *nodes[i];
    std::vector<Cell> row = {{node.name}};
    for (const std::string& plugin : plugins) row.push_back({ScoreOf(node, plugin)});
    row.push_back({node.total ? std::to_string(*node.total) : ""});
    if (node.name == cycle.node) row.push_back({"<- chosen", Colour::kGreen});
    columns.Add(std::move(row));
  }
  columns.Write(out, options.colour, "  ");
  if (shown < nodes.size()) out << "  and " << nodes.size() - shown << " more feasible nodes (-o wide shows them)\n";
  if (plugins.empty()) out << "  the only feasible node is not scored\n";
}

}  // namespace

std::string NameSome(const std::vector<std::string>& names, size_t limit) {
  const size_t shown = limit == 0 || names.size() <= limit ? names.size() : limit;
  std::string text;
  for (size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (shown < names.size()) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

void WriteExplanation(const PodOutcome& pod, const CycleReport* cycle, const ExplainOptions& options,
                      std::ostream& out) {
  out << pod.ns << '/' << pod.name << ": " << pod.result;
  if (!pod.node.empty()) out << " on " << pod.node;
  out << '\n';
  if (cycle == nullptr) {
    out << "  no scheduling cycle" << (pod.message.empty() ? "" : ": ") << pod.message << '\n';
    return;
  }
  out << "  attempt " << cycle->attempt << " at " << cycle->at_ms
      << " ms: " << CountOf(static_cast<size_t>(cycle->evaluated), "node") << " evaluated, " << cycle->feasible
      << " feasible\n";
  WriteScores(*cycle, options, out);
  if (cycle->pre_filter) {
    out << "  every node rejected by " << cycle->pre_filter->plugin << ": " << Join(cycle->pre_filter->reasons) << '\n';
  }
  WriteRejections(*cycle, options, out);
  if (cycle->result == "Error") out << "  error: " << cycle->message << '\n';
  if (cycle->preemption && !cycle->preemption->message.empty()) {
    out << "  preemption: " << cycle->preemption->message << '\n';
  }
}

}  // namespace ksched
