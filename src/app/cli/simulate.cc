#include "simulate/simulate.h"

#include <set>
#include <utility>

#include "app/cli/commands.h"
#include "base/cpu_time.h"
#include "config/load.h"
#include "manifest/loader.h"
#include "plugins/registry.h"
#include "report/structure.h"
#include "report/table.h"

namespace ksched::cli {
namespace {

// How pods are scheduled, out of flags and files.
struct Setup {
  config::FeatureGates features;
  config::SchedulerConfiguration configuration;
  std::vector<std::string> absent_plugins;  // that the default profile has and this version has not
};

Result<Setup> MakeSetup(const SimulateOptions& options, const PluginRegistry& registry) {
  Setup setup;
  auto features = config::FeatureGates::Parse(options.feature_gates);
  if (!features) return std::move(features).error().Within("--feature-gates");
  if (("," + options.feature_gates + ",").find(",SchedulerAsyncPreemption=true,") != std::string::npos) {
    return Error{"--feature-gates: SchedulerAsyncPreemption: preemption is always synchronous in a simulation"};
  }
  setup.features = *features;
  auto configuration = config::LoadConfiguration(options.config, setup.features);
  if (!configuration) return std::move(configuration).error();
  setup.configuration = std::move(*configuration);
  if (options.percentage_of_nodes_to_score) {
    auto done = config::OverridePercentageOfNodesToScore(setup.configuration, *options.percentage_of_nodes_to_score);
    if (!done) return std::move(done).error();
  }
  std::set<std::string> absent;
  for (const PluginEntry& entry : registry) {
    if (!entry.create) absent.insert(entry.name);
  }
  auto dropped = config::DropAbsentPlugins(setup.configuration, absent);
  if (!dropped) return std::move(dropped).error();
  setup.absent_plugins = std::move(*dropped);
  return setup;
}

ResourceFeatures ResourceFeaturesOf(const config::FeatureGates& gates) {
  ResourceFeatures features;
  features.in_place_pod_vertical_scaling = gates.Enabled(config::Gate::kInPlacePodVerticalScaling);
  features.in_place_pod_level_resources_vertical_scaling =
      gates.Enabled(config::Gate::kInPlacePodLevelResourcesVerticalScaling);
  features.pod_level_resources = gates.Enabled(config::Gate::kPodLevelResources);
  return features;
}

InputOptions InputOf(const SimulateOptions& options) {
  InputOptions input;
  input.snapshots = options.snapshots;
  input.manifests = options.filenames;
  input.recursive = options.recursive;
  input.ignore_pending = options.ignore_pending;
  input.ns = options.ns;
  input.events = options.events;
  return input;
}

void PrintErrors(const std::vector<std::string>& errors, Streams& streams) {
  for (const std::string& error : errors) streams.err << "error: " << error << '\n';
}

std::string Join(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ", ") + text;
  return joined;
}

void Render(const SchedulingReport& report, const SimulateOptions& options, Streams& streams) {
  switch (options.output) {
    case OutputFormat::kJson:
      return WriteJson(report, streams.out);
    case OutputFormat::kYaml:
      return WriteYaml(report, streams.out);
    case OutputFormat::kName:
      return WriteNames(report, streams.out);
    case OutputFormat::kTable:
    case OutputFormat::kWide:
      break;
  }
  TableOptions table;
  table.wide = options.output == OutputFormat::kWide;
  table.explain = options.explain;
  table.colour = streams.colour;
  table.ns = options.ns;
  WriteTable(report, table, streams.out);
}

// One line: CPU seconds and counts of each phase.
void PrintStats(const LoadedInput& loaded, const SimulationStats& stats, double report_cpu_seconds, std::ostream& err) {
  err << "{\"read\":{\"cpuSeconds\":" << loaded.read_cpu_seconds
      << "},\"decode\":{\"cpuSeconds\":" << loaded.decode_cpu_seconds << ",\"objects\":" << loaded.documents
      << "},\"setup\":{\"cpuSeconds\":" << stats.setup_cpu_seconds
      << "},\"cycles\":{\"cpuSeconds\":" << stats.cycles_cpu_seconds << ",\"count\":" << stats.cycles
      << ",\"nodesEvaluated\":" << stats.nodes_evaluated << ",\"filtersComputed\":" << stats.cache.filters_computed
      << ",\"scoresComputed\":" << stats.cache.scores_computed << "},\"report\":{\"cpuSeconds\":" << report_cpu_seconds
      << "}}\n";
}

}  // namespace

int Simulate(const SimulateOptions& options, Streams& streams) {
  const PluginRegistry registry = MakeRegistry();
  auto setup = MakeSetup(options, registry);
  ClusterState state(setup.ok() ? ResourceFeaturesOf(setup->features) : ResourceFeatures());
  LoadedInput loaded = LoadInput(InputOf(options), state.pod_store());
  if (!setup) loaded.errors.insert(loaded.errors.begin(), setup.error().message);
  if (!loaded.errors.empty()) {
    PrintErrors(loaded.errors, streams);
    return kExitUsage;
  }
  for (const std::string& notice : loaded.notices) streams.err << notice << '\n';
  if (!setup->absent_plugins.empty()) {
    streams.err << "not in this version, so the run goes without: " << Join(setup->absent_plugins) << '\n';
  }

  SimulationStats stats;
  const SimulationOptions simulation{setup->configuration, setup->features, registry, options.explain,
                                     options.use_cache};
  auto report = ksched::Simulate(state, std::move(loaded.input), simulation, &stats);
  if (!report) {
    PrintErrors({report.error().message}, streams);
    return kExitUsage;
  }
  report->absent_plugins = setup->absent_plugins;
  const double start = CpuSeconds();
  Render(*report, options, streams);
  if (options.stats) PrintStats(loaded, stats, CpuSeconds() - start, streams.err);
  return AllPlaced(*report, options.ignore_other_schedulers) ? kExitSuccess : kExitNotPlaced;
}

}  // namespace ksched::cli
