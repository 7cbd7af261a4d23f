#include "app/webhook/options.h"

#include <charconv>
#include <limits>
#include <utility>

#include "app/cli/flags.h"
#include "config/go_text.h"

namespace ksched::webhook {
namespace {

using Parsed = cxxopts::ParseResult;

auto Text() { return cxxopts::value<std::string>(); }

void AddRulesFlags(cxxopts::Options& options) {
  auto add = options.add_options();
  add("policy", "An AdmissionPolicy (ksched.dev/v1alpha1): what is refused, and what only warned of", Text(), "FILE");
  add("config", "A KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1): that of the cluster's scheduler",
      Text(), "FILE");
  add("feature-gates", "Feature gates of Kubernetes, as A=true,B=false", Text(), "GATES");
}

cxxopts::Options MakeOptions() {
  cxxopts::Options options("kubectl ksched webhook");
  auto add = options.add_options();
  add("listen", "Where to serve HTTPS (default :9443)", Text(), "ADDRESS:PORT");
  add("cert-dir", "A folder with tls.crt and tls.key, which are read again when they change", Text(), "DIR");
  add("client-ca-file", "Judge only for clients with a certificate that one of these authorities has signed", Text(),
      "FILE");
  AddRulesFlags(options);
  add("service",
      "The Service in front of this server: with the two flags that follow, the server makes its certificate itself",
      Text(), "NAMESPACE/NAME");
  add("certificate-secret", "The Secret that all replicas keep that certificate in", Text(), "NAMESPACE/NAME");
  add("webhook-configuration", "The ValidatingWebhookConfiguration that is told of its authority", Text(), "NAME");
  add("workers", "Threads that judge (default: as many as there are processors)", Text(), "N");
  add("max-connections", "Connections at the same time (default 8192); more wait, or are refused", Text(), "N");
  add("shutdown-delay-duration",
      "How long to go on serving when told to stop, so that nobody is sent here (default 5s)", Text(), "TIME");
  add("logging-format", "text (default) or json", Text(), "FORMAT");
  cli::AddVerbosityFlag(options);
  cli::AddConnectionFlags(options);
  options.add_options()("h,help", "Show this help");
  return options;
}

cxxopts::Options MakeTestOptions() {
  cxxopts::Options options("kubectl ksched webhook test");
  const auto list = [] { return cxxopts::value<std::vector<std::string>>(); };
  auto add = options.add_options();
  add("f,filename", "Manifests that would be created: files, folders, or - for standard input", list(), "FILE");
  add("R,recursive", "Also manifests in folders below");
  add("snapshot", "The cluster, as `kubectl ksched snapshot` writes it, in place of a live one", list(), "FILE");
  AddRulesFlags(options);
  add("request-user", "Who would create them, for rules by user (default kubernetes-admin)", Text(), "NAME");
  add("request-group", "A group of that user. Repeatable", list(), "NAME");
  add("o,output", "One of json, yaml; default: a table", Text(), "FORMAT");
  cli::AddConnectionFlags(options);
  options.add_options()("h,help", "Show this help");
  return options;
}

Result<void> ReadListen(const std::string& text, WebhookOptions& out) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return Error{"--listen: \"" + text + "\" is not ADDRESS:PORT"};
  std::string address = text.substr(0, colon);
  const std::string port = text.substr(colon + 1);
  if (address.size() > 1 && address.front() == '[' && address.back() == ']')
    address = address.substr(1, address.size() - 2);
  uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (port.empty() || error != std::errc() || end != port.data() + port.size()) {
    return Error{"--listen: \"" + port + "\" is no port"};
  }
  out.address = std::move(address);
  out.port = number;
  return {};
}

Result<void> ReadCount(const Parsed& parsed, const std::string& flag, uint32_t& out) {
  if (parsed.count(flag) == 0) return {};
  const auto number = cli::NumberOf(flag, parsed[flag].as<std::string>());
  if (!number) return number.error();
  if (*number < 1) return Error{"--" + flag + ": at least 1"};
  out = static_cast<uint32_t>(*number);
  return {};
}

Result<void> ReadName(const Parsed& parsed, const std::string& flag, NamespacedName& out) {
  const std::string text = cli::ValueOr<std::string>(parsed, flag, "");
  if (text.empty()) return {};
  const size_t slash = text.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == text.size() || slash != text.rfind('/')) {
    return Error{"--" + flag + ": \"" + text + "\" is not NAMESPACE/NAME"};
  }
  out = {text.substr(0, slash), text.substr(slash + 1)};
  return {};
}

