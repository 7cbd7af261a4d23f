// A kubeconfig as `kubectl config view --raw -o json` prints it.
#pragma once

#include <string>

#include "base/result.h"
#include "kube/kubeconfig.h"

namespace ksched::kube {

// Puts certificates and keys that stand in files into the configuration itself: kubectl's --flatten. Token files stay.
Result<void> FlattenKubeconfig(Kubeconfig& config);

// JSON without spaces. Lists are sorted by name; a list that is empty is null. It holds every secret in plain.
std::string RenderKubeconfig(const Kubeconfig& config);

}  // namespace ksched::kube
