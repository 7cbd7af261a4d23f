#include "app/cli/options.h"

#include <algorithm>
#include <utility>

namespace ksched::cli {
namespace {

cxxopts::Options MakeSimulateOptions() {
  cxxopts::Options options("kubectl ksched simulate");
  const auto text = [] { return cxxopts::value<std::string>(); };
  const auto texts = [] { return cxxopts::value<std::vector<std::string>>(); };
  auto add = options.add_options();
  add("f,filename", "Objects to create: a file, a folder, or - for standard input. Repeatable", texts(), "PATH");
  add("R,recursive", "Read the folders below those of --filename too");
  add("snapshot",
      "In place of a cluster: a file of `kubectl ksched snapshot`, or of objects as `kubectl get -A -o yaml` prints "
      "them; .gz too. Repeatable",
      texts(), "FILE");
  add("pending",
      "Pods that wait in the cluster: `schedule` them before those of --filename (the default), or `ignore` them",
      text(), "WHAT");
  add("other-schedulers",
      "Pods of schedulers that no profile is for: `report` them as not placed (the default), or `ignore` them", text(),
      "WHAT");
  add("admission",
      "What the API server adds to objects that are created: `all` (the default), `none`, names of its admission "
      "plugins, or `server`: ask the API server by dry runs",
      text(), "MODE");
  add("fresh", "Ignore that workloads of --filename exist already: all their pods are new");
  add("config", "A KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1)", text(), "FILE");
  add("feature-gates", "Feature gates of Kubernetes, as A=true,B=false", text(), "GATES");
  add("percentage-of-nodes-to-score", "Overrides the configuration's; 0 adapts to the size of the cluster", text(),
      "N");
  add("events", "Changes of the cluster while the run goes on", text(), "FILE");
  add("w,watch", "Stay, and print the answer again whenever a change of the cluster changes it");
  add("record", "With --watch: write what changes in the cluster to a file (packed if it ends in .gz), for --replay",
      text(), "FILE");
  add("replay",
      "In place of a cluster: what --record wrote. Pods that waited then are placed anew, while everything else "
      "happens "
      "as it did",
      text(), "FILE");
  add("o,output", "One of table, wide, json, yaml, name (default: table)", text(), "FORMAT");
  add("explain", "Also show what each plugin made of each node");
  add("no-cache", "Ask every plugin about every node in every cycle: slower, with the same answers");
  add("stats", "Print CPU seconds and counts of each phase as a line of JSON to standard error");
  AddVerbosityFlag(options);
  AddConnectionFlags(options);
  options.add_options()("h,help", "Show this help");
  return options;
}

cxxopts::Options MakeSnapshotOptions() {
  cxxopts::Options options("kubectl ksched snapshot");
  options.add_options()("o,output", "Where to write: a file, packed if it ends in .gz; - is standard output",
                        cxxopts::value<std::string>(), "FILE");
  AddVerbosityFlag(options);
  AddConnectionFlags(options);
  options.add_options()("h,help", "Show this help");
  return options;
}

cxxopts::Options MakeVersionOptions() {
  cxxopts::Options options("kubectl ksched version");
  options.add_options()("client", "Do not ask a cluster which kube-scheduler it runs");
  AddConnectionFlags(options);
  options.add_options()("h,help", "Show this help");
  return options;
}

Result<OutputFormat> FormatOf(const std::string& name) {
  if (name == "table" || name.empty()) return OutputFormat::kTable;
  if (name == "wide") return OutputFormat::kWide;
  if (name == "json") return OutputFormat::kJson;
  if (name == "yaml") return OutputFormat::kYaml;
  if (name == "name") return OutputFormat::kName;
  return Error{"--output: \"" + name + "\" is none of table, wide, json, yaml and name"};
}

// Flags that are a word out of some.
Result<void> ReadChoices(const cxxopts::ParseResult& parsed, SimulateOptions& out) {
  const auto pending = OneOf(parsed, "pending", "schedule", "ignore");
  if (!pending) return pending.error();
  out.ignore_pending = *pending;
  const auto others = OneOf(parsed, "other-schedulers", "report", "ignore");
  if (!others) return others.error();
  out.ignore_other_schedulers = *others;
  const auto format = FormatOf(ValueOr<std::string>(parsed, "output", ""));
  if (!format) return format.error();
  out.output = *format;
  const auto verbosity = ReadVerbosity(parsed);
  if (!verbosity) return verbosity.error();
  out.verbosity = *verbosity;
  if (parsed.count("percentage-of-nodes-to-score") != 0) {
    const std::string flag = "percentage-of-nodes-to-score";
    const auto number = NumberOf(flag, parsed[flag].as<std::string>());
    if (!number) return number.error();
    out.percentage_of_nodes_to_score = *number;
  }
  return {};
}

std::string InPlaceOfCluster(const SimulateOptions& options) {
  return options.replay.empty() ? "--snapshot" : "--replay";
}

Result<void> CheckRecord(const cxxopts::ParseResult& parsed, const SimulateOptions& options) {
  for (const char* flag : {"record", "replay"}) {
    if (parsed.count(flag) != 0 && parsed[flag].as<std::string>().empty()) {
      return Error{"--" + std::string(flag) + ": say which file"};
    }
  }
  if (options.record == "-") return Error{"--record: standard output has the answers: say which file"};
  if (!options.record.empty() && !options.watch) return Error{"--record: it needs --watch"};
  return {};
}

Result<void> CheckWatch(const SimulateOptions& options) {
  if (!options.replay.empty() && !options.snapshots.empty())
    return Error{"--replay: --snapshot cannot be used with it"};
  if (!options.replay.empty() && !options.events.empty()) return Error{"--replay: --events cannot be used with it"};
  if (!options.watch) return {};
  if (!options.live()) return Error{"--watch: with " + InPlaceOfCluster(options) + " there is no cluster to watch"};
  if (options.reads_stdin())
    return Error{"--watch: its input is read again for each answer, and standard input (-) cannot be"};
  return {};
}

Result<void> CheckInputs(const cxxopts::ParseResult& parsed, const SimulateOptions& options) {
  if (options.help) return {};
  if (parsed.count("namespace") != 0 && options.connection.ns.empty()) {
    return Error{"--namespace: a namespace has a name"};
  }
  if (const auto given = ConnectionFlagsGiven(parsed); !options.live() && !given.empty()) {
    return Error{given.front() + ": with " + InPlaceOfCluster(options) + " no cluster is asked"};
  }
  if (!options.live() && options.admission == "server") {
    return Error{"--admission: server needs a cluster: there is none with " + InPlaceOfCluster(options)};
  }
  if (auto checked = CheckRecord(parsed, options); !checked) return checked;
  if (auto checked = CheckWatch(options); !checked) return checked;
  std::vector<std::string> inputs = options.filenames;
  inputs.insert(inputs.end(), options.snapshots.begin(), options.snapshots.end());
  inputs.push_back(options.config);
  inputs.push_back(options.events);
  inputs.push_back(options.replay);
  if (std::ranges::count(inputs, "-") > 1) return Error{"standard input (-) can be read once only"};
  return {};
}

Result<void> ReadSimulateFlags(const cxxopts::ParseResult& parsed, SimulateOptions& out) {
  out.help = parsed["help"].as<bool>();
  out.filenames = SplitAtCommas(ValueOr(parsed, "filename", out.filenames));
  out.snapshots = ValueOr(parsed, "snapshot", out.snapshots);
  out.recursive = parsed["recursive"].as<bool>();
  out.connection = ReadConnectionFlags(parsed);
  out.admission = ValueOr(parsed, "admission", out.admission);
  out.fresh = parsed["fresh"].as<bool>();
  out.config = ValueOr(parsed, "config", out.config);
  out.feature_gates = ValueOr(parsed, "feature-gates", out.feature_gates);
  out.events = ValueOr(parsed, "events", out.events);
  out.watch = parsed["watch"].as<bool>();
  out.record = ValueOr(parsed, "record", out.record);
  out.replay = ValueOr(parsed, "replay", out.replay);
  out.explain = parsed["explain"].as<bool>();
  out.use_cache = !parsed["no-cache"].as<bool>();
  out.stats = parsed["stats"].as<bool>();
  if (auto read = ReadChoices(parsed, out); !read) return read;
  return CheckInputs(parsed, out);
}

Result<void> ReadSnapshotFlags(const cxxopts::ParseResult& parsed, SnapshotOptions& out) {
  out.help = parsed["help"].as<bool>();
  out.output = ValueOr(parsed, "output", out.output);
  out.connection = ReadConnectionFlags(parsed);
  const auto verbosity = ReadVerbosity(parsed);
  if (!verbosity) return verbosity.error();
  out.verbosity = *verbosity;
  if (!out.help && out.output.empty())
    return Error{"--output: say which file the snapshot goes to (- for standard output)"};
  return {};
}

template <typename T, typename F>
Result<T> Parse(cxxopts::Options options, const std::vector<std::string>& arguments, F read) {
  T out;
  auto parsed = ParseFlags(options, arguments, [&](const cxxopts::ParseResult& result) { return read(result, out); });
  if (!parsed) return std::move(parsed).error();
  return out;
}

}  // namespace

bool SimulateOptions::reads_stdin() const {
  return std::ranges::find(filenames, "-") != filenames.end() || config == "-" || events == "-";
}

Result<SimulateOptions> ParseSimulateOptions(const std::vector<std::string>& arguments) {
  return Parse<SimulateOptions>(MakeSimulateOptions(), arguments, &ReadSimulateFlags);
}

Result<SnapshotOptions> ParseSnapshotOptions(const std::vector<std::string>& arguments) {
  return Parse<SnapshotOptions>(MakeSnapshotOptions(), arguments, &ReadSnapshotFlags);
}

Result<VersionOptions> ParseVersionOptions(const std::vector<std::string>& arguments) {
  const auto read = [](const cxxopts::ParseResult& parsed, VersionOptions& out) -> Result<void> {
    out.help = parsed["help"].as<bool>();
    out.client_only = parsed["client"].as<bool>();
    out.connection = ReadConnectionFlags(parsed);
    return {};
  };
  return Parse<VersionOptions>(MakeVersionOptions(), arguments, read);
}

std::string DescribeSimulateFlags() { return DescribeFlags(MakeSimulateOptions().set_width(110)); }
std::string DescribeSnapshotFlags() { return DescribeFlags(MakeSnapshotOptions().set_width(110)); }
std::string DescribeVersionFlags() { return DescribeFlags(MakeVersionOptions().set_width(110)); }

}  // namespace ksched::cli
