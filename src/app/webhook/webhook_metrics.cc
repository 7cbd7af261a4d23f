#include "app/webhook/webhook_metrics.h"

#include <algorithm>
#include <iterator>

namespace ksched::webhook {
namespace {

// Others could be as many as somebody likes.
std::string KindLabel(const std::string& kind) {
  constexpr std::string_view kKinds[] = {"Pod",       "Deployment", "ReplicaSet", "StatefulSet",
                                         "DaemonSet", "Job",        "CronJob",    "ReplicationController",
                                         "Scale"};
  return std::ranges::find(kKinds, kind) == std::end(kKinds) ? "other" : kind;
}

}  // namespace

WebhookMetrics::WebhookMetrics(serve::Registry& registry)
    : requests_(registry.AddCounter({"ksched_webhook_requests_total",
                                     "Reviews that were answered: the kind of the object, what was done (allow, deny, "
                                     "warn, audit, ignore, skip, unknown, unable), and why.",
                                     {"action", "kind", "reason"}})),
      refused_(registry.AddCounter(
          {"ksched_webhook_refused_requests_total", "Requests that got no review for an answer.", {"reason"}})),
      reloads_(registry.AddCounter({"ksched_webhook_reloads_total",
                                    "Files and secrets that have changed and were read again.",
                                    {"result", "what"}})),
      duration_(*registry.AddHistogram(
          {"ksched_webhook_duration_seconds", "From the end of a request's body to its answer, waiting included.", {}},
          serve::ExponentialBuckets(0.00005, 2, 17))),
      in_flight_(*registry.AddGauge({"ksched_webhook_in_flight", "Reviews that wait or are judged.", {}})),
      cache_age_(*registry.AddGauge(
          {"ksched_webhook_cache_age_seconds", "How long ago every watch of the cluster was known to be up.", {}})),
      certificate_expiry_(*registry.AddGauge({"ksched_webhook_certificate_expiry_timestamp_seconds",
                                              "When the certificate that is served ends, in seconds since 1970.",
                                              {}})) {
  for (const char* what : {"policy", "certificate"}) {
    for (const char* result : {"success", "failure"}) (void)reloads_.With({result, what});
  }
}

void WebhookMetrics::Answered(const Reviewed& reviewed, std::chrono::steady_clock::duration took) {
  requests_.With({std::string(reviewed.action), KindLabel(reviewed.kind), reviewed.reason}).Add();
  duration_.Observe(std::chrono::duration<double>(took).count());
}

void WebhookMetrics::Refused(const std::string& reason) { refused_.With({reason}).Add(); }

}  // namespace ksched::webhook
