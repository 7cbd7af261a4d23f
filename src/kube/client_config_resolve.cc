#include "kube/client_config_resolve.h"

namespace ksched::kube {
namespace {

void SetIfGiven(std::string& value, const std::string& flag) {
  if (!flag.empty()) value = flag;
}

Result<void> ResolveContext(const Kubeconfig& config, const ClientOptions& options, ResolvedConfig& resolved) {
  resolved.context_name = options.context.empty() ? config.current_context : options.context;
  if (const auto found = config.contexts.find(resolved.context_name); found != config.contexts.end()) {
    resolved.context = found->second;
  } else if (!options.context.empty()) {
    return Error{"context \"" + options.context + "\" does not exist"};
  }
  SetIfGiven(resolved.context.cluster, options.cluster);
  SetIfGiven(resolved.context.user, options.user);
  SetIfGiven(resolved.context.ns, options.ns);
  resolved.cluster_name = resolved.context.cluster;
  resolved.user_name = resolved.context.user;
  return {};
}

void ApplyImpersonation(const ClientOptions& options, KubeconfigUser& user) {
  SetIfGiven(user.as, options.as);
  SetIfGiven(user.as_uid, options.as_uid);
  if (!options.as_groups.empty()) user.as_groups = options.as_groups;
  std::map<std::string, std::vector<std::string>> extra;
  for (const std::string& one : options.as_user_extra) {
    const size_t equals = one.find('=');
    if (equals != std::string::npos) extra[one.substr(0, equals)].push_back(one.substr(equals + 1));
  }
  for (auto& [key, values] : extra) user.as_user_extra[key] = std::move(values);
}

Result<void> ResolveUser(const Kubeconfig& config, const ClientOptions& options, ResolvedConfig& resolved) {
  KubeconfigUser& user = resolved.user;
  if (const auto found = config.users.find(resolved.user_name); found != config.users.end()) {
    user = found->second;
  } else if (!options.user.empty()) {
    return Error{"auth info \"" + options.user + "\" does not exist"};
  }
  if (!options.token.empty()) {
    user.token = options.token;
    user.token_file.clear();
  }
  SetIfGiven(user.username, options.username);
  SetIfGiven(user.password, options.password);
  if (!options.client_certificate.empty()) {
    user.client_certificate = options.client_certificate;
    user.client_certificate_data.clear();
  }
  if (!options.client_key.empty()) {
    user.client_key = options.client_key;
    user.client_key_data.clear();
  }
  ApplyImpersonation(options, user);
  return {};
}

Result<void> ResolveCluster(const Kubeconfig& config, const ClientOptions& options, const std::string& default_server,
                            ResolvedConfig& resolved) {
  KubeconfigCluster& cluster = resolved.cluster;
  if (const auto found = config.clusters.find(resolved.cluster_name); found != config.clusters.end()) {
    cluster = found->second;
  } else if (!options.cluster.empty()) {
    return Error{"cluster \"" + options.cluster + "\" does not exist"};
  }
  if (cluster.server.empty()) cluster.server = default_server;
  SetIfGiven(cluster.server, options.server);
  cluster.disable_compression = cluster.disable_compression || options.disable_compression.value_or(false);
  const bool insecure = options.insecure_skip_tls_verify.value_or(false);
  if (insecure || !options.certificate_authority.empty()) {  // what the file says about trust counts no more
    cluster.insecure_skip_tls_verify = insecure;
    cluster.certificate_authority = options.certificate_authority;
    cluster.certificate_authority_data.clear();
  }
  // Another server has another name.
  if (!options.tls_server_name.empty() || !options.server.empty()) cluster.tls_server_name = options.tls_server_name;
  return {};
}

}  // namespace

std::string DefaultServer(const Environment& environment) {
  const std::string master = environment.get("KUBERNETES_MASTER").value_or("");
  return master.empty() ? "http://localhost:8080" : master;
}

Result<ResolvedConfig> ResolveConfig(const Kubeconfig& config, const ClientOptions& options,
                                     const std::string& default_server) {
  ResolvedConfig resolved;
  const Result<void> context = ResolveContext(config, options, resolved);
  if (!context && options.user.empty()) return context.error();
  if (!context) {  // client-go looks at the user first
    resolved.user_name = options.user;
    const Result<void> user = ResolveUser(config, options, resolved);
    return user ? context.error() : user.error();
  }
  if (Result<void> user = ResolveUser(config, options, resolved); !user) return user.error();
  if (Result<void> cluster = ResolveCluster(config, options, default_server, resolved); !cluster)
    return cluster.error();
  return resolved;
}

}  // namespace ksched::kube
