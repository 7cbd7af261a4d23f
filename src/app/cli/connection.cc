#include "app/cli/connection.h"

#include <utility>

namespace ksched::cli {

Result<Connection> Connect(const kube::ClientOptions& options, bool stdin_in_use) {
  kube::Environment environment = kube::Environment::OfProcess();
  environment.stdin_in_use = stdin_in_use;
  auto config = kube::LoadClientConfig(options, environment);
  if (!config) return std::move(config).error();
  Connection connection;
  connection.ns = config->ns;
  kube::HttpClientOptions client_options;
  client_options.get_env = environment.get;
  auto client = kube::HttpClient::Create(std::move(*config), client_options);
  if (!client) return std::move(client).error();
  connection.client = std::move(*client);
  return connection;
}

}  // namespace ksched::cli
