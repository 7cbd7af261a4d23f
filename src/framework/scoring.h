// Scoring: raw scores of every Score plugin, normalised, weighted and summed.
// Reference: RunScorePlugins in pkg/scheduler/framework/runtime/framework.go, v1.37.2.
#pragma once

#include <span>

#include "framework/class_cache.h"
#include "framework/framework.h"
#include "framework/score_table.h"

namespace ksched {

// What to score: one pod in its cycle. PreScore has run.
struct ScoringRequest {
  const Framework& framework;
  ClassCache*
      cache;  // with the pod's entry in it: raw scores of cacheable plugins come from there; null: the plain form
  ClassCache::Entry* entry;  // null without a cache
  const CycleState& cycle;
  const PodInfo& pod;
  bool every_row = false;  // the table gets a row for each plugin, not only those that the totals cannot do without
};

// Fills the table with weighted scores of `nodes` and their totals. Errors are those of the first node and plugin that
// failed.
Status ScoreNodes(const ScoringRequest& request, std::span<const NodeId> nodes, ScoreTable& table);

}  // namespace ksched
