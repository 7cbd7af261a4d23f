// Requests whose answer is small: each waits its turn at a rate limiter and for its share of the connection, is started
// if it may be, and its whole answer is given to a function.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "kube/http_client.h"
#include "kube/rate_limiter.h"

namespace ksched::kube {

struct SenderOptions {
  RateLimiter* limiter = nullptr;  // borrowed; null: no limit
  bool urgent = false;             // its turn comes before those that are not
  // Asked when a request is about to be started, which may be long after Send, and when its first byte is about to be
  // sent: whether it (still) may be. Absent: yes.
  std::function<bool()> allowed;
  // Beyond that they wait, in order. An API server takes 100 at once on a connection, watches among them, and curl
  // would make another connection for each one beyond those.
  size_t max_in_flight = 48;
};

inline SenderOptions Urgent(SenderOptions options) {
  options.urgent = true;
  return options;
}

class RequestSender {
 public:
  using Id = uint64_t;  // never 0
  // nullptr: it succeeded, and body is all of the answer. kNotSent: it was not allowed.
  using Done = std::function<void(const ApiError* error, std::string_view body)>;

  // `client` is borrowed.
  RequestSender(HttpClient& client, SenderOptions options);
  ~RequestSender();  // what runs is dropped, and nobody hears of it
  RequestSender(const RequestSender&) = delete;
  RequestSender& operator=(const RequestSender&) = delete;

  // `done` is called within Poll, never within Send. It may do everything, also destroy the sender.
  Id Send(HttpRequest request, Done done);
  // `done` is not called; what the server makes of a request that is on its way is open. Ids that are done are fine.
  void Cancel(Id id);

  size_t running() const { return exchanges_.size(); }               // also those that wait
  size_t waiting() const { return exchanges_.size() - in_flight_; }  // for their turn, or their share

 private:
  class Exchange;
  void TakeTurn(Id id);
  void StartReady();
  void Launch(Id id);
  void Finish(Id id, const ApiError* error);

  HttpClient& client_;
  const SenderOptions options_;
  std::map<Id, std::unique_ptr<Exchange>> exchanges_;
  std::deque<Id> ready_;  // they have had their turn; some may be cancelled
  size_t in_flight_ = 0;
  Id last_id_ = 0;
};

}  // namespace ksched::kube
