#include "simulate/simulate.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/connection.h"
#include "app/cli/live_cluster.h"
#include "app/cli/progress.h"
#include "app/cli/version.h"
#include "base/cpu_time.h"
#include "base/terminal.h"
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

// Everything about the input but where a live cluster is.
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

// The input of a run: from files, or with the live cluster that the flags name.
LoadedInput Load(InputOptions& input, const SimulateOptions& options, std::optional<Connection>& connection,
                 PodStore& store, Streams& streams) {
  if (!options.live()) return LoadInput(input, store);
  const bool stdin_in_use = std::ranges::find(options.filenames, "-") != options.filenames.end() ||
                            options.config == "-" || options.events == "-";
  auto connected = Connect(options.connection, stdin_in_use);
  if (!connected) {
    LoadedInput failed;
    failed.cluster_errors.push_back(connected.error().message);
    return failed;
  }
  connection = std::move(*connected);
  input.ns = connection->ns;
  ProgressLine progress(streams.err, StderrIsTerminal());
  LiveCluster cluster(*connection->client, [&](const kube::ListProgress& now) { progress.Show(now); });
  input.cluster = &cluster;
  LoadedInput loaded = LoadInput(input, store);
  input.cluster = nullptr;
  return loaded;
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

void SayWhose(const SimulateOptions& options, const std::optional<Connection>& connection, Streams& streams) {
  if (options.verbosity == 0) return;
  PrintVersion(streams.err);
  if (connection) {
    const AssumedScheduler assumed{!options.config.empty(), options.feature_gates};
    DescribeSchedulers(*connection->client, assumed, streams.err, streams.err);
  }
}

}  // namespace

int Simulate(const SimulateOptions& options, Streams& streams) {
  const PluginRegistry registry = MakeRegistry();
  auto setup = MakeSetup(options, registry);
  auto input = InputOf(options);
  std::vector<std::string> errors;
  if (!setup) errors.push_back(setup.error().message);
  if (!input) errors.push_back(input.error().message);
  if (!input || (!setup && options.live())) {
    PrintErrors(errors, streams);
    return kExitUsage;
  }
  ClusterState state(setup.ok() ? ResourceFeaturesOf(setup->features) : ResourceFeatures());
  std::optional<Connection> connection;
  LoadedInput loaded = Load(*input, options, connection, state.pod_store(), streams);
  loaded.errors.insert(loaded.errors.begin(), errors.begin(), errors.end());
  if (const int status = Judge(loaded, streams); status != kExitSuccess) return status;
  SayWhose(options, connection, streams);
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
  Render(*report, options, input->ns, streams);
  if (options.stats) PrintStats(loaded, stats, CpuSeconds() - start, streams.err);
  return AllPlaced(*report, options.ignore_other_schedulers) ? kExitSuccess : kExitNotPlaced;
}

}  // namespace ksched::cli
