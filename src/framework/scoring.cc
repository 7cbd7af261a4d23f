#include "framework/scoring.h"

#include <fmt/format.h>

namespace ksched {
namespace {

Status Failed(const Framework& framework, std::string_view what, const Status& status) {
  ReasonTable& reasons = framework.reasons();
  return {Code::kError, reasons.Intern(fmt::format("{}: {}", what, status.Message(reasons)))};
}

bool FromCache(const ScoringRequest& request, const PluginAt<const ScorePlugin>& scorer) {
  return request.cache != nullptr && scorer.dependencies.cacheable_score;
}

// Whether the plugin's part of the totals is in the cache already, weighted.
bool IsFixed(const ScoringRequest& request, const PluginAt<const ScorePlugin>& scorer) {
  return FromCache(request, scorer) && !scorer.plugin->normalizes();
}

// Nothing comes of it: it says 0 about every node, and nobody asks for its row.
bool AddsNothing(const ScoringRequest& request, PluginId id) {
  return request.cycle.skip_score.Has(id) || (!request.every_row && request.cycle.zero_score.Has(id));
}

// One row for each plugin that has to be seen by itself.
void AddRows(const ScoringRequest& request, ScoreTable& table) {
  for (const auto& scorer : request.framework.scorers()) {
    if (AddsNothing(request, scorer.id)) continue;
    if (request.every_row || !IsFixed(request, scorer)) table.AddRow(scorer.id);
  }
}

void Gather(std::span<const int64_t> by_node, std::span<const NodeId> nodes, std::vector<int64_t>& to) {
  const int64_t* from = by_node.data();
  int64_t* out = to.data();
  for (const NodeId node : nodes) *out++ = from[node];
}

// Totals of what is fixed, and raw scores, of all nodes. False if some plugin failed for some node.
bool CopyCached(const ScoringRequest& request, std::span<const NodeId> nodes, ScoreTable& table) {
  if (!request.cache->EnsureScores(*request.entry, request.cycle, request.pod, nodes)) return false;
  Gather(request.entry->scores(0), nodes, table.totals());
  size_t row = 0, column = 0;
  for (const auto& scorer : request.framework.scorers()) {
    if (scorer.dependencies.cacheable_score) ++column;
    if (row == table.rows().size() || table.rows()[row].plugin != scorer.id) continue;
    if (FromCache(request, scorer)) Gather(request.entry->scores(column), nodes, table.rows()[row].scores);
    ++row;
  }
  return true;
}

// The plain form: one node, every plugin in order that the cache has not answered for.
Status ScoreOneNode(const ScoringRequest& request, NodeId node, size_t column, ScoreTable& table) {
  size_t row = 0;
  for (const auto& scorer : request.framework.scorers()) {
    if (row == table.rows().size() || table.rows()[row].plugin != scorer.id) continue;
    int64_t& score = table.rows()[row++].scores[column];
    if (FromCache(request, scorer)) continue;
    score = 0;
    const Status status =
        scorer.plugin->Score(request.cycle, request.pod, NodeView(request.framework.state(), node), score);
    if (!status.ok()) {
      return Failed(request.framework, "running Score plugins",
                    request.framework.ErrorStatus("plugin", scorer.id, " failed with", status));
    }
  }
  return {};
}

Status OutOfRange(const Framework& framework, PluginId plugin, int64_t score) {
  const std::string text = fmt::format(
      "applying score defaultWeights on Score plugins: plugin \"{}\" returns an invalid score {}, it should in the "
      "range of [0, {}] after normalizing",
      framework.plugin_name(plugin), score, kMaxNodeScore);
  return {Code::kError, framework.reasons().Intern(text)};
}

// Normalises and weights one row and adds it to the totals, unless they have it already.
Status FinishRow(const ScoringRequest& request, const PluginAt<const ScorePlugin>& scorer, std::vector<int64_t>& scores,
                 std::vector<int64_t>& totals) {
  if (scorer.plugin->normalizes()) {
    const Status status = scorer.plugin->NormalizeScore(request.cycle, request.pod, scores);
    if (!status.ok()) {
      return Failed(request.framework, "running Normalize on Score plugins",
                    request.framework.ErrorStatus("plugin", scorer.id, " failed with", status));
    }
  }
  for (const int64_t score : scores) {
    if (static_cast<uint64_t>(score) > kMaxNodeScore) return OutOfRange(request.framework, scorer.id, score);
  }
  const int64_t weight = scorer.weight;
  for (int64_t& score : scores) score *= weight;
  if (IsFixed(request, scorer)) return {};  // the totals have it already
  int64_t* total = totals.data();
  for (const int64_t score : scores) *total++ += score;
  return {};
}

// Everything that is not in the cache; without a cache, everything.
Status ScoreUncached(const ScoringRequest& request, std::span<const NodeId> nodes, ScoreTable& table) {
  bool any = false;
  for (const auto& scorer : request.framework.scorers()) {
    any |= !AddsNothing(request, scorer.id) && !FromCache(request, scorer);
  }
  for (size_t i = 0; any && i < nodes.size(); ++i) {
    Status status = ScoreOneNode(request, nodes[i], i, table);
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace

Status ScoreNodes(const ScoringRequest& request, std::span<const NodeId> nodes, ScoreTable& table) {
  table.Start(nodes.size());
  AddRows(request, table);
  if (request.cache != nullptr) {
    if (!CopyCached(request, nodes, table)) {
      // Which plugin failed first, and how, is for the plain form to say.
      return ScoreNodes({request.framework, nullptr, nullptr, request.cycle, request.pod, request.every_row}, nodes,
                        table);
    }
  }
  Status status = ScoreUncached(request, nodes, table);
  if (!status.ok()) return status;
  size_t row = 0;
  for (const auto& scorer : request.framework.scorers()) {
    if (row == table.rows().size() || table.rows()[row].plugin != scorer.id) continue;
    status = FinishRow(request, scorer, table.rows()[row++].scores, table.totals());
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace ksched
