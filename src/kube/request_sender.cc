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
  ready_.clear();
  while (!exchanges_.empty()) Cancel(exchanges_.begin()->first);
}

RequestSender::Id RequestSender::Send(HttpRequest request, Done done) {
  const Id id = ++last_id_;
  Exchange& exchange =
      *exchanges_.emplace(id, std::make_unique<Exchange>(*this, id, std::move(request), std::move(done))).first->second;
  if (options_.limiter == nullptr) {
    TakeTurn(id);
  } else {
    exchange.turn = options_.limiter->Acquire([this, id] { TakeTurn(id); }, options_.urgent);
  }
  return id;
}

void RequestSender::TakeTurn(Id id) {
  exchanges_.at(id)->turn = 0;
  ready_.push_back(id);
  StartReady();
}

void RequestSender::StartReady() {
  while (!ready_.empty() && in_flight_ < options_.max_in_flight) {
    const Id id = ready_.front();
    ready_.pop_front();
    if (exchanges_.contains(id)) Launch(id);
  }
}

void RequestSender::Launch(Id id) {
  Exchange& exchange = *exchanges_.at(id);
  if (!options_.allowed || options_.allowed()) {
    ++in_flight_;
    exchange.request.allowed = options_.allowed;
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
  const auto node = exchanges_.extract(id);
  if (node.empty()) return;
  const Exchange& exchange = *node.mapped();
  if (options_.limiter != nullptr) options_.limiter->Cancel(exchange.turn);
  client_.timers().Cancel(exchange.refusal);
  client_.Cancel(exchange.running);
  if (exchange.running != 0) --in_flight_;
  StartReady();
}

void RequestSender::Finish(Id id, const ApiError* error) {
  const auto node = exchanges_.extract(id);
  const Exchange& exchange = *node.mapped();
  if (exchange.running != 0) --in_flight_;
  StartReady();
  exchange.done(error, exchange.body);
}

}  // namespace ksched::kube
