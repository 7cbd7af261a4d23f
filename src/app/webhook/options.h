// The flags of `webhook` and `webhook test`.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/options.h"
#include "app/daemon/log.h"
#include "base/result.h"
#include "kube/client_config.h"

namespace ksched::webhook {

struct NamespacedName {
  std::string ns, name;
};

struct WebhookOptions {
  bool help = false;
  std::string address;  // "": every interface
  uint16_t port = 9443;
  std::string cert_dir;        // with tls.crt and tls.key
  std::string client_ca_file;  // "": whoever asks is answered
  std::string policy, config, feature_gates;
  // All three, or none: the certificate is made and kept by the server itself.
  NamespacedName service, certificate_secret;
  std::string webhook_configuration;
  uint32_t workers = 0;  // threads that judge; 0: one for each processor
  uint32_t max_connections = 8192;
  std::chrono::milliseconds shutdown_delay{5000};
  kube::ClientOptions connection;
  daemon::LogFormat log_format = daemon::LogFormat::kText;
  int32_t verbosity = 0;

  bool makes_certificates() const { return !service.name.empty(); }
};

struct WebhookTestOptions {
  bool help = false;
  std::vector<std::string> filenames, snapshots;
  bool recursive = false;
  std::string policy, config, feature_gates;
  std::string user = "kubernetes-admin";
  std::vector<std::string> groups;
  cli::OutputFormat output = cli::OutputFormat::kTable;
  kube::ClientOptions connection;
};

// `arguments` are those after the command. The error says what is wrong with which flag.
Result<WebhookOptions> ParseWebhookOptions(const std::vector<std::string>& arguments);
Result<WebhookTestOptions> ParseWebhookTestOptions(const std::vector<std::string>& arguments);
std::string DescribeWebhookFlags();
std::string DescribeWebhookTestFlags();

}  // namespace ksched::webhook
