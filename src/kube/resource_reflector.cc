#include "kube/resource_reflector.h"

#include <algorithm>
#include <utility>

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;

constexpr int kMaxUnfinished = 3;  // streamed lists without end, before pages are asked for
constexpr int kMaxSpoilt = 3;      // streams that cannot be read, before all is listed anew
constexpr int kMaxSilent = 2;      // streams in which nothing comes, before all is listed anew
constexpr auto kShortWatch = std::chrono::seconds(1);

std::optional<WatchEventType> TypeOf(std::string_view name) {
  if (name == "ADDED") return WatchEventType::kAdded;
  if (name == "MODIFIED") return WatchEventType::kModified;
  if (name == "DELETED") return WatchEventType::kDeleted;
  return std::nullopt;
}

}  // namespace

ResourceReflector::ResourceReflector(ReflectorContext& context, const WatchRequest& request, ReflectorStatus& status)
    : context_(context),
      request_(request),
      status_(status),
      backoff_(context.options.backoff),
      absent_backoff_(context.options.absent_backoff),
      list_request_{.resource = request.resource,
                    .label_selector = request.label_selector,
                    .field_selector = request.field_selector,
                    .json = context.options.json},
      list_hooks_{.page_done = [this] { Heard(); },
                  .items = [](ptrdiff_t) {},
                  .ended = [this](const ListTask&) { Wait(milliseconds(0), &ResourceReflector::ListEnded); }},
      stream_(context.client, *request.resource, request.label_selector, request.field_selector, context.options.json,
              {.heard = [this] { Heard(); },
               .event = [this](const api::WatchEvent& event) { OnEvent(event); },
               .ended = [this](const ApiError* error) { StreamEnded(error); }}) {
  status_.resource = request.resource;
}

ResourceReflector::~ResourceReflector() {
  context_.client.timers().Cancel(wait_timer_);
  context_.client.timers().Cancel(stall_timer_);
  list_hooks_.ended = [](const ListTask&) {};
  if (list_) list_->Abort({});
}

void ResourceReflector::Sync() { context_.streaming ? Stream() : List(); }

void ResourceReflector::List() {
  phase_ = Phase::kListing;
  ++status_.lists;
  // The first may be a little old, so that it costs the server little; after it nothing older may come.
  list_request_.from_cache = !listed_once_;
  context_.sink.OnListBegin(resource());
  list_ = std::make_unique<ListTask>(context_.client, list_request_, context_.options.list, *this, list_hooks_);
  list_->Begin();
}

void ResourceReflector::ListEnded() {
  ListResult result = std::move(*list_).Take();
  list_.reset();
  const auto versions = resource().known_versions();
  version_ = static_cast<size_t>(std::find(versions.begin(), versions.end(), result.version) - versions.begin());
  switch (result.outcome) {
    case ListResult::Outcome::kOk:
      if (result.resource_version.empty()) {
        return Retry({.message = "the list of " + resource().QualifiedName() + " has no resourceVersion"},
                     &ResourceReflector::Sync);
      }
      Synced(result.resource_version);
      return Watch();
    case ListResult::Outcome::kNotFound:
      return Absent(Absence::kNotFound, *result.error);
    case ListResult::Outcome::kForbidden:
      return Absent(Absence::kForbidden, *result.error);
    case ListResult::Outcome::kError:
      return Retry(*result.error, &ResourceReflector::Sync);
  }
}

void ResourceReflector::Stream() {
  phase_ = Phase::kStreaming;
  ++status_.lists;
  context_.sink.OnListBegin(resource());
  StartStream(true);
}

void ResourceReflector::Watch() {
  phase_ = Phase::kWatching;
  ++status_.watches;
  StartStream(false);
}

void ResourceReflector::StartStream(bool initial_events) {
  const ReflectorOptions& options = context_.options;
  const auto spread = static_cast<double>((options.max_watch - options.min_watch).count());
  came_ = false;
  heard_ = started_ = SteadyClock::now();
  stream_.Start(
      {.version = version(),
       .resource_version = status_.resource_version,
       .initial_events = initial_events,
       .timeout = options.min_watch + std::chrono::seconds(static_cast<int>(spread * context_.rng.Fraction()))});
  context_.client.timers().Cancel(stall_timer_);
  const milliseconds deadline = initial_events ? options.initial_deadline : options.read_deadline;
  stall_timer_ = context_.client.timers().After(deadline, [this] { CheckStalled(); });
}

