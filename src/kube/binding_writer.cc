#include "kube/binding_writer.h"

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <optional>
#include <utility>

#include "api/json_values.h"

namespace ksched::kube {
namespace {

// Whether the server may have done, or may yet do, what failed like that.
bool MayBeDone(const ApiError& error) {
  switch (error.kind) {
    case ErrorKind::kUnreachable:
      return !error.refused;
    case ErrorKind::kServer:
    case ErrorKind::kTruncated:
    case ErrorKind::kTimeout:
    case ErrorKind::kProtocol:
      return true;
    default:
      return false;
  }
}

// Also what an earlier try of PodWriter's has done.
bool IsConflict(const ApiError& error) { return error.status == 409; }

bool MayNotAsk(const ApiError& error) {
  switch (error.kind) {
    case ErrorKind::kNotSent:
    case ErrorKind::kInterrupted:
    case ErrorKind::kForbidden:
      return true;
    default:
      return false;
  }
}

struct Place {
  std::string uid, node;
};

// Nothing if it is no pod.
std::optional<Place> PlaceOf(std::string_view body) {
  rapidjson::Document document;
  document.Parse(body.data(), body.size());
  if (document.HasParseError()) return std::nullopt;
  Place place{api::TextAt(document, {"metadata", "uid"}), api::TextAt(document, {"spec", "nodeName"})};
  if (place.uid.empty()) return std::nullopt;
  return place;
}

ApiError Refused(ErrorKind kind, std::string message) {
  ApiError error;
  error.kind = kind;
  error.message = std::move(message);
  return error;
}

}  // namespace

BindingWriter::BindingWriter(HttpClient& client, PodWriter& writer, BindingWriterOptions options)
    : client_(client),
      writer_(writer),
      options_(std::move(options)),
      sender_(client, options_.sender),
      rng_(options_.seed) {}

BindingWriter::~BindingWriter() {
  for (const Timers::Id pause : pauses_) client_.timers().Cancel(pause);
}

void BindingWriter::Bind(const PodName& pod, std::string_view node, PodWriter::Done done) {
  Try(std::make_shared<Binding>(Binding{pod, std::string(node), std::move(done), Backoff(options_.backoff), {}}));
}

void BindingWriter::Try(const BindingPtr& binding) {
  writer_.Bind(binding->pod, binding->node, [this, binding](const ApiError* error) { Tried(binding, error); });
}

void BindingWriter::Tried(const BindingPtr& binding, const ApiError* error) {
  if (error == nullptr) return binding->done(nullptr);
  binding->last = *error;
  binding->open |= MayBeDone(*error);
  if (MayNotAsk(*error) || (!binding->open && !IsConflict(*error))) return binding->done(error);
  if (IsConflict(*error)) return Ask(binding);
  Later(binding, &BindingWriter::Ask);
}

void BindingWriter::Ask(const BindingPtr& binding) {
  HttpRequest request;
  request.target = PathOf(binding->pod);
  request.timeout = options_.timeout;
  sender_.Send(std::move(request),
               [this, binding](const ApiError* error, std::string_view body) { Answered(binding, error, body); });
}

void BindingWriter::Answered(const BindingPtr& binding, const ApiError* error, std::string_view body) {
  if (error != nullptr) {
    if (error->kind == ErrorKind::kNotFound) return binding->done(error);
    if (MayNotAsk(*error)) return binding->done(&binding->last);
    return Later(binding, &BindingWriter::Ask);
  }
  const std::optional<Place> place = PlaceOf(body);
  if (!place) return Later(binding, &BindingWriter::Ask);
  const std::string pod = fmt::format("pod {}/{}", binding->pod.ns, binding->pod.name);
  if (!binding->pod.uid.empty() && place->uid != binding->pod.uid) {
    const ApiError gone = Refused(ErrorKind::kNotFound, pod + " has gone, another one has its name");
    return binding->done(&gone);
  }
  if (place->node == binding->node) return binding->done(nullptr);
  if (!place->node.empty()) {
    const ApiError elsewhere =
        Refused(ErrorKind::kRejected, fmt::format("{} is already assigned to node \"{}\"", pod, place->node));
    return binding->done(&elsewhere);
  }
  // Not bound yet. A try that is still on its way would find it bound by the next one, or the other way round.
  if (!MayBeDone(binding->last)) return binding->done(&binding->last);
  Try(binding);
}

void BindingWriter::Later(const BindingPtr& binding, void (BindingWriter::*what)(const BindingPtr&)) {
  const auto id = std::make_shared<Timers::Id>(0);
  *id = client_.timers().After(binding->backoff.Next(Timers::SteadyClock::now(), rng_), [this, id, binding, what] {
    pauses_.erase(*id);
    (this->*what)(binding);
  });
  pauses_.insert(*id);
}

}  // namespace ksched::kube
