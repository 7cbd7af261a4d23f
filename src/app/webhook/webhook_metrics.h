// The metrics of the webhook.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "serve/metrics.h"
#include "webhook/reviewer.h"

namespace ksched::webhook {

// Any thread may call any method.
class WebhookMetrics {
 public:
  explicit WebhookMetrics(serve::Registry& registry);

  void Answered(const Reviewed& reviewed, std::chrono::steady_clock::duration took);
  // A request that got no review for an answer.
  void Refused(const std::string& reason);
  void InFlight(int by) { in_flight_.Add(by); }
  void CacheAge(std::chrono::milliseconds age) { cache_age_.Set(static_cast<double>(age.count()) / 1000); }
  void CertificateExpires(int64_t unix_seconds) { certificate_expiry_.Set(static_cast<double>(unix_seconds)); }
  // `what`: policy, certificate.
  void Reloaded(const std::string& what, bool well) { reloads_.With({well ? "success" : "failure", what}).Add(); }

 private:
  serve::Registry::Family<serve::Counter>&requests_, &refused_, &reloads_;
  serve::Histogram& duration_;
  serve::Gauge &in_flight_, &cache_age_, &certificate_expiry_;
};

}  // namespace ksched::webhook
