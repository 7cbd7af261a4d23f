#include "kube/client_config.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "kube/client_config_resolve.h"
#include "kube/client_config_url.h"
#include "kube/credentials.h"
#include "kube/credentials_file.h"
#include "kube/duration.h"
#include "kube/exec_credential.h"
#include "kube/in_cluster.h"
#include "kube/kubeconfig.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): macOS does not declare it

namespace ksched::kube {
namespace {

constexpr const char* kExecExtension = "client.authentication.k8s.io/exec";

Impersonation ImpersonationOf(const KubeconfigUser& user) {
  if (user.as.empty()) return {};
  return {.user = user.as,
          .uid = user.as_uid,
          .groups = user.as_groups,
          .extra = {user.as_user_extra.begin(), user.as_user_extra.end()}};
}

Result<TlsConfig> TlsOf(const KubeconfigCluster& cluster, const std::string& name) {
  TlsConfig tls{.insecure = cluster.insecure_skip_tls_verify, .server_name = cluster.tls_server_name};
  const bool has_ca = !cluster.certificate_authority.empty() || !cluster.certificate_authority_data.empty();
  if (has_ca && tls.insecure) {
    const std::string of = name.empty() ? "" : "cluster \"" + name + "\": ";
    return Error{of + "specifying a root certificates file with the insecure flag is not allowed"};
  }
  if (!cluster.certificate_authority_data.empty()) {
    tls.ca_pem = cluster.certificate_authority_data;
  } else if (!cluster.certificate_authority.empty()) {
    Result<std::string> pem = ReadWholeFile(cluster.certificate_authority);
    if (!pem) return std::move(pem).error();
    tls.ca_pem = std::move(*pem);
  }
  return tls;
}

Error NoAuthProvider(const std::string& provider, const std::string& user) {
  const std::string of = "user \"" + user + "\": ";
  if (provider == "gcp") {
    return Error{of +
                 "The gcp auth plugin has been removed. Please use the \"gke-gcloud-auth-plugin\" kubectl/client-go "
                 "credential plugin instead. See "
                 "https://cloud.google.com/blog/products/containers-kubernetes/kubectl-auth-changes-in-gke for further "
                 "details"};
  }
  if (provider == "azure") {
    return Error{of +
                 "The azure auth plugin has been removed. Please use the https://github.com/Azure/kubelogin "
                 "kubectl/client-go credential plugin instead. See "
                 "https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins "
                 "for further details"};
  }
  return Error{of + "no Auth Provider found for name \"" + provider + "\": use an exec credential plugin instead"};
}

StoredCredential StoredOf(const KubeconfigUser& user) {
  StoredCredential stored;
  stored.values.bearer_token = user.token;
  stored.token_file = user.token_file;
  stored.values.username = user.username;
  stored.values.password = user.password;
  if (user.client_certificate.empty() && user.client_certificate_data.empty()) return stored;
  stored.values.client_certificate_pem = user.client_certificate_data;
  stored.values.client_key_pem = user.client_key_data;
  if (user.client_certificate_data.empty()) stored.client_certificate_file = user.client_certificate;
  if (user.client_key_data.empty()) stored.client_key_file = user.client_key;
  return stored;
}

// The URL as the plugin is to see it: as it is written, but for a query behind a path.
std::string ServerForPlugin(const std::string& server) {
  const size_t scheme = server.find("://");
  const size_t path = server.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  if (path == std::string::npos) return server;
  const size_t end = std::min(server.find_first_of("?#"), server.size());
  return path + 1 < end ? server.substr(0, end) : server;
}

ExecCluster ExecClusterOf(const KubeconfigCluster& cluster, const TlsConfig& tls) {
  ExecCluster told{.server = ServerForPlugin(cluster.server),
                   .tls_server_name = tls.server_name,
                   .insecure_skip_tls_verify = tls.insecure,
                   .ca_pem = tls.ca_pem.value_or(""),
                   .proxy_url = cluster.proxy_url,
                   .disable_compression = cluster.disable_compression};
  const auto extension = cluster.extensions.find(kExecExtension);
  if (extension != cluster.extensions.end()) told.config = extension->second;
  return told;
}

// client-go: a token, a password or a certificate that is there keeps the plugin from being run.
Result<std::shared_ptr<CredentialSource>> CredentialsOf(const ResolvedConfig& resolved, const TlsConfig& tls,
                                                        const Environment& environment) {
  const KubeconfigUser& user = resolved.user;
  if (user.auth_provider) return NoAuthProvider(user.auth_provider->name, resolved.user_name);
  const bool has_token = !user.token.empty() || !user.token_file.empty(), has_basic = !user.username.empty();
  if (has_token && has_basic) {
    return Error{"user \"" + resolved.user_name + "\": username/password or bearer token may be set, but not both"};
  }
  const bool has_certificate = !user.client_certificate.empty() || !user.client_certificate_data.empty();
  const bool uses_plugin = user.exec && !has_token && !has_basic && !has_certificate;
  Result<std::shared_ptr<CredentialSource>> source =
      uses_plugin ? ExecCredentialSource::Create(*user.exec, ExecClusterOf(resolved.cluster, tls), environment)
                  : StoredCredentialSource::Create(StoredOf(user));
  if (!source) return std::move(source).error().Within("user \"" + resolved.user_name + "\"");
  return source;
}

Result<ClientConfig> FromResolved(const ResolvedConfig& resolved, const Environment& environment) {
  ClientConfig config;
  Result<std::string> server = NormalizeServer(resolved.cluster.server);
  if (!server) {
    const std::string& name = resolved.cluster_name;
    return name.empty() ? std::move(server).error() : std::move(server).error().Within("cluster \"" + name + "\"");
  }
  config.server = std::move(*server);
  config.proxy_url = resolved.cluster.proxy_url;
  config.context_name = resolved.context_name;
  Result<std::shared_ptr<CredentialSource>> credentials = StoredCredentialSource::Create({});
  if (IsHttps(config.server)) {  // nothing secret goes over a plain connection
    Result<TlsConfig> tls = TlsOf(resolved.cluster, resolved.cluster_name);
    if (!tls) return std::move(tls).error();
    config.tls = std::move(*tls);
    credentials = CredentialsOf(resolved, config.tls, environment);
  }
  if (!credentials) return std::move(credentials).error();
  config.credentials = std::move(*credentials);
  return config;
}

// Nothing says where the cluster is: what client-go compares with its default configuration.
bool IsDefault(const ResolvedConfig& resolved, const std::string& default_server) {
  const KubeconfigUser& user = resolved.user;
  const KubeconfigCluster& cluster = resolved.cluster;
  if (cluster.server != default_server || !cluster.proxy_url.empty()) return false;
  const Result<std::string> server = NormalizeServer(cluster.server);
  if (!server || !IsHttps(*server)) return true;
  return user.token.empty() && user.token_file.empty() && user.username.empty() && user.client_certificate.empty() &&
         user.client_certificate_data.empty() && !user.exec && !user.auth_provider &&
         !cluster.insecure_skip_tls_verify && cluster.certificate_authority.empty() &&
         cluster.certificate_authority_data.empty() && cluster.tls_server_name.empty();
}

std::string NamespaceOf(const ResolvedConfig& resolved, const Environment& environment) {
  if (!resolved.context.ns.empty()) return resolved.context.ns;
  return IsInCluster(environment) ? InClusterNamespace(environment) : "default";
}

}  // namespace

Environment Environment::OfProcess() {
  Environment environment;
  environment.get = [](const std::string& name) -> std::optional<std::string> {
    const char* value =
        std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  environment.all = [] {
    std::vector<std::string> all;
    for (char** one = environ; *one != nullptr; ++one) all.emplace_back(*one);
    return all;
  };
  environment.stdin_is_terminal = [] { return isatty(STDIN_FILENO) == 1; };
  environment.warn = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  environment.now = [] { return std::chrono::system_clock::now(); };
  return environment;
}

Result<ClientConfig> LoadClientConfig(const ClientOptions& options, const Environment& environment) {
  Result<Kubeconfig> kubeconfig =
      LoadKubeconfig(FindKubeconfigFiles(options.kubeconfig, environment.get), environment.warn);
  if (!kubeconfig) return std::move(kubeconfig).error();
  const std::string default_server = DefaultServer(environment);
  Result<ResolvedConfig> resolved = ResolveConfig(*kubeconfig, options, default_server);
  if (!resolved) return std::move(resolved).error();
  if (Result<void> usable = ConfirmUsable(*kubeconfig, *resolved); !usable) return usable.error();
  Result<std::chrono::milliseconds> timeout = ParseRequestTimeout(options.request_timeout);
  if (!timeout) return std::move(timeout).error();

  const bool in_cluster = IsDefault(*resolved, default_server) && IsInCluster(environment);
  Result<ClientConfig> config =
      in_cluster ? InClusterConfig(options, environment) : FromResolved(*resolved, environment);
  if (!config) return config;
  config->impersonation = ImpersonationOf(resolved->user);
  config->disable_compression = resolved->cluster.disable_compression;
  config->request_timeout = *timeout;
  config->ns = NamespaceOf(*resolved, environment);
  return config;
}

}  // namespace ksched::kube
