// Which cluster, user and context count: the merged kubeconfig under kubectl's flags.
#pragma once

#include <string>

#include "kube/client_config.h"
#include "kube/kubeconfig.h"

namespace ksched::kube {

struct ResolvedConfig {
  std::string context_name, cluster_name, user_name;  // empty: none
  KubeconfigContext context;
  KubeconfigCluster cluster;  // never without a server: `default_server` if nothing names one
  KubeconfigUser user;
};

// KUBERNETES_MASTER, or http://localhost:8080.
std::string DefaultServer(const Environment& environment);

// Fails if a flag names a context, cluster or user that does not exist. Paths of flags stay as they are given.
// One difference from client-go: --token also wins over a tokenFile of the user, as over its token.
Result<ResolvedConfig> ResolveConfig(const Kubeconfig& config, const ClientOptions& options,
                                     const std::string& default_server);

// What contradicts itself or cannot be read in the chosen context, cluster and user: client-go's ConfirmUsable.
Result<void> ConfirmUsable(const Kubeconfig& config, const ResolvedConfig& resolved);

}  // namespace ksched::kube
