// The way from kubectl's flags to a client of the cluster.
#pragma once

#include <memory>

#include "app/cli/streams.h"
#include "base/result.h"
#include "kube/client_config.h"
#include "kube/http_client.h"

namespace ksched::cli {

struct Connection {
  std::unique_ptr<kube::HttpClient> client;
  std::string ns;  // of objects that name none: -n, or the context's
};

// Reads kubeconfigs; connects to nothing yet. `stdin_in_use`: the command reads its input there, so that no credential
// plugin may.
Result<Connection> Connect(const kube::ClientOptions& options, bool stdin_in_use);

}  // namespace ksched::cli
