// Speaks to one API server: many requests at once over one connection (HTTP/2), in one thread, as an event loop.
// What a well-behaved client repeats by itself is repeated here, before the handler hears anything: 401 once when the
// credential can be renewed; 429 and 5xx that say when (Retry-After); for GET also 500, 502, 503, 504 and connections
// that break before the answer. What breaks within the body is the handler's affair (kTruncated).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "kube/client_config.h"
#include "kube/http_types.h"
#include "kube/proxy.h"
#include "kube/timers.h"

namespace ksched::kube {

struct HttpClientOptions {
  GetEnv get_env;          // proxies, certificates; absent: nothing is set
  std::string user_agent;  // empty: kubectl-ksched/VERSION
  std::chrono::milliseconds connect_timeout{30'000};
  int max_retries = 10;                              // where the server says when (as client-go)
  int max_blind_retries = 3;                         // where it does not
  std::chrono::milliseconds first_backoff{200};      // of the blind ones, doubling
  std::chrono::milliseconds max_retry_wait{60'000};  // a longer Retry-After is cut to this
};

struct HttpCounters {
  uint64_t attempts = 0, connections = 0, retries = 0, refreshes = 0;
  uint64_t body_bytes = 0;  // as they came over the wire
};

// Not for several threads at once.
class HttpClient {
 public:
  using RequestId = uint64_t;

  // Connects to nothing yet. Fails for a server or proxy URL that cannot be used, and if the host's certificates
  // cannot be read.
  static Result<std::unique_ptr<HttpClient>> Create(ClientConfig config, const HttpClientOptions& options);
  ~HttpClient();  // requests that still run are dropped; their handlers hear nothing
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // The handler is borrowed until its OnDone, or Cancel. The request runs within Poll.
  RequestId Start(HttpRequest request, ResponseHandler& handler);
  RequestId StartAfter(std::chrono::milliseconds delay, HttpRequest request, ResponseHandler& handler);
  // Its handler hears nothing more. Ids that are done are fine.
  void Cancel(RequestId id);

  // What runs within Poll besides requests. Does not count for idle.
  Timers& timers();
  // No later request uses a connection that has been made until now, and what runs on one ends, at the next Poll, as if
  // the connection had broken.
  void DropConnections();

  // Does what can be done, and waits for more at most max_wait. Calls handlers and timers, with SIGPIPE blocked; timers
  // that have become due while it waited before anything is sent.
  void Poll(std::chrono::milliseconds max_wait);
  bool idle() const;  // no request is left
  // Polls until `done`, which is asked after each Poll and before the first. False: StopWhen said so before.
  bool PollUntil(const std::function<bool()>& done);
  // Ends whatever waits for answers here (PollUntil, and so Perform, lists and whatever else returns an answer) with
  // kInterrupted when `stop` says so, which is asked several times a second. Empty: never.
  void StopWhen(std::function<bool()> stop) { stop_ = std::move(stop); }
  // One request and its whole answer; other requests go on meanwhile. Answers over 128 MiB are errors. Not from
  // handlers.
  HttpResponse Perform(HttpRequest request);

  const ClientConfig& config() const;
  HttpCounters counters() const;

 private:
  class Loop;
  explicit HttpClient(std::unique_ptr<Loop> loop);
  std::unique_ptr<Loop> loop_;
  std::function<bool()> stop_;
};

}  // namespace ksched::kube
