#include "app/daemon/options.h"

#include <charconv>
#include <utility>

#include "app/cli/flags.h"
#include "config/go_text.h"

namespace ksched::daemon {
namespace {

cxxopts::Options MakeOptions() {
  cxxopts::Options options("kubectl ksched run");
  const auto text = [] { return cxxopts::value<std::string>(); };
  auto add = options.add_options();
  add("config", "A KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1)", text(), "FILE");
  add("scheduler-name",
      "Name of the default profile: pods that name it are scheduled (default without --config: ksched)", text(),
      "NAME");
  add("feature-gates", "Feature gates of Kubernetes, as A=true,B=false", text(), "GATES");
  add("leader-elect", "Schedule only while holding a Lease, so that of several one does (default true)",
      cxxopts::value<std::string>()->implicit_value("true"), "BOOL");
  add("leader-elect-lease-duration", "How long the others wait before they take the Lease (default 15s)", text(),
      "TIME");
  add("leader-elect-renew-deadline", "How long the leader tries to renew it before it stops (default 10s)", text(),
      "TIME");
  add("leader-elect-retry-period", "How long to wait between tries (default 2s)", text(), "TIME");
  add("leader-elect-resource-name", "Name of the Lease (default: that of the configuration, or ksched)", text(),
      "NAME");
  add("leader-elect-resource-namespace", "Its namespace (default kube-system)", text(), "NAME");
  add("leader-elect-resource-lock", "leases: there are no others", text(), "KIND");
  add("kube-api-qps", "Writes in a second, on average (default: the configuration's, 50); below 0: no limit", text(),
      "N");
  add("kube-api-burst", "Writes at once beyond that (default: the configuration's, 100)", text(), "N");
  add("seed", "Draw between equally good nodes by this seed, to be repeatable", text(), "N");
  add("secure-port", "Serving health and metrics is not there yet: 0 says that none is expected", text(), "PORT");
  add("record-cycles",
      "Write every cycle to this new or empty folder: what was known, for `simulate --snapshot`, and what was decided. "
      "For small clusters",
      text(), "DIR");
  cli::AddVerbosityFlag(options);
  cli::AddConnectionFlags(options);
  options.add_options()("h,help", "Show this help");
  return options;
}

Result<void> ReadDuration(const cxxopts::ParseResult& parsed, const std::string& flag,
                          std::optional<config::DurationNs>& out) {
  if (parsed.count(flag) == 0) return {};
  const auto duration = config::ParseDuration(parsed[flag].as<std::string>());
  if (!duration) return Error{"--" + flag + ": " + duration.error().message};
  out = *duration;
  return {};
}

template <typename T>
Result<void> ReadNumber(const cxxopts::ParseResult& parsed, const std::string& flag, std::optional<T>& out) {
  if (parsed.count(flag) == 0) return {};
  const std::string text = parsed[flag].as<std::string>();
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Error{"--" + flag + ": \"" + text + "\" is no number"};
  }
  out = value;
  return {};
}

void ReadText(const cxxopts::ParseResult& parsed, const std::string& flag, std::optional<std::string>& out) {
  if (parsed.count(flag) != 0) out = parsed[flag].as<std::string>();
}

Result<void> ReadBool(const cxxopts::ParseResult& parsed, const std::string& flag, std::optional<bool>& out) {
  if (parsed.count(flag) == 0) return {};
  const std::string text = parsed[flag].as<std::string>();
  if (text != "true" && text != "false") return Error{"--" + flag + ": \"" + text + "\" is neither true nor false"};
  out = text == "true";
  return {};
}

Result<void> Read(const cxxopts::ParseResult& parsed, RunOptions& out) {
  out.help = parsed["help"].as<bool>();
  if (out.help) return {};
  out.connection = cli::ReadConnectionFlags(parsed);
  out.config = cli::ValueOr(parsed, "config", out.config);
  out.feature_gates = cli::ValueOr(parsed, "feature-gates", out.feature_gates);
  out.record_cycles = cli::ValueOr(parsed, "record-cycles", out.record_cycles);
  ReadText(parsed, "scheduler-name", out.scheduler_name);
  ReadText(parsed, "leader-elect-resource-name", out.resource_name);
  ReadText(parsed, "leader-elect-resource-namespace", out.resource_namespace);
  if (out.scheduler_name && out.scheduler_name->empty()) return Error{"--scheduler-name: a scheduler has a name"};
  if (cli::ValueOr<std::string>(parsed, "leader-elect-resource-lock", "leases") != "leases") {
    return Error{"--leader-elect-resource-lock: leases is the only one"};
  }
  if (cli::ValueOr<std::string>(parsed, "secure-port", "0") != "0") {
    return Error{"--secure-port: serving health and metrics is not there yet; 0 starts without it"};
  }
  const auto verbosity = cli::ReadVerbosity(parsed);
  if (!verbosity) return verbosity.error();
  out.verbosity = *verbosity;
  Result<void> read = ReadBool(parsed, "leader-elect", out.leader_elect);
  if (read) read = ReadDuration(parsed, "leader-elect-lease-duration", out.lease_duration);
  if (read) read = ReadDuration(parsed, "leader-elect-renew-deadline", out.renew_deadline);
  if (read) read = ReadDuration(parsed, "leader-elect-retry-period", out.retry_period);
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
