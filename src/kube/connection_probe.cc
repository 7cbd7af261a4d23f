#include "kube/connection_probe.h"

#include <utility>

namespace ksched::kube {
namespace {

// Whether the connection did not carry the request there and its answer back. Any answer proves that it does, and a
// request that could not be made proves nothing.
bool Fails(ErrorKind kind) {
  return kind == ErrorKind::kUnreachable || kind == ErrorKind::kTls || kind == ErrorKind::kTimeout ||
         kind == ErrorKind::kTruncated;
}

}  // namespace

ConnectionProbe::ConnectionProbe(HttpClient& client, const ProbeOptions& options, std::function<bool()> in_use)
    : client_(client), options_(options), in_use_(std::move(in_use)) {}

ConnectionProbe::~ConnectionProbe() {
  client_.timers().Cancel(timer_);
  client_.Cancel(request_);
}

void ConnectionProbe::Start() {
  heard_ = std::chrono::steady_clock::now();
  CheckAfter(options_.silence);
}

void ConnectionProbe::CheckAfter(std::chrono::milliseconds delay) {
  timer_ = client_.timers().After(delay, [this] { Check(); });
}

void ConnectionProbe::Check() {
  const TimePoint now = std::chrono::steady_clock::now();
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(heard_ + options_.silence - now);
  if (left.count() > 0) return CheckAfter(left);
  if (!in_use_()) return CheckAfter(options_.silence);
  ++probes_;
  asked_ = now;
  HttpRequest request{.target = options_.target, .timeout = options_.timeout};
  request.stream = true;
  request_ = client_.Start(std::move(request), *this);
}

void ConnectionProbe::OnDone(const ApiError* error) {
  request_ = 0;
  const bool dead = error != nullptr && Fails(error->kind) && heard_ <= asked_;
  heard_ = std::max(heard_, std::chrono::steady_clock::now());
  CheckAfter(options_.silence);
  if (!dead) return;
  ++drops_;
  client_.DropConnections();
}

}  // namespace ksched::kube