Result<void> ReadCertificates(const Parsed& parsed, WebhookOptions& out) {
  out.cert_dir = cli::ValueOr(parsed, "cert-dir", out.cert_dir);
  out.webhook_configuration = cli::ValueOr(parsed, "webhook-configuration", out.webhook_configuration);
  size_t named = 0;
  for (const char* flag : {"service", "certificate-secret", "webhook-configuration"}) {
    if (!cli::ValueOr<std::string>(parsed, flag, "").empty()) ++named;
  }
  if (named != 0 && named != 3) {
    return Error{"--service, --certificate-secret and --webhook-configuration belong together"};
  }
  if ((named == 3) == !out.cert_dir.empty()) {
    return Error{"say --cert-dir, or --service, --certificate-secret and --webhook-configuration"};
  }
  auto read = ReadName(parsed, "service", out.service);
  if (read) read = ReadName(parsed, "certificate-secret", out.certificate_secret);
  return read;
}

template <typename Options>
void ReadRules(const Parsed& parsed, Options& out) {
  out.connection = cli::ReadConnectionFlags(parsed);
  out.policy = cli::ValueOr(parsed, "policy", out.policy);
  out.config = cli::ValueOr(parsed, "config", out.config);
  out.feature_gates = cli::ValueOr(parsed, "feature-gates", out.feature_gates);
}

Result<void> Read(const Parsed& parsed, WebhookOptions& out) {
  out.help = parsed["help"].as<bool>();
  if (out.help) return {};
  ReadRules(parsed, out);
  out.client_ca_file = cli::ValueOr(parsed, "client-ca-file", out.client_ca_file);
  Result<void> read = ReadCertificates(parsed, out);
  if (read && parsed.count("listen") != 0) read = ReadListen(parsed["listen"].as<std::string>(), out);
  if (read) read = ReadCount(parsed, "workers", out.workers);
  if (read) read = ReadCount(parsed, "max-connections", out.max_connections);
  if (!read) return read;
  if (parsed.count("shutdown-delay-duration") != 0) {
    const auto delay = config::ParseDuration(parsed["shutdown-delay-duration"].as<std::string>());
    if (!delay) return Error{"--shutdown-delay-duration: " + delay.error().message};
    if (*delay < 0) return Error{"--shutdown-delay-duration: it is less than nothing"};
    out.shutdown_delay = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(*delay));
  }
  const auto verbosity = cli::ReadVerbosity(parsed);
  if (!verbosity) return verbosity.error();
  out.verbosity = *verbosity;
  const auto json = cli::OneOf(parsed, "logging-format", "text", "json");
  if (!json) return json.error();
  out.log_format = *json ? daemon::LogFormat::kJson : daemon::LogFormat::kText;
  return {};
}

Result<void> ReadTest(const Parsed& parsed, WebhookTestOptions& out) {
  out.help = parsed["help"].as<bool>();
  if (out.help) return {};
  ReadRules(parsed, out);
  out.filenames = cli::SplitAtCommas(cli::ValueOr<std::vector<std::string>>(parsed, "filename", {}));
  out.snapshots = cli::SplitAtCommas(cli::ValueOr<std::vector<std::string>>(parsed, "snapshot", {}));
  out.recursive = parsed["recursive"].as<bool>();
  out.user = cli::ValueOr(parsed, "request-user", out.user);
  out.groups = cli::ValueOr(parsed, "request-group", out.groups);
  if (out.filenames.empty()) return Error{"say which manifests by -f"};
  const auto given = cli::ConnectionFlagsGiven(parsed);
  if (!out.snapshots.empty() && !given.empty()) return Error{"--snapshot and " + given.front() + " exclude each other"};
  const std::string output = cli::ValueOr<std::string>(parsed, "output", "");
  if (output == "json") out.output = cli::OutputFormat::kJson;
  if (output == "yaml") out.output = cli::OutputFormat::kYaml;
  if (!output.empty() && output != "json" && output != "yaml") {
    return Error{"--output: \"" + output + "\" is neither json nor yaml"};
  }
  return {};
}

}  // namespace

Result<WebhookOptions> ParseWebhookOptions(const std::vector<std::string>& arguments) {
  WebhookOptions out;
  cxxopts::Options options = MakeOptions();
  auto parsed = cli::ParseFlags(options, arguments, [&](const auto& result) { return Read(result, out); });
  if (!parsed) return std::move(parsed).error();
  return out;
}

Result<WebhookTestOptions> ParseWebhookTestOptions(const std::vector<std::string>& arguments) {
  WebhookTestOptions out;
  cxxopts::Options options = MakeTestOptions();
  auto parsed = cli::ParseFlags(options, arguments, [&](const auto& result) { return ReadTest(result, out); });
  if (!parsed) return std::move(parsed).error();
  return out;
}

std::string DescribeWebhookFlags() { return cli::DescribeFlags(MakeOptions()); }
std::string DescribeWebhookTestFlags() { return cli::DescribeFlags(MakeTestOptions()); }

}  // namespace ksched::webhook
