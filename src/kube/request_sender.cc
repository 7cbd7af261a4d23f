#include "kube/request_sender.h"

#include <fmt/format.h>

#include <utility>

namespace ksched::kube {
namespace {

constexpr size_t kMaxBody = size_t{16} << 20;

}  // namespace

// A request from Send to its end.
class RequestSender::Exchange final : public ResponseHandler {
 public:
  Exchange(RequestSender& sender, Id id, HttpRequest asked, Done call)
      : request(std::move(asked)), done(std::move(call)), sender_(sender), id_(id) {}

  void OnHead(const ResponseHead&) override {}
  Result<void> OnData(std::string_view chunk) override {
    if (body.size() + chunk.size() > kMaxBody) return Error{"the server's answer is too large"};
    body.append(chunk);
    return {};
  }
  void OnDone(const ApiError* error) override { sender_.Finish(id_, error); }  // which ends our life

  HttpRequest request;  // until it is started
  const Done done;
  std::string body;
  RateLimiter::Id turn = 0;
  Timers::Id refusal = 0;
  HttpClient::RequestId running = 0;

 private:
  RequestSender& sender_;
  const Id id_;
};

RequestSender::RequestSender(HttpClient& client, SenderOptions options)
    : client_(client), options_(std::move(options)) {}

RequestSender::~RequestSender() {
  while (!exchanges_.empty()) Cancel(exchanges_.begin()->first);
}

RequestSender::Id RequestSender::Send(HttpRequest request, Done done) {
  const Id id = ++last_id_;
  Exchange& exchange =
      *exchanges_.emplace(id, std::make_unique<Exchange>(*this, id, std::move(request), std::move(done))).first->second;
  if (options_.limiter == nullptr) {
    Launch(id);
  } else {
    exchange.turn = options_.limiter->Acquire([this, id] { Launch(id); });
  }
  return id;
}

void RequestSender::Launch(Id id) {
  Exchange& exchange = *exchanges_.at(id);
  exchange.turn = 0;
  if (!options_.allowed || options_.allowed()) {
    exchange.running = client_.Start(std::move(exchange.request), exchange);
    return;
  }
  exchange.refusal = client_.timers().After(std::chrono::milliseconds(0), [this, id, request = exchange.request] {
    const ApiError error{
        .kind = ErrorKind::kNotSent,
        .message = fmt::format("the request was held back, since this process may not write now ({} {}{})",
                               request.method, client_.config().server, request.target)};
    Finish(id, &error);
  });
}

void RequestSender::Cancel(Id id) {
  const auto found = exchanges_.find(id);
  if (found == exchanges_.end()) return;
  const Exchange& exchange = *found->second;
  if (options_.limiter != nullptr) options_.limiter->Cancel(exchange.turn);
  client_.timers().Cancel(exchange.refusal);
  client_.Cancel(exchange.running);
  exchanges_.erase(found);
}

void RequestSender::Finish(Id id, const ApiError* error) {
  const auto node = exchanges_.extract(id);
  const Exchange& exchange = *node.mapped();
  exchange.done(error, exchange.body);
}

}  // namespace ksched::kube
