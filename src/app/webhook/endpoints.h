// What the webhook serves: /validate for API servers, /healthz, /livez, /readyz and /metrics for everybody.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/webhook/review_pool.h"
#include "app/webhook/webhook_metrics.h"
#include "serve/authorities.h"
#include "serve/health.h"
#include "serve/http.h"
#include "serve/metrics.h"

namespace ksched::webhook {

struct EndpointsWorld {
  ReviewPool& pool;
  const serve::Registry& registry;
  WebhookMetrics& metrics;
  const serve::Authorities* clients = nullptr;  // who may ask for judgement; null: everybody
  std::vector<serve::HealthCheck> ready;        // called in the server's thread
  std::function<std::string()> more_metrics;    // any thread
};

class Endpoints final : public serve::Handler {
 public:
  explicit Endpoints(EndpointsWorld world) : world_(std::move(world)) {}
  void Handle(serve::Request request, serve::Respond respond) override;

 private:
  using Certificates = std::shared_ptr<const std::vector<std::string>>;
  void Validate(serve::Request request, const serve::Respond& respond);
  serve::Response Refuse(unsigned status, const std::string& reason, const std::string& text);
  bool IsTrusted(const Certificates& certificates, std::string& why_not);
  serve::Response Page(const serve::Request& request) const;

  const EndpointsWorld world_;
  // Of connections whose certificates were found good: they are not looked at again. Only in the server's thread.
  std::set<std::weak_ptr<const std::vector<std::string>>, std::owner_less<>> trusted_;
  uint64_t trusted_of_ = 0;  // the version of the authorities that found them good
};

}  // namespace ksched::webhook
