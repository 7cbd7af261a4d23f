#include "kube/pod_writer.h"

#include <fmt/format.h>

#include <utility>

#include "kube/json_body.h"
#include "kube/resources.h"

namespace ksched::kube {
namespace {

constexpr int kTries = 4;
constexpr int kBackoffFactor = 5;
constexpr double kBackoffJitter = 0.1;
constexpr std::string_view kStrategicMergePatch = "application/strategic-merge-patch+json";

enum class Retries { kNone, kServerFailed, kConflictToo };

// apierrors.IsInternalError, IsServiceUnavailable, net.IsConnectionRefused. A reason that is not said is the status'.
bool ServerFailed(const ApiError& error) {
  if (error.refused || error.reason == "InternalError" || error.reason == "ServiceUnavailable") return true;
  return error.kind == ErrorKind::kServer && error.reason.empty();
}

bool IsConflict(const ApiError& error) { return error.kind == ErrorKind::kRejected && error.reason == "Conflict"; }

bool IsGone(const ApiError& error) { return error.kind == ErrorKind::kNotFound; }

bool IsWorthAnotherTry(const ApiError& error, Retries retries) {
  if (retries == Retries::kNone) return false;
  return ServerFailed(error) || (retries == Retries::kConflictToo && IsConflict(error));
}

void WritePreconditions(JsonBody& body, const PodName& pod) {
  if (pod.uid.empty()) return;
  body.Open("preconditions");
  body.Text("uid", pod.uid);
  body.Close();
}

std::string BindingBody(const PodName& pod, std::string_view node) {
  JsonBody body;
  body.Text("apiVersion", "v1");
  body.Text("kind", "Binding");
  WriteMetadata(body, pod.ns, pod.name, pod.uid);
  body.Open("target");
  body.Text("kind", "Node");
  body.Text("name", node);
  body.Close();
  return body.Take();
}

std::string EvictionBody(const PodName& pod) {
  JsonBody body;
  body.Text("apiVersion", "policy/v1");
  body.Text("kind", "Eviction");
  WriteMetadata(body, pod.ns, pod.name);
  body.Open("deleteOptions");
  WritePreconditions(body, pod);
  body.Close();
  return body.Take();
}

std::string DeleteBody(const PodName& pod) {
  JsonBody body;
  body.Text("apiVersion", "v1");
  body.Text("kind", "DeleteOptions");
  WritePreconditions(body, pod);
  return body.Take();
}

}  // namespace

std::string PathOf(const PodName& pod) {
  return fmt::format("/api/v1/namespaces/{}/pods/{}", EscapeUrl(pod.ns), EscapeUrl(pod.name));
}

struct PodWriter::Write {
  HttpRequest request;
  bool urgent = false;
  Retries retries = Retries::kNone;
  Done done;
  int tries = 0;
  std::chrono::milliseconds backoff{0};
};

PodWriter::PodWriter(HttpClient& client, const Clock& wall, PodWriterOptions options)
    : client_(client),
      wall_(wall),
      options_(std::move(options)),
      rng_(options_.seed),
      sender_(client, options_.sender),
      urgent_(client, Urgent(options_.sender)) {}  // bindings do not wait for what is said about pods without a place

PodWriter::~PodWriter() {
  for (const Timers::Id pause : pauses_) client_.timers().Cancel(pause);
}

std::string PodWriter::Path(const PodName& pod, std::string_view subresource) const {
  std::string path = PathOf(pod);
  if (!subresource.empty()) path += fmt::format("/{}", subresource);
  return options_.dry_run ? path + "?dryRun=All" : path;
}

void PodWriter::Bind(const PodName& pod, std::string_view node, Done done) {
  HttpRequest request{.method = "POST", .target = Path(pod, "binding"), .body = BindingBody(pod, node)};
  request.content_type = kJsonType;
  Try(std::make_shared<Write>(Write{std::move(request), true, Retries::kServerFailed, std::move(done)}));
}

void PodWriter::PatchStatus(const PodName& pod, const KnownPodStatus& known, const PodStatusChange& change, Done done) {
  std::optional<std::string> patch = PodStatusPatch(known, change, wall_.Now(), pod.uid);
  if (!patch) return done(nullptr);
  HttpRequest request{.method = "PATCH", .target = Path(pod, "status"), .body = *std::move(patch)};
  request.content_type = kStrategicMergePatch;
  Try(std::make_shared<Write>(Write{std::move(request), false, Retries::kConflictToo, std::move(done)}));
}

void PodWriter::Delete(const PodName& pod, Done done) {
  HttpRequest request{.method = "DELETE", .target = Path(pod, ""), .body = DeleteBody(pod)};
  request.content_type = kJsonType;
  Try(std::make_shared<Write>(Write{std::move(request), false, Retries::kNone, std::move(done)}));
}

void PodWriter::Evict(const PodName& pod, Done done) {
  HttpRequest request{.method = "POST", .target = Path(pod, "eviction"), .body = EvictionBody(pod)};
  request.content_type = kJsonType;
  Try(std::make_shared<Write>(Write{std::move(request), false, Retries::kNone, std::move(done)}));
}

void PodWriter::Preempt(const PodName& victim, const KnownPodStatus& known, const PodCondition& disruption_target,
                        PreemptDone done) {
  PatchStatus(victim, known, {.condition = disruption_target},
              [this, victim, done = std::move(done)](const ApiError* error) {
                if (error != nullptr && IsGone(*error)) return done(nullptr, true);
                // Another pod may have its name: the deletion finds out.
                if (error != nullptr && !IsConflict(*error)) return done(error, false);
                Delete(victim, [done](const ApiError* failure) {
                  const bool gone = failure != nullptr && (IsGone(*failure) || IsConflict(*failure));
                  done(gone ? nullptr : failure, gone);
                });
              });
}

void PodWriter::Try(std::shared_ptr<Write> write) {
  if (write->tries++ == 0) write->backoff = options_.first_backoff;
  HttpRequest request = write->request;
  request.timeout = options_.timeout;
  RequestSender& sender = write->urgent ? urgent_ : sender_;
  sender.Send(std::move(request),
              [this, write = std::move(write)](const ApiError* error, std::string_view) { Ended(write, error); });
}

void PodWriter::Ended(const std::shared_ptr<Write>& write, const ApiError* error) {
  if (error == nullptr || write->tries >= kTries || !IsWorthAnotherTry(*error, write->retries)) {
    return write->done(error);
  }
  const auto stretch = static_cast<double>(write->backoff.count()) * kBackoffJitter * rng_.Fraction();
  const auto wait = write->backoff + std::chrono::milliseconds(static_cast<int64_t>(stretch));
  write->backoff *= kBackoffFactor;
  const auto id = std::make_shared<Timers::Id>(0);
  *id = client_.timers().After(wait, [this, id, write] {
    pauses_.erase(*id);
    Try(write);
  });
  pauses_.insert(*id);
}

PodCondition DisruptionTarget(std::string_view scheduler, int64_t generation) {
  return {.type = "DisruptionTarget",
          .status = "True",
          .reason = "PreemptionByScheduler",
          .message = fmt::format("{}: preempting to accommodate a higher priority pod", scheduler),
          .observed_generation = generation};
}

}  // namespace ksched::kube
