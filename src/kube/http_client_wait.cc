// Waiting for answers, and giving up on them.
#include <utility>

#include "kube/http_client.h"

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;

constexpr size_t kMaxWholeBody = size_t{128} << 20;
constexpr milliseconds kPoll{1000}, kPollWithStop{100};

class WholeAnswer final : public ResponseHandler {
 public:
  void OnHead(const ResponseHead& head) override { answer_.head = head; }
  Result<void> OnData(std::string_view chunk) override {
    if (answer_.body.size() + chunk.size() > kMaxWholeBody) return Error{"the server's answer is too large"};
    answer_.body.append(chunk);
    return {};
  }
  void OnDone(const ApiError* error) override {
    if (error != nullptr) answer_.error = *error;
    done_ = true;
  }
  bool done() const { return done_; }
  HttpResponse Take() && { return std::move(answer_); }

 private:
  HttpResponse answer_;
  bool done_ = false;
};

}  // namespace

bool HttpClient::PollUntil(const std::function<bool()>& done) {
  while (!done()) {
    if (stop_ && stop_()) return false;
    Poll(stop_ ? kPollWithStop : kPoll);
  }
  return true;
}

HttpResponse HttpClient::Perform(HttpRequest request) {
  WholeAnswer answer;
  const RequestId id = Start(std::move(request), answer);
  if (PollUntil([&] { return answer.done(); })) return std::move(answer).Take();
  Cancel(id);
  HttpResponse stopped;
  stopped.error = InterruptedError();
  return stopped;
}

}  // namespace ksched::kube
