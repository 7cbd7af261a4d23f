#include "app/bind/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "app/cli/flags.h"
#include "config/go_text.h"

namespace ksched::bind {
namespace {

constexpr std::array<std::string_view, 3> kPodWords = {"pod", "pods", "po"};

cxxopts::Options MakeOptions() {
  cxxopts::Options options("kubectl ksched bind");
  const auto text = [] { return cxxopts::value<std::string>(); };
  auto add = options.add_options();
  add("pods", "", cxxopts::value<std::vector<std::string>>());
  options.parse_positional("pods");
  add("l,selector", "Pending pods with these labels, as kubectl writes it: app=web,tier!=db", text(), "SELECTOR");
  add("all", "All pending pods of the namespace");
  add("A,all-namespaces", "With --selector or --all: of all namespaces");
  add("field-selector", "With --selector or --all: only pods with these fields", text(), "SELECTOR");
  add("node", "The node to bind to; refused with the reasons if it does not pass the filters", text(), "NAME");
  add("force-node", "Bind to --node whatever filters say; what it violates is said");
  add("force", "Also pods whose scheduler runs");
  add("preempt",
      "Where a pod fits only without less important ones: nominate it, evict them (disruption budgets hold), and bind "
      "it when they are gone. Without it they are only named");
  add("dry-run",
      "`none`, `client` (nothing is written) or `server` (the server checks the binding, and stores nothing). Nobody "
      "is "
      "evicted, and no volume is bound",
      text(), "WHAT");
  add("timeout", "How long to wait for victims, budgets and volumes, as 30s or 5m (the default); 0 is for ever", text(),
      "TIME");
  add("o,output", "One of name, json; default: a line for each pod", text(), "FORMAT");
  add("config", "A KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1)", text(), "FILE");
  add("feature-gates", "Feature gates of Kubernetes, as A=true,B=false", text(), "GATES");
  add("seed", "Draw between equally good nodes by this seed, to be repeatable", text(), "N");
  cli::AddVerbosityFlag(options);
  cli::AddConnectionFlags(options);
  options.add_options()("h,help", "Show this help");
  return options;
}

bool IsPodWord(std::string_view word) { return std::ranges::find(kPodWords, word) != kPodWords.end(); }

// "web", "pod/web", "pods/web"; or "pod web db".
Result<std::vector<std::string>> NamesOf(std::vector<std::string> given) {
  if (given.size() > 1 && IsPodWord(given.front())) given.erase(given.begin());
  std::vector<std::string> names;
  for (const std::string& one : given) {
    const size_t slash = one.find('/');
    const std::string name = slash == std::string::npos ? one : one.substr(slash + 1);
    if (slash != std::string::npos && !IsPodWord(one.substr(0, slash))) {
      return Error{"\"" + one + "\": only pods can be bound: say pod/NAME, or which pods by --selector"};
    }
    if (name.empty() || name.find('/') != std::string::npos) return Error{"\"" + one + "\" names no pod"};
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

Result<void> CheckWhich(const BindOptions& options) {
  const bool selects = options.all || !options.selector.empty();
  if (options.all && !options.selector.empty()) return Error{"--all and --selector exclude each other"};
  if (options.by_name() && selects) return Error{"names exclude --selector and --all"};
  if (!options.by_name() && !selects) return Error{"say which pods: their names, --selector or --all"};
  if (options.by_name() && options.all_namespaces) return Error{"--all-namespaces: names are of one namespace"};
  if (options.by_name() && !options.field_selector.empty())
    return Error{"--field-selector: it needs --selector or --all"};
  if (options.all_namespaces && !options.connection.ns.empty()) {
    return Error{"--all-namespaces and --namespace exclude each other"};
  }
  return {};
}

Result<void> CheckHow(const cxxopts::ParseResult& parsed, const BindOptions& options) {
  for (const char* flag : {"node", "selector", "namespace"}) {
    if (parsed.count(flag) != 0 && parsed[flag].as<std::string>().empty()) {
      return Error{"--" + std::string(flag) + ": it is empty"};
    }
  }
  if (options.force_node && options.node.empty()) return Error{"--force-node: say which by --node"};
  if (options.force_node && options.preempt) {
    return Error{"--force-node: nobody has to leave for it: --preempt cannot be used with it"};
  }
  return {};
}

Result<DryRun> DryRunOf(const std::string& text) {
  if (text == "none") return DryRun::kNone;
  if (text == "client") return DryRun::kClient;
  if (text == "server") return DryRun::kServer;
  return Error{"--dry-run: \"" + text + "\" is none of none, client and server"};
}

Result<Output> OutputOf(const std::string& text) {
  if (text.empty()) return Output::kText;
  if (text == "name") return Output::kName;
  if (text == "json") return Output::kJson;
  return Error{"--output: \"" + text + "\" is neither name nor json"};
}

Result<void> ReadValues(const cxxopts::ParseResult& parsed, BindOptions& out) {
  const auto dry_run = DryRunOf(cli::ValueOr<std::string>(parsed, "dry-run", "none"));
  if (!dry_run) return dry_run.error();
  out.dry_run = *dry_run;
  const auto output = OutputOf(cli::ValueOr<std::string>(parsed, "output", ""));
  if (!output) return output.error();
  out.output = *output;
  const auto verbosity = cli::ReadVerbosity(parsed);
  if (!verbosity) return verbosity.error();
  out.verbosity = *verbosity;
  if (parsed.count("timeout") != 0) {
    const auto timeout = config::ParseDuration(parsed["timeout"].as<std::string>());
    if (!timeout) return Error{"--timeout: " + timeout.error().message};
    if (*timeout < 0) return Error{"--timeout: it is less than nothing"};
    out.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(*timeout));
  }
  if (parsed.count("seed") != 0) {
    const std::string text = parsed["seed"].as<std::string>();
    uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc() || end != text.data() + text.size()) return Error{"--seed: \"" + text + "\" is no number"};
    out.seed = seed;
  }
  return {};
}

Result<void> Read(const cxxopts::ParseResult& parsed, BindOptions& out) {
  out.help = parsed["help"].as<bool>();
  if (out.help) return {};
  out.connection = cli::ReadConnectionFlags(parsed);
  auto names = NamesOf(cli::ValueOr<std::vector<std::string>>(parsed, "pods", {}));
  if (!names) return std::move(names).error();
  out.names = std::move(*names);
  for (const auto& [flag, member] : {std::pair{"selector", &BindOptions::selector},
                                     {"field-selector", &BindOptions::field_selector},
                                     {"node", &BindOptions::node},
                                     {"config", &BindOptions::config},
                                     {"feature-gates", &BindOptions::feature_gates}}) {
    out.*member = cli::ValueOr<std::string>(parsed, flag, "");
  }
  for (const auto& [flag, member] : {std::pair{"all", &BindOptions::all},
                                     {"all-namespaces", &BindOptions::all_namespaces},
                                     {"force-node", &BindOptions::force_node},
                                     {"force", &BindOptions::force},
                                     {"preempt", &BindOptions::preempt}}) {
    out.*member = parsed[flag].as<bool>();
  }
  if (auto read = ReadValues(parsed, out); !read) return read;
  if (auto checked = CheckHow(parsed, out); !checked) return checked;
  return CheckWhich(out);
}

}  // namespace

Result<BindOptions> ParseBindOptions(const std::vector<std::string>& arguments) {
  BindOptions out;
  cxxopts::Options options = MakeOptions();
  auto parsed = cli::ParseFlags(options, arguments, [&](const auto& result) { return Read(result, out); });
  if (!parsed) return std::move(parsed).error();
  return out;
}

std::string DescribeBindFlags() { return cli::DescribeFlags(MakeOptions()); }

}  // namespace ksched::bind
