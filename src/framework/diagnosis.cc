#include "framework/diagnosis.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace ksched {

void Diagnosis::Start(uint32_t nodes) {
  num_all_nodes = nodes;
  rejected.clear();
  absent.reset();
  unschedulable_plugins.Clear();
  pending_plugins.Clear();
  pre_filter_message.clear();
  post_filter_message.clear();
}

void Diagnosis::AddPluginStatus(const Status& status) {
  if (status.plugin() == kNoPlugin) return;
  if (status.IsRejected()) unschedulable_plugins.Insert(status.plugin());
  if (status.code() == Code::kPending) pending_plugins.Insert(status.plugin());
}

void Diagnosis::CollectPlugins(const VerdictTable& verdicts) {
  VerdictId last = kUnknownVerdict;  // neighbours often agree
  for (const CheckedNode& node : rejected) {
    if (node.verdict == last) continue;
    last = node.verdict;
    AddPluginStatus(verdicts.Get(last));
  }
}

std::string Diagnosis::Message(const VerdictTable& verdicts, const ReasonTable& reasons) const {
  std::string message = fmt::format("0/{} nodes are available:", num_all_nodes);
  if (!pre_filter_message.empty()) {
    message += " " + pre_filter_message + ".";
  } else {
    const std::string counted = ReasonsByCount(verdicts, reasons);
    if (!counted.empty()) message += " " + counted + ".";
  }
  if (!post_filter_message.empty()) message += " " + post_filter_message;
  return message;
}

std::string Diagnosis::ReasonsByCount(const VerdictTable& verdicts, const ReasonTable& reasons) const {
  std::vector<uint32_t> by_verdict(verdicts.size(), 0);
  for (const CheckedNode& node : rejected) ++by_verdict[node.verdict];
  std::map<ReasonId, uint32_t> by_reason;
  for (VerdictId verdict = 0; verdict < by_verdict.size(); ++verdict) {
    if (by_verdict[verdict] == 0) continue;
    for (const ReasonId reason : verdicts.Get(verdict).reasons()) by_reason[reason] += by_verdict[verdict];
  }
  const auto others = num_all_nodes - static_cast<uint32_t>(rejected.size());
  if (absent && rejected.size() < num_all_nodes) {
    for (const ReasonId reason : absent->reasons()) by_reason[reason] += others;
  }
  std::vector<std::string> texts;
  texts.reserve(by_reason.size());
  for (const auto& [reason, count] : by_reason) texts.push_back(fmt::format("{} {}", count, reasons.Text(reason)));
  std::sort(texts.begin(), texts.end());
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace ksched
