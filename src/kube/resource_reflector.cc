#include "kube/resource_reflector.h"

#include <algorithm>
#include <utility>

#include "api/object_head.h"

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;

std::optional<WatchEventType> TypeOf(std::string_view name) {
  if (name == "ADDED") return WatchEventType::kAdded;
  if (name == "MODIFIED") return WatchEventType::kModified;
  if (name == "DELETED") return WatchEventType::kDeleted;
  return std::nullopt;
}

// Whether `to` is a newer version than `from`.
bool IsNewer(std::string_view to, std::string_view from) {
  const uint64_t number = api::VersionNumber(to), before = api::VersionNumber(from);
  return number != 0 && before != 0 ? number > before : to != from;
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

void ResourceReflector::ListAnew() {
  stream_.Stop();
  if (list_) list_->Abort({});
  list_.reset();
  context_.client.timers().Cancel(stall_timer_);
  context_.client.timers().Cancel(wait_timer_);
  status_.synced = status_.watching = false;
  Sync();
}

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
  came_ = moved_ = false;
  began_from_ = status_.resource_version;
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
  gone_since_.reset();
  unfinished_ = spoilt_ = silent_ = 0;
  context_.sink.OnListEnd(resource());
  status_.synced = true;
}

// ---- what comes in ----

void ResourceReflector::Heard() {
  const auto now = SteadyClock::now();
  context_.probe.Heard(now);
  if (phase_ != Phase::kStreaming) heard_ = now;
  status_.watching = phase_ == Phase::kWatching;
}

void ResourceReflector::OnEvent(const api::WatchEvent& event) {
  if (event.type == "BOOKMARK") return OnBookmark(event);
  OnObject(event);
  // What a streamed list gives first is in no order: a watch cannot go on from there.
  if (phase_ == Phase::kWatching) GoesOnFrom(event.resource_version);
}

void ResourceReflector::GoesOnFrom(std::string_view resource_version) {
  status_.last_event = heard_;
  came_ = true;
  silent_ = 0;
  if (resource_version.empty()) return;
  status_.resource_version = resource_version;
  if (!IsNewer(resource_version, began_from_)) return;
  moved_ = true;
  spoilt_ = 0;
}

void ResourceReflector::OnBookmark(const api::WatchEvent& event) {
  if (phase_ == Phase::kStreaming) {
    if (!event.initial_events_end || event.resource_version.empty()) return;
    phase_ = Phase::kWatching;
    heard_ = SteadyClock::now();
    ++status_.watches;
    status_.watching = true;
    began_from_ = event.resource_version;
    return Synced(began_from_);
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
    // What changes meanwhile does not bring the list nearer to its end.
    if (type == WatchEventType::kAdded) heard_ = SteadyClock::now();
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

}  // namespace ksched::kube
