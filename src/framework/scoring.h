// Scoring: raw scores of every Score plugin, normalised, weighted and summed.
// Reference: RunScorePlugins in pkg/scheduler/framework/runtime/framework.go, v1.37.2.
#pragma once

#include <span>

#include "framework/class_cache.h"
#include "framework/framework.h"
#include "framework/score_table.h"

namespace ksched {

// Fills the table with weighted scores of `nodes` and their totals. PreScore has run. With a cache and the pod's entry in it, raw
// scores of cacheable plugins come from there. Errors are those of the first node and plugin that failed.
Status ScoreNodes(const Framework& framework, ClassCache* cache, ClassCache::Entry* entry, const CycleState& cycle,
                  const PodInfo& pod, std::span<const NodeId> nodes, ScoreTable& table);

}  // namespace ksched
