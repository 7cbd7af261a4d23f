#include "kube/in_cluster.h"

#include <sys/stat.h>

#include "kube/client_config_url.h"
#include "kube/credentials.h"
#include "kube/credentials_file.h"

namespace ksched::kube {
namespace {

std::string JoinHostPort(const std::string& host, const std::string& port) {
  return host.find_first_of(":%") == std::string::npos ? host + ":" + port : "[" + host + "]:" + port;
}

Result<std::optional<std::string>> ReadTrust(const ClientOptions& options, const Environment& environment) {
  if (!options.certificate_authority.empty()) {
    Result<std::string> pem = ReadWholeFile(options.certificate_authority);
    if (!pem) return std::move(pem).error();
    return std::optional(std::move(*pem));
  }
  const std::string path = environment.service_account_dir + "/ca.crt";
  Result<std::string> pem = ReadWholeFile(path);
  if (pem) return std::optional(std::move(*pem));
  if (environment.warn) {
    environment.warn("Expected to load root CA config from " + path + ", but got err: " + pem.error().message);
  }
  return std::optional<std::string>();
}

}  // namespace

bool IsInCluster(const Environment& environment) {
  if (environment.get("KUBERNETES_SERVICE_HOST").value_or("").empty()) return false;
  if (environment.get("KUBERNETES_SERVICE_PORT").value_or("").empty()) return false;
  struct stat status {};
  return stat((environment.service_account_dir + "/token").c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
}

Result<ClientConfig> InClusterConfig(const ClientOptions& options, const Environment& environment) {
  ClientConfig config;
  const std::string address = JoinHostPort(environment.get("KUBERNETES_SERVICE_HOST").value_or(""),
                                           environment.get("KUBERNETES_SERVICE_PORT").value_or(""));
  Result<std::string> server = NormalizeServer(options.server.empty() ? "https://" + address : options.server);
  if (!server) return std::move(server).error();
  config.server = std::move(*server);

  Result<std::optional<std::string>> trust = ReadTrust(options, environment);
  if (!trust) return std::move(trust).error();
  config.tls.ca_pem = std::move(*trust);

  StoredCredential stored;
  stored.values.bearer_token = options.token;
  if (options.token.empty()) stored.token_file = environment.service_account_dir + "/token";
  Result<std::shared_ptr<CredentialSource>> credentials = StoredCredentialSource::Create(std::move(stored));
  if (!credentials) return std::move(credentials).error();
  config.credentials = std::move(*credentials);
  return config;
}

std::string InClusterNamespace(const Environment& environment) {
  std::string ns = environment.get("POD_NAMESPACE").value_or("");
  if (!ns.empty()) return ns;
  const Result<std::string> file = ReadWholeFile(environment.service_account_dir + "/namespace");
  if (!file) return "default";
  const size_t first = file->find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "default";
  return file->substr(first, file->find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace ksched::kube