void ResourceReflector::Synced(const std::string& resource_version) {
  status_.resource_version = resource_version;
  status_.version = version();
  status_.absent = Absence::kNo;
  status_.last_event = SteadyClock::now();
  absent_backoff_.Reset();
  listed_once_ = true;
  unfinished_ = spoilt_ = silent_ = 0;
  context_.sink.OnListEnd(resource());
  status_.synced = true;
}

// ---- what comes in ----

void ResourceReflector::Heard() {
  heard_ = SteadyClock::now();
  context_.probe.Heard(heard_);
  status_.watching = phase_ == Phase::kWatching;
}

void ResourceReflector::OnEvent(const api::WatchEvent& event) {
  if (event.type == "BOOKMARK") return OnBookmark(event);
  OnObject(event);
  // What a streamed list gives first is in no order: a watch cannot go on from there.
  if (phase_ == Phase::kWatching) GoesOnFrom(event.resource_version);
}

void ResourceReflector::GoesOnFrom(std::string_view resource_version) {
  if (!resource_version.empty()) status_.resource_version = resource_version;
  status_.last_event = heard_;
  came_ = true;
  spoilt_ = silent_ = 0;
}

void ResourceReflector::OnBookmark(const api::WatchEvent& event) {
  if (phase_ == Phase::kStreaming) {
    if (!event.initial_events_end || event.resource_version.empty()) return;
    phase_ = Phase::kWatching;
    ++status_.watches;
    status_.watching = true;
    return Synced(std::string(event.resource_version));
  }
  ++status_.bookmarks;
  context_.bookmarks = true;
  GoesOnFrom(event.resource_version);
}

void ResourceReflector::OnObject(const api::WatchEvent& event) {
  const WatchedObject object{resource(), version(), event.protobuf, event.document};
  const std::optional<WatchEventType> type = TypeOf(event.type);
  if (!type) return Count(Error{"the server sent an event of the type " + OneLine(event.type, 40)});
  if (phase_ == Phase::kStreaming && type != WatchEventType::kDeleted) {
    ++status_.listed;
    return Count(context_.sink.OnListed(object));
  }
  ++status_.events;
  Count(context_.sink.OnEvent(*type, object));
}

void ResourceReflector::Count(const Result<void>& taken) {
  if (taken) return;
  ++status_.refused;
  status_.last_refusal = taken.error().message;
}

Result<void> ResourceReflector::OnItem(const ListedFrom& from, std::string_view protobuf) {
  Heard();
  ++status_.listed;
  Count(context_.sink.OnListed({resource(), from.version, protobuf, nullptr}));
  return {};
}

Result<void> ResourceReflector::OnDocument(const ListedFrom& from, const api::Document& document) {
  Heard();
  ++status_.listed;
  Count(context_.sink.OnListed({resource(), from.version, {}, &document}));
  return {};
}

void ResourceReflector::OnRestart(const ListedFrom&) { context_.sink.OnListBegin(resource()); }

// ---- what goes wrong ----

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
  } else if (came_ || SteadyClock::now() - started_ >= kShortWatch) {
    Watch();
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
    case ErrorKind::kProtocol:
      if (++spoilt_ < kMaxSpoilt) return Retry(error, &ResourceReflector::Watch);
      spoilt_ = 0;
      return Retry(error, &ResourceReflector::Sync);
    default:
      return Retry(error, &ResourceReflector::Watch);
  }
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
// because of a single word.
void ResourceReflector::Absent(Absence how, const ApiError& error) {
  phase_ = Phase::kWaiting;
  version_ = 0;
  const bool again = status_.absent == how;
  status_.absent = how;
  if (!listed_once_ || (how == Absence::kNotFound && again)) {
    context_.sink.OnListBegin(resource());
    context_.sink.OnListEnd(resource());
    listed_once_ = false;
  }
  status_.synced = true;
  if (listed_once_) return Retry(error, &ResourceReflector::Sync);
  status_.last_error = error;
  Wait(absent_backoff_.Next(SteadyClock::now(), context_.rng), &ResourceReflector::Sync);
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
