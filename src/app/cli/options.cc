#include "app/cli/options.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include <cxxopts.hpp>

namespace ksched::cli {
namespace {

cxxopts::Options MakeOptions() {
  cxxopts::Options options("kubectl ksched simulate");
  options.set_width(110).allow_unrecognised_options();
  const auto text = [] { return cxxopts::value<std::string>(); };
  const auto texts = [] { return cxxopts::value<std::vector<std::string>>(); };
  options.add_options()("f,filename", "Objects to create: a file, a folder, or - for standard input. Repeatable",
                        texts(), "PATH")("R,recursive", "Read the folders below those of --filename too")(
      "snapshot", "The cluster: a file of objects as `kubectl get -A -o yaml` prints them; .gz too. Repeatable",
      texts(), "FILE")("n,namespace", "Namespace of objects that name none (default: default)", text(), "NAME")(
      "pending",
      "Pods that wait in the snapshot: `schedule` them before those of --filename (the default), or `ignore` them",
      text(), "WHAT")(
      "other-schedulers",
      "Pods of schedulers that no profile is for: `report` them as not placed (the default), or `ignore` them", text(),
      "WHAT")("admission",
              "How objects are completed: `none` takes them as a cluster stores them (the only way so far)", text(),
              "MODE")("config", "A KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1)", text(), "FILE")(
      "feature-gates", "Feature gates of Kubernetes, as A=true,B=false", text(), "GATES")(
      "percentage-of-nodes-to-score", "Overrides the configuration's; 0 adapts to the size of the cluster", text(),
      "N")("events", "Changes of the cluster while the run goes on", text(), "FILE")(
      "o,output", "One of table, wide, json, yaml, name (default: table)", text(), "FORMAT")(
      "explain", "Also show what each plugin made of each node")(
      "no-cache", "Ask every plugin about every node in every cycle: slower, with the same answers")(
      "stats", "Print CPU seconds and counts of each phase as a line of JSON to standard error")("h,help",
                                                                                                 "Show this help");
  return options;
}

// One of two words, with the meaning false and true.
Result<bool> OneOf(const cxxopts::ParseResult& parsed, const std::string& flag, const std::string& if_false,
                   const std::string& if_true) {
  if (parsed.count(flag) == 0) return false;
  const std::string& value = parsed[flag].as<std::string>();
  if (value == if_false || value == if_true) return value == if_true;
  return Error{"--" + flag + ": \"" + value + "\" is neither " + if_false + " nor " + if_true};
}

Result<OutputFormat> FormatOf(const std::string& name) {
  if (name == "table" || name.empty()) return OutputFormat::kTable;
  if (name == "wide") return OutputFormat::kWide;
  if (name == "json") return OutputFormat::kJson;
  if (name == "yaml") return OutputFormat::kYaml;
  if (name == "name") return OutputFormat::kName;
  return Error{"--output: \"" + name + "\" is none of table, wide, json, yaml and name"};
}

Result<int32_t> NumberOf(const std::string& flag, const std::string& text) {
  int32_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure == std::errc() && end == text.data() + text.size()) return number;
  return Error{"--" + flag + ": \"" + text + "\" is not a whole number"};
}

std::vector<std::string> FlagNames(const cxxopts::Options& options) {
  std::vector<std::string> names;
  for (const auto& option : options.group_help("").options) {
    for (const std::string& name : option.l) names.push_back("--" + name);
  }
  return names;
}

// What was left over by the parser.
Error Unmatched(const std::string& argument, const cxxopts::Options& options) {
  if (argument.empty() || argument[0] != '-') return Error{"unexpected argument \"" + argument + "\""};
  const std::string flag = argument.substr(0, argument.find('='));
  const std::string meant = Suggest(flag, FlagNames(options));
  return Error{"unknown flag: " + flag + (meant.empty() ? "" : " (did you mean " + meant + "?)")};
}

template <typename T>
T ValueOr(const cxxopts::ParseResult& parsed, const std::string& flag, T otherwise) {
  return parsed.count(flag) == 0 ? otherwise : parsed[flag].as<T>();
}

Result<void> ReadFlags(const cxxopts::ParseResult& parsed, SimulateOptions& out) {
  out.help = parsed["help"].as<bool>();
  out.filenames = ValueOr(parsed, "filename", out.filenames);
  out.snapshots = ValueOr(parsed, "snapshot", out.snapshots);
  out.recursive = parsed["recursive"].as<bool>();
  out.ns = ValueOr(parsed, "namespace", out.ns);
  out.config = ValueOr(parsed, "config", out.config);
  out.feature_gates = ValueOr(parsed, "feature-gates", out.feature_gates);
  out.events = ValueOr(parsed, "events", out.events);
  out.explain = parsed["explain"].as<bool>();
  out.use_cache = !parsed["no-cache"].as<bool>();
  out.stats = parsed["stats"].as<bool>();
  if (out.ns.empty()) return Error{"--namespace: a namespace has a name"};

  const auto pending = OneOf(parsed, "pending", "schedule", "ignore");
  if (!pending) return pending.error();
  out.ignore_pending = *pending;
  const auto others = OneOf(parsed, "other-schedulers", "report", "ignore");
  if (!others) return others.error();
  out.ignore_other_schedulers = *others;
  if (const auto mode = ValueOr<std::string>(parsed, "admission", "none"); mode != "none") {
    return Error{"--admission: \"" + mode + "\" is not supported yet: only none is"};
  }
  const auto format = FormatOf(ValueOr<std::string>(parsed, "output", ""));
  if (!format) return format.error();
  out.output = *format;
  if (parsed.count("percentage-of-nodes-to-score") != 0) {
    const std::string flag = "percentage-of-nodes-to-score";
    const auto number = NumberOf(flag, parsed[flag].as<std::string>());
    if (!number) return number.error();
    out.percentage_of_nodes_to_score = *number;
  }
  return {};
}

Result<void> CheckInputs(const SimulateOptions& options) {
  if (options.help) return {};
  if (options.snapshots.empty()) return Error{"a live cluster is not supported yet: pass --snapshot"};
  std::vector<std::string> inputs = options.filenames;
  inputs.insert(inputs.end(), options.snapshots.begin(), options.snapshots.end());
  inputs.push_back(options.config);
  inputs.push_back(options.events);
  if (std::ranges::count(inputs, "-") > 1) return Error{"standard input (-) can be read once only"};
  return {};
}

// As many edits as make one word of the other.
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row.back();
}

