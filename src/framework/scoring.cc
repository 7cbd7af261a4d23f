#include "framework/scoring.h"

#include <fmt/format.h>

namespace ksched {
namespace {

Status Failed(const Framework& framework, std::string_view what, const Status& status) {
  ReasonTable& reasons = framework.reasons();
  return {Code::kError, reasons.Intern(fmt::format("{}: {}", what, status.Message(reasons)))};
}

// The plain form: one node, every plugin in order.
Status ScoreOneNode(const Framework& framework, const CycleState& cycle, const PodInfo& pod, NodeId node, size_t column,
                    bool cached, ScoreTable& table) {
  size_t row = 0;
  for (const auto& scorer : framework.scorers()) {
    if (cycle.skip_score.Has(scorer.id)) continue;
    int64_t& score = table.rows()[row++].scores[column];
    if (cached && scorer.dependencies.cacheable_score) continue;  // there already
    const Status status = scorer.plugin->Score(cycle, pod, NodeView(framework.state(), node), score);
    if (!status.ok()) {
      return Failed(framework, "running Score plugins", framework.ErrorStatus("plugin", scorer.id, " failed with", status));
    }
  }
  return {};
}

// Copies the cached raw scores of all nodes into their rows. False if some plugin failed for some node.
bool CopyCached(const Framework& framework, ClassCache& cache, ClassCache::Entry& entry, const CycleState& cycle,
                const PodInfo& pod, std::span<const NodeId> nodes, ScoreTable& table) {
  struct Column {
    size_t from;     // among the cacheable scorers
    int64_t* to;
  };
  boost::container::small_vector<Column, 16> columns;
  size_t row = 0, cacheable = 0;
  for (const auto& scorer : framework.scorers()) {
    const bool skipped = cycle.skip_score.Has(scorer.id);
    if (scorer.dependencies.cacheable_score) {
      if (!skipped) columns.push_back({cacheable, table.rows()[row].scores.data()});
      ++cacheable;
    }
    if (!skipped) ++row;
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    const int64_t* raw = cache.RawScores(entry, cycle, pod, nodes[i]);
    if (raw == nullptr) return false;
    for (const Column& column : columns) column.to[i] = raw[column.from];
  }
  return true;
}

// Normalises and weights one row and adds it to the totals.
Status FinishRow(const Framework& framework, const PluginAt<const ScorePlugin>& scorer, const CycleState& cycle,
                 const PodInfo& pod, std::vector<int64_t>& scores, std::vector<int64_t>& totals) {
  if (scorer.plugin->normalizes()) {
    const Status status = scorer.plugin->NormalizeScore(cycle, pod, scores);
    if (!status.ok()) {
      return Failed(framework, "running Normalize on Score plugins",
                    framework.ErrorStatus("plugin", scorer.id, " failed with", status));
    }
  }
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] < 0 || scores[i] > kMaxNodeScore) {
      const std::string text = fmt::format(
          "applying score defaultWeights on Score plugins: plugin \"{}\" returns an invalid score {}, it should in the "
          "range of [0, {}] after normalizing",
          framework.plugin_name(scorer.id), scores[i], kMaxNodeScore);
      return {Code::kError, framework.reasons().Intern(text)};
    }
    scores[i] *= scorer.weight;
    totals[i] += scores[i];
  }
  return {};
}

}  // namespace

Status ScoreNodes(const Framework& framework, ClassCache* cache, ClassCache::Entry* entry, const CycleState& cycle,
                  const PodInfo& pod, std::span<const NodeId> nodes, ScoreTable& table) {
  table.Start(nodes.size());
  bool all_cacheable = true;
  for (const auto& scorer : framework.scorers()) {
    if (cycle.skip_score.Has(scorer.id)) continue;
    table.AddRow(scorer.id);
    all_cacheable &= scorer.dependencies.cacheable_score;
  }
  bool cached = false;
  if (cache != nullptr) {
    cache->StartScoring(*entry, cycle);
    cached = CopyCached(framework, *cache, *entry, cycle, pod, nodes, table);
  }
  if (!cached || !all_cacheable) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      Status status = ScoreOneNode(framework, cycle, pod, nodes[i], i, cached, table);
      if (!status.ok()) return status;
    }
  }
  size_t row = 0;
  for (const auto& scorer : framework.scorers()) {
    if (cycle.skip_score.Has(scorer.id)) continue;
    Status status = FinishRow(framework, scorer, cycle, pod, table.rows()[row++].scores, table.totals());
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace ksched
