#include "kube/event_writer.h"

#include <fmt/format.h>

#include <utility>

#include "kube/resources.h"

namespace ksched::kube {
namespace {

std::string Collection(const Event& event) {
  return fmt::format("/apis/events.k8s.io/v1/namespaces/{}/events", EscapeUrl(event.ns));
}

// Whether the server has read the request and said no: it would say so again.
bool IsRejected(const ApiError& error) {
  switch (error.kind) {
    case ErrorKind::kTruncated:
    case ErrorKind::kTimeout:
    case ErrorKind::kProtocol:
      return false;
    case ErrorKind::kNotSent:
      return true;
    default:
      return error.status != 0;
  }
}

bool Exists(const ApiError& error) { return error.status == 409; }

}  // namespace

EventWriter::EventWriter(HttpClient& client, const Clock& wall, EventWriterOptions options)
    : client_(client),
      wall_(wall),
      options_(std::move(options)),
      rng_(options_.seed),
      series_(options_.max_remembered),
      sender_(client, options_.sender) {
  refresh_ = client_.timers().After(options_.refresh_period, [this] { Refresh(); });
  finish_ = client_.timers().After(options_.finish_period, [this] { Finish(); });
}

EventWriter::~EventWriter() {
  client_.timers().Cancel(refresh_);
  client_.timers().Cancel(finish_);
  for (const Timers::Id pause : pauses_) client_.timers().Cancel(pause);
}

void EventWriter::Record(EventMessage message) {
  ++counters_.recorded;
  TimeNs now = wall_.Now();
  if (now <= last_time_ && last_time_ - now < kNsPerSecond) now = last_time_ + 1;  // names are made of it
  last_time_ = now;
  for (EventPtr& event : series_.Add(MakeEvent(std::move(message), options_.hostname, now))) {
    Enqueue(std::move(event));
  }
}

void EventWriter::Refresh() {
  refresh_ = client_.timers().After(options_.refresh_period, [this] { Refresh(); });
  for (EventPtr& event : series_.Running()) Enqueue(std::move(event));
}

void EventWriter::Finish() {
  finish_ = client_.timers().After(options_.finish_period, [this] { Finish(); });
  const TimeNs idle = std::chrono::nanoseconds(options_.finish_period).count();
  for (EventPtr& event : series_.Finish(wall_.Now(), idle)) Enqueue(std::move(event));
}

void EventWriter::Enqueue(EventPtr event) {
  if (pending() >= options_.max_pending) {
    ++counters_.dropped;
    return;
  }
  queue_.push_back(std::make_shared<Write>(Write{.event = std::move(event)}));
  StartQueued();
}

void EventWriter::StartQueued() {
  while (!queue_.empty() && in_flight_ < options_.max_in_flight) {
    const WritePtr write = std::move(queue_.front());
    queue_.pop_front();
    ++in_flight_;
    ++write->tries;
    if (write->event->series) {
      Patch(write);
    } else {
      Create(write);
    }
  }
}

void EventWriter::Create(const WritePtr& write) {
  HttpRequest request{.method = "POST", .target = Collection(*write->event), .body = EventJson(*write->event)};
  request.content_type = kJsonType;
  sender_.Send(std::move(request), [this, write](const ApiError* error, std::string_view) { Ended(write, error); });
}

// The event may have gone by now, or not be there yet.
void EventWriter::Patch(const WritePtr& write) {
  HttpRequest request{.method = "PATCH"};
  request.target = Collection(*write->event) + "/" + EscapeUrl(write->event->name);
  request.body = SeriesPatch(*write->event);
  request.content_type = "application/strategic-merge-patch+json";
  sender_.Send(std::move(request), [this, write](const ApiError* error, std::string_view) {
    if (error != nullptr && error->kind == ErrorKind::kNotFound) return Create(write);
    Ended(write, error);
  });
}

void EventWriter::Ended(const WritePtr& write, const ApiError* error) {
  --in_flight_;
  if (error == nullptr) {
    ++counters_.written;
  } else if (IsRejected(*error) && !(write->event->series && Exists(*error))) {
    ++counters_.rejected;
  } else if (write->tries >= options_.max_tries) {
    ++counters_.given_up;
  } else {
    TryLater(write);
  }
  StartQueued();
}

void EventWriter::TryLater(const WritePtr& write) {
  const double stretch = static_cast<double>(options_.retry_wait.count()) * 0.25 * rng_.Fraction();
  const auto id = std::make_shared<Timers::Id>(0);
  const auto wait = options_.retry_wait + std::chrono::milliseconds(static_cast<int64_t>(stretch));
  *id = client_.timers().After(wait, [this, id, write] {
    pauses_.erase(*id);
    queue_.push_back(write);
    StartQueued();
  });
  pauses_.insert(*id);
}

}  // namespace ksched::kube