// The parser writes quotes that not every terminal shows.
std::string PlainQuotes(std::string text) {
  for (const std::string quote : {"\u2018", "\u2019"}) {
    for (size_t at = text.find(quote); at != std::string::npos; at = text.find(quote))
      text.replace(at, quote.size(), "\"");
  }
  return text;
}

}  // namespace

Result<SimulateOptions> ParseSimulateOptions(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"simulate"};
  std::ranges::transform(arguments, std::back_inserter(argv), [](const std::string& text) { return text.c_str(); });
  try {
    cxxopts::Options options = MakeOptions();
    const cxxopts::ParseResult parsed = options.parse(static_cast<int>(argv.size()), argv.data());
    SimulateOptions out;
    if (!parsed["help"].as<bool>() && !parsed.unmatched().empty())
      return Unmatched(parsed.unmatched().front(), options);
    if (auto read = ReadFlags(parsed, out); !read) return read.error();
    if (auto checked = CheckInputs(out); !checked) return checked.error();
    return out;
  } catch (const cxxopts::exceptions::exception& exception) {
    return Error{PlainQuotes(exception.what())};
  }
}

std::string DescribeSimulateFlags() {
  std::string help = MakeOptions().help();
  help.erase(0, help.find("  -f,"));  // the head is ours
  for (size_t at = help.find(" \n"); at != std::string::npos; at = help.find(" \n")) help.erase(at, 1);
  return help;
}

std::string Suggest(const std::string& word, const std::vector<std::string>& words) {
  std::string best;
  size_t nearest = 3;
  for (const std::string& one : words) {
    if (word.size() > 2 && one.starts_with(word)) return one;
    const size_t distance = EditDistance(word, one);
    if (distance < nearest) nearest = distance, best = one;
  }
  return best;
}

}  // namespace ksched::cli
