// What a reflector makes of lists and watches that end otherwise than they should.
#include <algorithm>
#include <utility>

#include "kube/resource_reflector.h"

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;

constexpr int kMaxUnfinished = 3;  // streamed lists without end, before pages are asked for
constexpr int kMaxSpoilt = 3;      // streams that cannot be read, before all is listed anew
constexpr int kMaxSilent = 2;      // streams in which nothing comes, before all is listed anew
constexpr auto kShortWatch = std::chrono::seconds(1);

}  // namespace

void ResourceReflector::StreamEnded(const ApiError* error) {
  const Phase phase = std::exchange(phase_, Phase::kWaiting);
  status_.watching = false;
  context_.client.timers().Cancel(stall_timer_);
  if (phase == Phase::kStreaming) {
    StreamedListFailed(error != nullptr ? *error
                                        : ApiError{.kind = ErrorKind::kTruncated,
                                                   .message = "the streamed list of " + resource().QualifiedName() +
                                                              " ended without its last bookmark"});
  } else if (error != nullptr) {
    WatchFailed(*error);
  } else if (moved_ || SteadyClock::now() - started_ >= kShortWatch) {
    Watch();
  } else if (came_) {  // but nothing new: it may be like that again
    Wait(context_.options.backoff.first, &ResourceReflector::Watch);
  } else {
    Retry({.kind = ErrorKind::kTruncated,
           .message = "the watch of " + resource().QualifiedName() + " ended at once, without any event"},
          &ResourceReflector::Watch);
  }
}

void ResourceReflector::StreamedListFailed(const ApiError& error) {
  switch (error.kind) {
    case ErrorKind::kNotFound:
      if (version_ + 1 >= resource().known_versions().size()) return Absent(Absence::kNotFound, error);
      ++version_;
      return Stream();
    case ErrorKind::kForbidden:  // who may not watch may perhaps list
      return List();
    case ErrorKind::kRejected:  // it is no parameter that this server knows
      return ListInPagesFromNowOn();
    case ErrorKind::kServer:
    case ErrorKind::kProtocol:
    case ErrorKind::kTruncated:
      // What it sends cannot be had whole: perhaps in pages, this time.
      return Retry(error, ++unfinished_ < kMaxUnfinished ? &ResourceReflector::Sync : &ResourceReflector::ListInPages);
    default:
      return Retry(error, &ResourceReflector::Sync);
  }
}

void ResourceReflector::WatchFailed(const ApiError& error) {
  if (error.kind == ErrorKind::kExpired || error.version_too_large) return Relist(error);
  switch (error.kind) {
    case ErrorKind::kForbidden:
      return Absent(Absence::kForbidden, error);
    case ErrorKind::kNotFound:
    case ErrorKind::kRejected:
      version_ = 0;
      return Retry(error, &ResourceReflector::Sync);
    case ErrorKind::kServer:  // at the start it passes; in the stream it may be what comes next that the server cannot
                              // send
      return stream_.answered() ? WatchSpoilt(error) : Retry(error, &ResourceReflector::Watch);
    case ErrorKind::kProtocol:
      return WatchSpoilt(error);
    default:
      return Retry(error, &ResourceReflector::Watch);
  }
}

void ResourceReflector::WatchSpoilt(const ApiError& error) {
  if (++spoilt_ < kMaxSpoilt) return Retry(error, &ResourceReflector::Watch);
  spoilt_ = 0;
  Retry(error, &ResourceReflector::Sync);
}

void ResourceReflector::Relist(const ApiError& error) {
  ++status_.relists;
  const BackoffOptions& backoff = context_.options.backoff;
  const auto now = SteadyClock::now();
  const bool again = relisted_ && now - *relisted_ < backoff.reset;
  relisted_ = now;
  if (again) return Retry(error, &ResourceReflector::Sync);
  // At once, but not all of them in the same moment. What else went wrong before has been waited for.
  Note(error);
  Wait(std::chrono::duration_cast<milliseconds>(backoff.first * context_.rng.Fraction()), &ResourceReflector::Sync);
}

// It stands for an empty list, but what was there before does not go because somebody may not see it any more, nor
// because somebody says for a moment that it is not there.
void ResourceReflector::Absent(Absence how, const ApiError& error) {
  phase_ = Phase::kWaiting;
  version_ = 0;
  const auto now = SteadyClock::now();
  if (how == Absence::kNotFound && !gone_since_) gone_since_ = now;
  const bool gone = how == Absence::kNotFound && now - *gone_since_ >= context_.options.gone_after;
  if (listed_once_ && !gone) return Retry(error, &ResourceReflector::Sync);
  context_.sink.OnListBegin(resource());
  context_.sink.OnListEnd(resource());
  listed_once_ = false;
  status_.absent = how;
  status_.synced = true;
  status_.last_error = error;
  Wait(absent_backoff_.Next(now, context_.rng), &ResourceReflector::Sync);
}

void ResourceReflector::ListInPages() {
  unfinished_ = 0;
  List();
}

void ResourceReflector::ListInPagesFromNowOn() {
  context_.streaming = false;
  ListInPages();
}

void ResourceReflector::CheckStalled() {
  const milliseconds deadline =
      phase_ == Phase::kStreaming ? context_.options.initial_deadline : context_.options.read_deadline;
  const auto left = std::chrono::ceil<milliseconds>(heard_ + deadline - SteadyClock::now());
  if (left.count() > 0) {
    stall_timer_ = context_.client.timers().After(left, [this] { CheckStalled(); });
    return;
  }
  const bool answered = stream_.answered();
  stream_.Stop();
  status_.watching = false;
  ++status_.stalls;
  if (phase_ == Phase::kStreaming) return ListInPagesFromNowOn();
  // Not even a bookmark, twice, where there are bookmarks: the server may never have had this version.
  if (answered && !came_ && context_.bookmarks && ++silent_ >= kMaxSilent) {
    ++status_.relists;
    silent_ = 0;
    return Sync();
  }
  if (answered) return Watch();
  Retry({.kind = ErrorKind::kTimeout, .message = "the watch of " + resource().QualifiedName() + " was not answered"},
        &ResourceReflector::Watch);
}

void ResourceReflector::Note(const ApiError& error) {
  ++status_.errors;
  status_.last_error = error;
  if (error.kind != ErrorKind::kNotFound) gone_since_.reset();
}

void ResourceReflector::Retry(const ApiError& error, void (ResourceReflector::*next)()) {
  Note(error);
  milliseconds delay = backoff_.Next(SteadyClock::now(), context_.rng);
  if (error.retry_after) {
    delay = std::max(delay, std::min<milliseconds>(*error.retry_after, context_.options.backoff.cap));
  }
  Wait(delay, next);
}

void ResourceReflector::Wait(milliseconds delay, void (ResourceReflector::*next)()) {
  context_.client.timers().Cancel(wait_timer_);
  wait_timer_ = context_.client.timers().After(delay, [this, next] { (this->*next)(); });
}

}  // namespace ksched::kube
