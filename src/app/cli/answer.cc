#include "app/cli/answer.h"

#include <chrono>
#include <set>
#include <utility>

#include "app/cli/commands.h"
#include "base/cpu_time.h"
#include "config/load.h"
#include "report/structure.h"
#include "report/table.h"
#include "simulate/simulate.h"

namespace ksched::cli {
namespace {

std::string Join(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ", ") + text;
  return joined;
}

void Render(const SchedulingReport& report, const SimulateOptions& options, const std::string& ns, Streams& streams) {
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
  table.ns = ns;
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

// Whether the run can begin; says what is wrong, and what a user should know.
int Judge(const LoadedInput& loaded, Streams& streams) {
  PrintErrors(loaded.errors, streams);
  PrintErrors(loaded.cluster_errors, streams);
  if (!loaded.errors.empty()) return kExitUsage;
  if (!loaded.cluster_errors.empty()) return kExitCluster;
  for (const std::string& notice : loaded.notices) streams.err << notice << '\n';
  return kExitSuccess;
}

// Errors come in the order of the input, with those of the setup before them.
int Refuse(std::vector<std::string> errors, const LoadedInput& loaded, Streams& streams) {
  errors.insert(errors.end(), loaded.errors.begin(), loaded.errors.end());
  PrintErrors(errors, streams);
  PrintErrors(loaded.cluster_errors, streams);
  return kExitUsage;
}

}  // namespace

ResourceFeatures ResourceFeaturesOf(const config::FeatureGates& gates) {
  ResourceFeatures features;
  features.in_place_pod_vertical_scaling = gates.Enabled(config::Gate::kInPlacePodVerticalScaling);
  features.in_place_pod_level_resources_vertical_scaling =
      gates.Enabled(config::Gate::kInPlacePodLevelResourcesVerticalScaling);
  features.pod_level_resources = gates.Enabled(config::Gate::kPodLevelResources);
  return features;
}

Result<Setup> MakeSetup(const SimulateOptions& options) {
  Setup setup;
  setup.registry = MakeRegistry();
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
  for (const PluginEntry& entry : setup.registry) {
    if (!entry.create) absent.insert(entry.name);
  }
  auto dropped = config::DropAbsentPlugins(setup.configuration, absent);
  if (!dropped) return std::move(dropped).error();
  setup.absent_plugins = std::move(*dropped);
  return setup;
}

Result<Setup> MakeSetup(const std::string& config, const std::string& feature_gates) {
  SimulateOptions options;
  options.config = config;
  options.feature_gates = feature_gates;
  return MakeSetup(options);
}

Result<InputOptions> InputOf(const SimulateOptions& options) {
  InputOptions input;
  input.server_admission = options.admission == "server";
  if (!input.server_admission) {
    auto admission = AdmissionPlugins::Parse(options.admission);
    if (!admission) return std::move(admission).error().Within("--admission");
    input.admission = *admission;
  }
  input.fresh = options.fresh;
  input.now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  input.snapshots = options.snapshots;
  input.manifests = options.filenames;
  input.recursive = options.recursive;
  input.ignore_pending = options.ignore_pending;
  if (!options.connection.ns.empty()) input.ns = options.connection.ns;
  input.events = options.events;
  input.recording = options.replay;
  return input;
}

void PrintErrors(const std::vector<std::string>& errors, Streams& streams) {
  for (const std::string& error : errors) streams.err << "error: " << error << '\n';
}

int AnswerWithoutSetup(const Error& failure, const InputOptions& input, Streams& streams) {
  ClusterState state;
  return Refuse({failure.message}, LoadInput(input, state.pod_store()), streams);
}

int Answer(const SimulateOptions& options, const Setup& setup, const InputOptions& input,
           const std::function<void()>& before_run, Streams& streams) {
  ClusterState state(ResourceFeaturesOf(setup.features));
  LoadedInput loaded = LoadInput(input, state.pod_store());
  if (const int status = Judge(loaded, streams); status != kExitSuccess) return status;
  if (before_run) before_run();
  if (!setup.absent_plugins.empty()) {
    streams.err << "not in this version, so the run goes without: " << Join(setup.absent_plugins) << '\n';
  }
  SimulationStats stats;
  const SimulationOptions simulation{setup.configuration, setup.features, setup.registry, options.explain,
                                     options.use_cache};
  auto report = ksched::Simulate(state, std::move(loaded.input), simulation, &stats);
  if (!report) {
    PrintErrors({report.error().message}, streams);
    return kExitUsage;
  }
  report->absent_plugins = setup.absent_plugins;
  const double start = CpuSeconds();
  Render(*report, options, input.ns, streams);
  if (options.stats) PrintStats(loaded, stats, CpuSeconds() - start, streams.err);
  return AllPlaced(*report, options.ignore_other_schedulers) ? kExitSuccess : kExitNotPlaced;
}

}  // namespace ksched::cli
