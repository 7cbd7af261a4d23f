// Simulate: the scheduler on a virtual clock with in-memory ports, run until nothing happens any more. docs/report.md
// says exactly how a run goes.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "config/feature_gates.h"
#include "config/types.h"
#include "framework/class_cache.h"
#include "framework/registry.h"
#include "manifest/cluster_input.h"
#include "report/report.h"
#include "state/cluster_state.h"

namespace ksched {

struct SimulationOptions {
  const config::SchedulerConfiguration& configuration;
  const config::FeatureGates& features;
  const PluginRegistry& registry;
  bool explain = false;   // the report has every cycle
  bool use_cache = true;  // false: the plain form of every plugin, for every node of every cycle
};

// What a run cost. CPU seconds of all threads.
struct SimulationStats {
  double setup_cpu_seconds = 0;   // nodes and pods into the state and the queue
  double cycles_cpu_seconds = 0;  // the run, without making the report
  uint64_t cycles = 0, nodes_evaluated = 0;
  CacheCounters cache;
};

// Runs on `state`, whose PodStore holds the input's pods. Errors: a configuration that cannot be built, or an event
// that contradicts the run.
Result<SchedulingReport> Simulate(ClusterState& state, ClusterInput input, const SimulationOptions& options,
                                  SimulationStats* stats = nullptr);

}  // namespace ksched
