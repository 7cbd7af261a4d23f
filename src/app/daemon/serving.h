// What a scheduler serves over HTTPS: /healthz, /livez, /readyz, /metrics, /configz; and who may read it.
// Reference: cmd/kube-scheduler/app/server.go, v1.37.2.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/daemon/log.h"
#include "app/daemon/serving_options.h"
#include "base/clock.h"
#include "kube/client_config.h"
#include "serve/authenticator.h"
#include "serve/authorizer.h"
#include "serve/guard.h"
#include "serve/health.h"
#include "serve/metrics.h"
#include "serve/review_client.h"
#include "serve/server.h"

namespace ksched::daemon {

// How the scheduling thread is, for those of the server.
class LiveState {
 public:
  // `steady` is borrowed.
  explicit LiveState(const Clock& steady) : steady_(steady) {}

  std::atomic<bool> synced{false}, stopping{false};
  // It goes round; it holds the lease, which ends then if nothing happens.
  void Beat(bool leads, int64_t lease_ns) { leads_until_ = leads ? steady_.Now() + lease_ns : 0; }
  // "": well. The lease was to be given up long ago, and nobody has.
  std::string LeaseTrouble(const std::string& lease) const;
  void SetText(std::string text);  // metrics that are made in the scheduling thread
  std::string text() const;

 private:
  const Clock& steady_;
  std::atomic<int64_t> leads_until_{0};
  mutable std::mutex mutex_;
  std::string text_;
};

struct ServedThings {
  const serve::Registry& metrics;
  const LiveState& state;
  std::string configuration;  // JSON
  std::string lease;          // its name; "": nobody is elected
};

class Serving {
 public:
  // Serves from now on. `things` refers to what outlives it. An error: it cannot.
  static Result<std::unique_ptr<Serving>> Start(const ServingOptions& options, ServedThings things, Logger& log);
  ~Serving();

  uint16_t port() const { return server_->port(); }

 private:
  class Endpoints;
  explicit Serving(Logger& log);
  Result<void> StartReviews(const ServingOptions& options);
  Result<void> StartServer(const ServingOptions& options);

  Logger& log_;
  // In this order: what asks the API server ends first, then the server.
  std::unique_ptr<Endpoints> endpoints_;
  std::unique_ptr<serve::TlsIdentity> identity_;
  std::unique_ptr<serve::Authenticator> authenticator_;
  std::unique_ptr<serve::Authorizer> authorizer_;
  std::unique_ptr<serve::Guard> guard_;
  std::unique_ptr<serve::Server> server_;
  std::unique_ptr<serve::ReviewClient> token_client_, access_client_;
};

}  // namespace ksched::daemon
