#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "kube/client_config_resolve.h"
#include "kube/client_config_url.h"
#include "kube/credentials_file.h"

namespace ksched::kube {
namespace {

using Messages = std::vector<std::string>;

void CheckReadable(const std::string& path, const char* field, const std::string& owner, Messages& messages) {
  if (path.empty()) return;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0) {
    close(file);
    return;
  }
  messages.push_back(std::string("unable to read ") + field + " " + path + " for " + owner + " due to open " + path +
                     ": " + ErrnoText(errno));
}

void CheckCluster(const std::string& name, const KubeconfigCluster& cluster, Messages& messages) {
  if (const Result<void> proxy = CheckProxyUrl(cluster.proxy_url); !proxy) {
    messages.push_back("invalid 'proxy-url' \"" + WithoutUserInfo(cluster.proxy_url) + "\" for cluster \"" + name +
                       "\": " + proxy.error().message);
  }
  if (!cluster.certificate_authority.empty() && !cluster.certificate_authority_data.empty()) {
    messages.push_back("certificate-authority-data and certificate-authority are both specified for " + name +
                       ". certificate-authority-data will override.");
  }
  CheckReadable(cluster.certificate_authority, "certificate-authority", name, messages);
}

void CheckCertificate(const std::string& name, const KubeconfigUser& user, Messages& messages) {
  if (user.client_certificate.empty() && user.client_certificate_data.empty()) return;
  if (!user.client_certificate.empty() && !user.client_certificate_data.empty()) {
    messages.push_back("client-cert-data and client-cert are both specified for " + name +
                       ". client-cert-data will override.");
  }
  if (!user.client_key.empty() && !user.client_key_data.empty()) {
    messages.push_back("client-key-data and client-key are both specified for " + name +
                       "; client-key-data will override");
  }
  if (user.client_key.empty() && user.client_key_data.empty()) {
    messages.push_back("client-key-data or client-key must be specified for " + name +
                       " to use the clientCert authentication method.");
  }
  CheckReadable(user.client_certificate, "client-cert", name, messages);
  CheckReadable(user.client_key, "client-key", name, messages);
}

void CheckExec(const std::string& name, const KubeconfigUser& user, Messages& messages) {
  if (!user.exec) return;
  const std::string use = " must be specified for " + name + " to use exec authentication plugin";
  if (user.auth_provider) {
    messages.push_back("authProvider cannot be provided in combination with an exec plugin for " + name);
  }
  if (user.exec->command.empty()) messages.push_back("command" + use);
  if (user.exec->api_version.empty()) messages.push_back("apiVersion" + use);
  for (const auto& [variable, value] : user.exec->env) {
    if (variable.empty()) messages.push_back("env variable name" + use);
  }
  const std::string& mode = user.exec->interactive_mode;
  if (mode.empty()) {
    messages.push_back("interactiveMode" + use);
  } else if (mode != "Never" && mode != "IfAvailable" && mode != "Always") {
    messages.push_back("invalid interactiveMode for " + name + ": \"" + mode + "\"");
  }
}

void CheckUser(const std::string& name, const KubeconfigUser& user, Messages& messages) {
  CheckCertificate(name, user, messages);
  CheckExec(name, user, messages);
  if (!user.token.empty() && (!user.username.empty() || !user.password.empty())) {
    messages.push_back("more than one authentication method found for " + name +
                       "; found [token basicAuth], only one is allowed");
  }
  if ((!user.as_uid.empty() || !user.as_groups.empty() || !user.as_user_extra.empty()) && user.as.empty()) {
    messages.push_back("requesting uid, groups or user-extra for " + name + " without impersonating a user");
  }
}

}  // namespace

Result<void> ConfirmUsable(const Kubeconfig& config, const ResolvedConfig& resolved) {
  Messages messages;
  if (!resolved.context_name.empty() && !config.contexts.contains(resolved.context_name)) {
    messages.push_back("context was not found for specified context: " + resolved.context_name);
  }
  CheckUser(resolved.user_name, resolved.user, messages);
  CheckCluster(resolved.cluster_name, resolved.cluster, messages);
  if (messages.empty()) return {};
  if (messages.size() == 1) return Error{std::move(messages[0])};
  std::string all;
  for (const std::string& message : messages) all += (all.empty() ? "" : ", ") + message;
  return Error{"invalid configuration: [" + all + "]"};
}

}  // namespace ksched::kube
