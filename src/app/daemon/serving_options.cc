#include "app/daemon/serving_options.h"

#include <charconv>

#include "app/daemon/flag_values.h"

namespace ksched::daemon {
namespace {

using Parsed = cxxopts::ParseResult;

void AddTlsFlags(cxxopts::Options& options) {
  const auto text = [] { return cxxopts::value<std::string>(); };
  const auto list = [] { return cxxopts::value<std::vector<std::string>>(); };
  auto add = options.add_options();
  add("secure-port", "Serve HTTPS on this port: health, metrics, configuration (default 10259); 0: serve nothing",
      text(), "PORT");
  add("bind-address", "The address to listen on (default 0.0.0.0: all of them)", text(), "ADDRESS");
  add("permit-port-sharing", "Let several listen on the same port (SO_REUSEPORT)", BoolValue(), "BOOL");
  add("permit-address-sharing", "Taken, and always so (SO_REUSEADDR)", BoolValue(), "BOOL");
  add("tls-cert-file", "Certificate to serve with, and those of its authorities; read again when it changes", text(),
      "FILE");
  add("tls-private-key-file", "Its key", text(), "FILE");
  add("cert-dir", "Where a certificate signed by itself is kept, when no file is given (default: in memory)", text(),
      "DIR");
  add("tls-min-version", "VersionTLS12 (default) or VersionTLS13", text(), "VERSION");
  add("tls-cipher-suites", "Cipher suites of TLS 1.2, by Go's names", list(), "NAMES");
  add("tls-curve-preferences", "Key exchanges, by Go's numbers: 23, 24, 25, 29", list(), "NUMBERS");
  add("tls-sni-cert-key", "Not there yet: certificates by name", list(), "PAIR");
  add("disable-http2-serving", "Taken: HTTP/1.1 is what is served", BoolValue(), "BOOL");
  add("http2-max-streams-per-connection", "Taken: HTTP/1.1 is what is served", text(), "N");
}

void AddAccessFlags(cxxopts::Options& options) {
  const auto text = [] { return cxxopts::value<std::string>(); };
  const auto list = [] { return cxxopts::value<std::vector<std::string>>(); };
  auto add = options.add_options();
  add("client-ca-file", "Authorities of client certificates (default: what the cluster says)", text(), "FILE");
  add("requestheader-client-ca-file", "Authorities of proxies that name users in headers", text(), "FILE");
  add("requestheader-allowed-names", "Common names of those proxies (default: all)", list(), "NAMES");
  add("requestheader-username-headers", "Headers with the user (default x-remote-user)", list(), "NAMES");
  add("requestheader-uid-headers", "Headers with the user's UID", list(), "NAMES");
  add("requestheader-group-headers", "Headers with groups (default x-remote-group)", list(), "NAMES");
  add("requestheader-extra-headers-prefix", "How headers with more begin (default x-remote-extra-)", list(), "NAMES");
  add("authentication-kubeconfig", "Ask this cluster whose tokens are whose (default: the cluster that this runs in)",
      text(), "FILE");
  add("authentication-skip-lookup", "Do not ask it for authorities", BoolValue(), "BOOL");
  add("authentication-tolerate-lookup-failure", "Start also if it does not say (default true)", BoolValue(), "BOOL");
  add("authentication-token-webhook-cache-ttl", "How long to remember whose a token is (default 10s)", text(), "TIME");
  add("authorization-kubeconfig", "Ask this cluster who may read what (default: the cluster that this runs in)", text(),
      "FILE");
  add("authorization-always-allow-paths", "Paths that everybody may read (default /healthz,/readyz,/livez)", list(),
      "PATHS");
  add("authorization-webhook-cache-authorized-ttl", "How long to remember that somebody may (default 10s)", text(),
      "TIME");
  add("authorization-webhook-cache-unauthorized-ttl", "How long to remember that somebody may not (default 10s)",
      text(), "TIME");
}

Result<void> ReadFlag(const Parsed& parsed, const std::string& flag, bool& out) {
  std::optional<bool> given;
  auto read = ReadBool(parsed, flag, given);
  out = given.value_or(out);
  return read;
}

Result<void> ReadTime(const Parsed& parsed, const std::string& flag, std::chrono::milliseconds& out) {
  std::optional<config::DurationNs> given;
  auto read = ReadDuration(parsed, flag, given);
  if (given) out = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(*given));
  return read;
}

Result<void> ReadTls(const Parsed& parsed, ServingOptions& out, std::vector<std::string>& warnings) {
  out.certificate_file = cli::ValueOr(parsed, "tls-cert-file", out.certificate_file);
  out.key_file = cli::ValueOr(parsed, "tls-private-key-file", out.key_file);
  out.certificate_folder = cli::ValueOr(parsed, "cert-dir", out.certificate_folder);
  if (out.certificate_file.empty() != out.key_file.empty()) {
    return Error{"--tls-cert-file and --tls-private-key-file belong together"};
  }
  if (parsed.count("tls-sni-cert-key") != 0) {
    return Error{"--tls-sni-cert-key is not there yet: put all names into one certificate, for --tls-cert-file"};
  }
  std::vector<std::string> suites, numbers;
  std::vector<int32_t> curves;
  ReadList(parsed, "tls-cipher-suites", suites);
  ReadList(parsed, "tls-curve-preferences", numbers);
  for (const std::string& number : numbers) {
    const auto curve = cli::NumberOf("tls-curve-preferences", number);
    if (!curve) return curve.error();
    curves.push_back(*curve);
  }
  auto tls = serve::ReadTlsOptions(cli::ValueOr<std::string>(parsed, "tls-min-version", ""), suites, curves, warnings);
  if (!tls) return std::move(tls).error();
  out.tls = std::move(*tls);
  return {};
}

Result<void> ReadAuthentication(const Parsed& parsed, ServingOptions& out) {
  serve::AuthenticationOptions& to = out.authentication;
  to.client_ca_file = cli::ValueOr(parsed, "client-ca-file", to.client_ca_file);
  to.request_header_ca_file = cli::ValueOr(parsed, "requestheader-client-ca-file", to.request_header_ca_file);
  ReadList(parsed, "requestheader-allowed-names", to.request_header.allowed_names);
  ReadList(parsed, "requestheader-username-headers", to.request_header.user);
  ReadList(parsed, "requestheader-uid-headers", to.request_header.uid);
  ReadList(parsed, "requestheader-group-headers", to.request_header.group);
  ReadList(parsed, "requestheader-extra-headers-prefix", to.request_header.extra_prefix);
  out.authentication_kubeconfig = cli::ValueOr(parsed, "authentication-kubeconfig", out.authentication_kubeconfig);
  auto read = ReadFlag(parsed, "authentication-skip-lookup", to.skip_lookup);
  if (read) read = ReadFlag(parsed, "authentication-tolerate-lookup-failure", to.tolerate_lookup_failure);
  if (read) read = ReadTime(parsed, "authentication-token-webhook-cache-ttl", to.keep);
  return read;
}

Result<void> ReadAuthorization(const Parsed& parsed, ServingOptions& out) {
  serve::AuthorizationOptions& to = out.authorization;
  out.authorization_kubeconfig = cli::ValueOr(parsed, "authorization-kubeconfig", out.authorization_kubeconfig);
  ReadList(parsed, "authorization-always-allow-paths", to.always_allow_paths);
  auto read = ReadTime(parsed, "authorization-webhook-cache-authorized-ttl", to.keep_allowed);
  if (read) read = ReadTime(parsed, "authorization-webhook-cache-unauthorized-ttl", to.keep_denied);
  return read;
}

}  // namespace

void AddServingFlags(cxxopts::Options& options) {
  AddTlsFlags(options);
  AddAccessFlags(options);
}

Result<void> ReadServingFlags(const Parsed& parsed, ServingOptions& out, std::vector<std::string>& warnings) {
  std::optional<uint16_t> port;
  if (!ReadNumber(parsed, "secure-port", port)) {
    return Error{"--secure-port: \"" + parsed["secure-port"].as<std::string>() +
                 "\" must be between 0 and 65535, inclusive"};
  }
  out.port = port.value_or(out.port);
  out.bind_address = cli::ValueOr(parsed, "bind-address", out.bind_address);
  auto read = ReadFlag(parsed, "permit-port-sharing", out.share_port);
  if (read) read = ReadTls(parsed, out, warnings);
  if (read) read = ReadAuthentication(parsed, out);
  if (read) read = ReadAuthorization(parsed, out);
  return read;
}

}  // namespace ksched::daemon
