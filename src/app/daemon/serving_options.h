// The flags of `run` about serving: kube-scheduler's groups "secure serving", "authentication" and "authorization".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/flags.h"
#include "serve/authenticator.h"
#include "serve/authorizer.h"
#include "serve/tls.h"

namespace ksched::daemon {

struct ServingOptions {
  uint16_t port = 10259;  // 0: nothing is served
  std::string bind_address = "0.0.0.0";
  bool share_port = false;
  std::string certificate_file, key_file;  // none: signed by itself
  std::string certificate_folder;
  serve::TlsOptions tls;
  serve::AuthenticationOptions authentication;
  serve::AuthorizationOptions authorization;
  std::string authentication_kubeconfig, authorization_kubeconfig;  // "": the cluster that this runs in, if any
};

void AddServingFlags(cxxopts::Options& options);
// `warnings` gets what is left out.
Result<void> ReadServingFlags(const cxxopts::ParseResult& parsed, ServingOptions& out,
                              std::vector<std::string>& warnings);

}  // namespace ksched::daemon
