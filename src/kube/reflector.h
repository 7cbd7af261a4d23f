// Keeps somebody informed of all objects of some resources: lists each of them, watches it from there, and goes on
// whatever happens to the connection, the server or the list. As client-go's reflectors (tools/cache, v0.37.2), with
// these differences: a list that is made again asks for the newest; what the server has not got, or not for us, counts
// as absent and is asked for again now and then; a stream in which nothing comes is begun anew.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kube/backoff.h"
#include "kube/connection_probe.h"
#include "kube/http_client.h"
#include "kube/lister.h"
#include "kube/resources.h"
#include "kube/watch_sink.h"

namespace ksched::kube {

struct WatchRequest {
  const Resource* resource = nullptr;  // of AllResources, each at most once
  std::string label_selector, field_selector;
};

struct ReflectorOptions {
  ListOptions list;
  BackoffOptions backoff;
  // Of what is absent.
  BackoffOptions absent_backoff{
      .first = std::chrono::seconds(30), .cap = std::chrono::minutes(5), .reset = std::chrono::hours(24)};
  // How long it has to be 404 before what was there is taken for gone: somebody before the server may say that, too.
  std::chrono::milliseconds gone_after{180'000};
  std::chrono::seconds min_watch{300}, max_watch{600};  // after so long the server ends a watch, at random in between
  // So long nothing may come in a watch (the server sends bookmarks about every minute) before it is begun anew, and no
  // object in a streamed list before pages are asked for instead.
  std::chrono::milliseconds read_deadline{180'000}, initial_deadline{60'000};
  ProbeOptions probe;
  bool streaming = true;  // ask for streamed lists, as long as the server knows them
  bool json = false;      // never ask for protobuf
  uint64_t seed = 0;      // of the jitter
};

enum class Absence { kNo, kNotFound, kForbidden };

struct ReflectorStatus {
  const Resource* resource = nullptr;
  bool synced = false;    // a list has been complete since Start or Relist; true also for what is absent
  bool watching = false;  // a watch runs, and the server has answered it
  // The server has it not, or not for us, and nothing of before stands for it. What has been listed and may not be
  // seen any more is no absence but an error.
  Absence absent = Absence::kNo;
  // When the last event, bookmark or end of a list came; nothing: never.
  std::optional<std::chrono::steady_clock::time_point> last_event;
  std::string version, resource_version;  // of the API; where the watch goes on
  uint64_t listed = 0;                    // objects in lists, streamed or not
  uint64_t events = 0, bookmarks = 0;     // of watches
  uint64_t lists = 0;                     // begun, streamed or not
  uint64_t relists = 0;                   // of those: because the server could not go on from resource_version
  uint64_t watches = 0;                   // begun; a streamed list goes on as a watch
  uint64_t stalls = 0;                    // watches in which nothing came for too long
  uint64_t errors = 0;                    // requests and streams that failed
  uint64_t refused = 0;                   // objects that the sink could not take
  std::optional<ApiError> last_error;     // stays after it went well again
  std::string last_refusal;
};

struct ReflectorContext;
class ResourceReflector;

// Runs within HttpClient::Poll; not for several threads at once.
class Reflectors {
 public:
  // client and sink are borrowed and have to live longer. Not to be destroyed within the sink's calls.
  Reflectors(HttpClient& client, std::span<const WatchRequest> requests, const ReflectorOptions& options,
             WatchSink& sink);
  ~Reflectors();
  Reflectors(const Reflectors&) = delete;
  Reflectors& operator=(const Reflectors&) = delete;

  // Once.
  void Start();
  // Once it is synced, not within the sink's calls: lists this resource anew, whatever goes on. What was known stands
  // until that list is complete; it has everything that had been written before this call.
  void Relist(const Resource& resource);
  bool synced() const;                                                     // all of them
  std::span<const ReflectorStatus> statuses() const { return statuses_; }  // in the order of the requests
  uint64_t connections_dropped() const { return probe_.drops(); }          // because nothing answered on them any more

 private:
  const ReflectorOptions options_;
  ConnectionProbe probe_;
  std::unique_ptr<ReflectorContext> context_;
  std::vector<ReflectorStatus> statuses_;
  std::vector<std::unique_ptr<ResourceReflector>> reflectors_;
};

}  // namespace ksched::kube
