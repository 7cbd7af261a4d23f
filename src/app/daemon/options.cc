#include "app/daemon/options.h"

#include <utility>

#include "app/cli/flags.h"
#include "app/daemon/flag_values.h"
#include "app/daemon/reference_flags.h"

namespace ksched::daemon {
namespace {

cxxopts::Options MakeOptions() {
  cxxopts::Options options("kubectl ksched run");
  const auto text = [] { return cxxopts::value<std::string>(); };
  auto add = options.add_options();
  add("config",
      "A KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1), whose clientConnection counts in place of "
      "--kubeconfig and --kube-api-*",
      text(), "FILE");
  add("scheduler-name",
      "Name of the default profile: pods that name it are scheduled (default without --config: ksched)", text(),
      "NAME");
  add("feature-gates", "Feature gates of Kubernetes, as A=true,B=false. Repeatable",
      cxxopts::value<std::vector<std::string>>(), "GATES");
  add("leader-elect", "Schedule only while holding a Lease, so that of several one does (default true)", BoolValue(),
      "BOOL");
  add("leader-elect-lease-duration", "How long the others wait before they take the Lease (default 15s)", text(),
      "TIME");
  add("leader-elect-renew-deadline", "How long the leader tries to renew it before it stops (default 10s)", text(),
      "TIME");
  add("leader-elect-retry-period", "How long to wait between tries (default 2s)", text(), "TIME");
  add("leader-elect-resource-name", "Name of the Lease (default: that of the configuration, or ksched)", text(),
      "NAME");
  add("leader-elect-resource-namespace", "Its namespace (default kube-system)", text(), "NAME");
  add("kube-api-qps",
      "Writes in a second, on average (default 50); below 0: no limit. With --config its file says that", text(), "N");
  add("kube-api-burst", "Writes at once beyond that (default 100). Likewise", text(), "N");
  add("seed", "Draw between equally good nodes by this seed, to be repeatable", text(), "N");
  add("record-cycles",
      "Write every cycle to this new or empty folder: what was known, for `simulate --snapshot`, and what was decided. "
      "For small clusters",
      text(), "DIR");
  add("pod-max-in-unschedulable-pods-duration",
      "How long a pod waits for an event before it is tried again anyway (default 5m)", text(), "TIME");
  add("profiling", "What /configz says of it: there is no profiling over HTTP", BoolValue(), "BOOL");
  add("contention-profiling", "The same", BoolValue(), "BOOL");
  add("write-config-to", "Write the configuration to this file, and end", text(), "FILE");
  add("master", "Address of the API server, as --server", text(), "URL");
  add("logging-format", "text (default) or json", text(), "FORMAT");
  add("disabled-metrics", "Metrics to leave out", cxxopts::value<std::vector<std::string>>(), "NAMES");
  AddReferenceFlags(options);
  AddServingFlags(options);
  cli::AddVerbosityFlag(options);
  cli::AddConnectionFlags(options);
  options.add_options()("h,help", "Show this help");
  return options;
}

// Gates of the scheduler's own component may be named as such.
std::string JoinGates(const std::vector<std::string>& given) {
  std::string gates;
  for (const std::string& one : cli::SplitAtCommas(given)) {
    gates += (gates.empty() ? "" : ",") + (one.starts_with("kube:") ? one.substr(5) : one);
  }
  return gates;
}

Result<void> ReadLogging(const cxxopts::ParseResult& parsed, RunOptions& out) {
  const auto verbosity = cli::ReadVerbosity(parsed);
  if (!verbosity) return verbosity.error();
  out.verbosity = *verbosity;
  const auto json = cli::OneOf(parsed, "logging-format", "text", "json");
  if (!json) return json.error();
  out.log_format = *json ? LogFormat::kJson : LogFormat::kText;
  return {};
}

Result<void> ReadElection(const cxxopts::ParseResult& parsed, RunOptions& out) {
  ReadText(parsed, "leader-elect-resource-name", out.resource_name);
  ReadText(parsed, "leader-elect-resource-namespace", out.resource_namespace);
  Result<void> read = ReadBool(parsed, "leader-elect", out.leader_elect);
  if (read) read = ReadDuration(parsed, "leader-elect-lease-duration", out.lease_duration);
  if (read) read = ReadDuration(parsed, "leader-elect-renew-deadline", out.renew_deadline);
  if (read) read = ReadDuration(parsed, "leader-elect-retry-period", out.retry_period);
  return read;
}

Result<void> Read(const cxxopts::ParseResult& parsed, RunOptions& out) {
  out.help = parsed["help"].as<bool>();
  if (out.help) return {};
  out.connection = cli::ReadConnectionFlags(parsed);
  out.config = cli::ValueOr(parsed, "config", out.config);
  if (parsed.count("feature-gates") != 0) {
    out.feature_gates = JoinGates(parsed["feature-gates"].as<std::vector<std::string>>());
  }
  out.record_cycles = cli::ValueOr(parsed, "record-cycles", out.record_cycles);
  out.write_config_to = cli::ValueOr(parsed, "write-config-to", out.write_config_to);
  ReadText(parsed, "kube-api-content-type", out.content_type);
  ReadList(parsed, "disabled-metrics", out.disabled_metrics);
  if (out.connection.server.empty()) out.connection.server = cli::ValueOr<std::string>(parsed, "master", "");
  ReadText(parsed, "scheduler-name", out.scheduler_name);
  if (out.scheduler_name && out.scheduler_name->empty()) return Error{"--scheduler-name: a scheduler has a name"};
  Result<void> read = CheckReferenceFlags(parsed, out.warnings);
  if (read) read = ReadServingFlags(parsed, out.serving, out.warnings);
  if (read) read = ReadLogging(parsed, out);
  if (read) read = ReadElection(parsed, out);
  if (read) read = ReadBool(parsed, "profiling", out.profiling);
  if (read) read = ReadBool(parsed, "contention-profiling", out.contention_profiling);
  if (read) read = ReadDuration(parsed, "pod-max-in-unschedulable-pods-duration", out.max_in_unschedulable);
  if (read) read = ReadNumber(parsed, "kube-api-qps", out.qps);
  if (read) read = ReadNumber(parsed, "kube-api-burst", out.burst);
  if (read) read = ReadNumber(parsed, "seed", out.seed);
  return read;
}

}  // namespace

Result<RunOptions> ParseRunOptions(const std::vector<std::string>& arguments) {
  RunOptions out;
  cxxopts::Options options = MakeOptions();
  auto parsed = cli::ParseFlags(options, arguments, [&](const auto& result) { return Read(result, out); });
  if (!parsed) return std::move(parsed).error();
  return out;
}

std::string DescribeRunFlags() { return cli::DescribeFlags(MakeOptions()); }

}  // namespace ksched::daemon
