#include "app/webhook/endpoints.h"

#include <algorithm>
#include <utility>

#include "config/go_text.h"
#include "serve/status_answer.h"

namespace ksched::webhook {
namespace {

using std::chrono::steady_clock;

// What an API server gives a webhook that says nothing of it, and the most that it may say.
constexpr std::chrono::seconds kDefaultTime{10}, kMostTime{30};
constexpr size_t kMostTrusted = 16384;

// ?timeout=3s, as API servers say how long they wait.
std::chrono::nanoseconds TimeFor(const serve::Request& request) {
  const auto given = request.Parameter("timeout");
  if (given.empty()) return kDefaultTime;
  const auto time = config::ParseDuration(given.front());
  if (!time || *time <= 0) return kDefaultTime;
  return std::min<std::chrono::nanoseconds>(std::chrono::nanoseconds(*time), kMostTime);
}

bool IsJson(std::string_view content_type) {
  return content_type.substr(0, content_type.find(';')) == "application/json";
}

}  // namespace

void Endpoints::Handle(serve::Request request, serve::Respond respond) {
  if (request.path == "/validate") return Validate(std::move(request), respond);
  respond(Page(request));
}

serve::Response Endpoints::Refuse(unsigned status, const std::string& reason, const std::string& text) {
  world_.metrics.Refused(reason);
  return serve::TextError(status, text);
}

void Endpoints::Validate(serve::Request request, const serve::Respond& respond) {
  if (request.method != "POST") {
    serve::Response answer = Refuse(405, "Method", "an AdmissionReview comes by POST");
    answer.headers.emplace_back("Allow", "POST");
    return respond(std::move(answer));
  }
  if (!IsJson(request.Find("content-type"))) {
    return respond(Refuse(415, "ContentType", "an AdmissionReview comes as application/json"));
  }
  std::string why_not;
  if (!IsTrusted(request.peer_certificates, why_not)) return respond(Refuse(403, "Client", why_not));
  ReviewPool::Job job{std::move(request.body), respond, steady_clock::now(), {}};
  job.deadline = job.arrived + TimeFor(request);
  if (world_.pool.Add(job)) return;
  serve::Response answer = Refuse(503, "Overload", "too many reviews wait");
  answer.headers.emplace_back("Retry-After", "1");
  respond(std::move(answer));
}

bool Endpoints::IsTrusted(const Certificates& certificates, std::string& why_not) {
  if (world_.clients == nullptr) return true;
  if (certificates == nullptr) {
    why_not = "a client certificate is needed";
    return false;
  }
  if (const uint64_t version = world_.clients->version(); version != trusted_of_) {
    trusted_of_ = version;
    trusted_.clear();
  }
  if (trusted_.contains(certificates)) return true;
  if (const auto user = world_.clients->Verify(*certificates); !user) {
    why_not = "the client certificate is not trusted: " + user.error().message;
    return false;
  }
  if (trusted_.size() >= kMostTrusted) trusted_.clear();
  trusted_.insert(certificates);
  return true;
}

serve::Response Endpoints::Page(const serve::Request& request) const {
  if (request.method != "GET" && request.method != "HEAD") return serve::TextError(405, "method not allowed");
  if (request.path == "/metrics") return serve::AnswerMetrics(world_.registry, world_.more_metrics(), request);
  const std::vector<serve::HealthCheck> alive = {serve::Ping()};
  if (request.path == "/healthz") return serve::AnswerHealth("healthz", alive, request);
  if (request.path == "/livez") return serve::AnswerHealth("livez", alive, request);
  if (request.path == "/readyz") return serve::AnswerHealth("readyz", world_.ready, request);
  return serve::NotFound();
}

}  // namespace ksched::webhook
