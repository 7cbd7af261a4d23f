// The reflector of one resource: what it does next when a list or a watch has ended.
#pragma once

#include <memory>
#include <string>

#include "kube/list_task.h"
#include "kube/reflector.h"
#include "kube/watch_stream.h"

namespace ksched::kube {

// What the reflectors of a client have in common.
struct ReflectorContext {
  HttpClient& client;
  const ReflectorOptions& options;
  ConnectionProbe& probe;
  WatchSink& sink;
  Rng rng;
  bool streaming;          // the server knows streamed lists, as far as anybody has noticed
  bool bookmarks = false;  // the server sends bookmarks
};

class ResourceReflector final : public ListSink {
 public:
  // All are borrowed.
  ResourceReflector(ReflectorContext& context, const WatchRequest& request, ReflectorStatus& status);
  ~ResourceReflector() override;
  ResourceReflector(const ResourceReflector&) = delete;
  ResourceReflector& operator=(const ResourceReflector&) = delete;

  void Start() { Sync(); }
  void ListAnew();
  // Waits for what an answer of the server may bring.
  bool in_use() const { return list_ != nullptr || (stream_.running() && stream_.answered()); }

  // Of the list.
  Result<void> OnItem(const ListedFrom& from, std::string_view protobuf) override;
  Result<void> OnDocument(const ListedFrom& from, const api::Document& document) override;
  void OnRestart(const ListedFrom& from) override;

 private:
  using SteadyClock = std::chrono::steady_clock;
  enum class Phase { kWaiting, kListing, kStreaming, kWatching };  // kStreaming: until the list that is streamed ends

  // What comes next: a list and then a watch, a list of pages, a watch.
  void Sync();
  void List();
  void Stream();
  void Watch();
  void StartStream(bool initial_events);
  void Synced(const std::string& resource_version);

  void ListEnded();
  void StreamEnded(const ApiError* error);
  void StreamedListFailed(const ApiError& error);
  void WatchFailed(const ApiError& error);
  void WatchSpoilt(const ApiError& error);
  void Relist(const ApiError& error);
  void ListInPages();
  void Absent(Absence how, const ApiError& error);
  void ListInPagesFromNowOn();
  void CheckStalled();

  // `next` after the backoff, and not before the server wants to hear of us.
  void Retry(const ApiError& error, void (ResourceReflector::*next)());
  void Wait(std::chrono::milliseconds delay, void (ResourceReflector::*next)());
  void Note(const ApiError& error);

  void Heard();
  void OnEvent(const api::WatchEvent& event);
  void OnBookmark(const api::WatchEvent& event);
  void OnObject(const api::WatchEvent& event);
  void GoesOnFrom(std::string_view resource_version);
  void Count(const Result<void>& taken);
  const Resource& resource() const { return *request_.resource; }
  std::string_view version() const { return resource().known_versions()[version_]; }

  ReflectorContext& context_;
  const WatchRequest request_;
  ReflectorStatus& status_;
  Backoff backoff_, absent_backoff_;
  Phase phase_ = Phase::kWaiting;
  size_t version_ = 0;        // index
  bool listed_once_ = false;  // a list has been complete, so that nothing older may come
  bool came_ = false;         // something came in the stream
  bool moved_ = false;        // and it was newer than what the stream began from
  std::string began_from_;
  // One after the other: streamed lists without end, unreadable streams, streams in which nothing came at all.
  int unfinished_ = 0, spoilt_ = 0, silent_ = 0;
  // Of the stream. While a list is streamed only objects of it count as heard.
  SteadyClock::time_point heard_, started_;
  std::optional<SteadyClock::time_point> relisted_, gone_since_;  // gone_since_: lists have been 404 since then
  ListRequest list_request_;
  ListTask::Hooks list_hooks_;
  std::unique_ptr<ListTask> list_;
  WatchStream stream_;
  Timers::Id wait_timer_ = 0, stall_timer_ = 0;
};

}  // namespace ksched::kube
