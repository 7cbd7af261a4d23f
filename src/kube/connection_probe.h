// Finds out whether a connection that says nothing is still one, as client-go does it with pings of HTTP/2: after a
// while of silence it asks something small, and if that is not answered in time the connections are given up.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "kube/http_client.h"

namespace ksched::kube {

struct ProbeOptions {
  std::chrono::milliseconds silence{30'000}, timeout{15'000};
  std::string target = "/version";
};

class ConnectionProbe final : public ResponseHandler {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // client and options are borrowed. `in_use`: whether anybody waits for what a connection may bring.
  ConnectionProbe(HttpClient& client, const ProbeOptions& options, std::function<bool()> in_use);
  ~ConnectionProbe() override;
  ConnectionProbe(const ConnectionProbe&) = delete;
  ConnectionProbe& operator=(const ConnectionProbe&) = delete;

  void Start();
  void Heard(TimePoint now) { heard_ = now; }

  uint64_t probes() const { return probes_; }
  uint64_t drops() const { return drops_; }

  void OnHead(const ResponseHead&) override {}
  Result<void> OnData(std::string_view) override { return {}; }
  void OnDone(const ApiError* error) override;

 private:
  void Check();
  void CheckAfter(std::chrono::milliseconds delay);

  HttpClient& client_;
  const ProbeOptions& options_;
  const std::function<bool()> in_use_;
  TimePoint heard_, asked_;
  Timers::Id timer_ = 0;
  HttpClient::RequestId request_ = 0;
  uint64_t probes_ = 0, drops_ = 0;
};

}  // namespace ksched::kube
