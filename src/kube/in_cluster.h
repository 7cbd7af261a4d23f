// A process in a pod: the service account that Kubernetes mounts, and where the API server is by the environment.
// Differences from client-go: request timeout, impersonation and compression that flags ask for hold here too.
#pragma once

#include <string>

#include "kube/client_config.h"

namespace ksched::kube {

// The environment names the API server, and there is a token.
bool IsInCluster(const Environment& environment);

// Only if IsInCluster. --server, --token and --certificate-authority win over what the pod has; other credentials and
// the context's fields of the configuration stay as they are for the caller to fill.
Result<ClientConfig> InClusterConfig(const ClientOptions& options, const Environment& environment);

// POD_NAMESPACE, the service account's, or "default".
std::string InClusterNamespace(const Environment& environment);

}  // namespace ksched::kube
