// Exec credential plugins (client.authentication.k8s.io v1 and v1beta1): a program prints who asks.
// Reference: client-go plugin/pkg/client/auth/exec, v0.37.2. Without its allow list, which only kuberc sets; the hint
// how to install a plugin is also given when the command is a path that does not exist.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "kube/client_config.h"
#include "kube/kubeconfig.h"

namespace ksched::kube {

// What a plugin is told about the cluster if it asks to be.
struct ExecCluster {
  std::string server, tls_server_name;
  bool insecure_skip_tls_verify = false;
  std::string ca_pem, proxy_url;
  bool disable_compression = false;
  std::string config = "null";  // JSON
};

// KUBERNETES_EXEC_INFO, with the line end that client-go leaves at its end. `cluster` may be null.
std::string ExecInfo(const std::string& api_version, bool interactive, const ExecCluster* cluster);

struct ExecAnswer {
  Credential credential;
  std::optional<std::chrono::system_clock::time_point> expires;
};

// Reads what a plugin printed (JSON or YAML). Errors repeat nothing of it.
Result<ExecAnswer> ParseExecAnswer(std::string output, const std::string& api_version);

// Whether the plugin gets our standard input, by its interactiveMode.
Result<bool> IsInteractive(const KubeconfigExec& exec, const Environment& environment);

// Runs the plugin at the first Get(), when its answer has expired and after Refresh().
class ExecCredentialSource final : public CredentialSource {
 public:
  // Fails on an apiVersion that is not known.
  static Result<std::shared_ptr<CredentialSource>> Create(KubeconfigExec exec, ExecCluster cluster,
                                                          Environment environment);

  Result<Credential> Get() override;
  bool Refresh() override;

 private:
  ExecCredentialSource(KubeconfigExec exec, ExecCluster cluster, Environment environment);
  Result<ExecAnswer> Run();
  Error NotThere(const std::string& what) const;

  const KubeconfigExec exec_;
  const ExecCluster cluster_;
  const Environment environment_;
  std::mutex mutex_;  // held while the plugin runs: it may talk to the user, so it runs once
  std::optional<ExecAnswer> answer_;
  std::chrono::system_clock::time_point answered_;
  bool renewed_ = false;  // answer_ is not the first: another one had expired, or was refused
};

}  // namespace ksched::kube
