// For tests of reflectors: some of them against a server that answers by script.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kube/reflector.h"
#include "kube/watch_test_util.h"

namespace ksched::kube {

inline bool IsWatch(const SeenRequest& request) { return request.target.find("watch=true") != std::string::npos; }
inline bool IsStreamedList(const SeenRequest& request) {
  return request.target.find("sendInitialEvents") != std::string::npos;
}

// Quick where a server's answers decide; what only silence brings about is a minute away.
inline ReflectorOptions QuickReflectors(bool streaming, bool json) {
  ReflectorOptions options;
  options.list.retry_delay = std::chrono::milliseconds(1);
  options.backoff = {
      .first = std::chrono::milliseconds(1), .cap = std::chrono::milliseconds(4), .reset = std::chrono::minutes(2)};
  options.absent_backoff = {
      .first = std::chrono::milliseconds(5), .cap = std::chrono::milliseconds(10), .reset = std::chrono::hours(1)};
  options.gone_after = std::chrono::milliseconds(20);
  options.streaming = streaming;
  options.json = json;
  options.seed = 7;
  return options;
}

// Reflectors against a server that answers by script.
class Watching {
 public:
  Watching(ScriptedServer& server, const ReflectorOptions& options,
           const std::vector<std::pair<std::string_view, std::string_view>>& resources = {{"", "pods"}})
      : Watching(ConfigFor(server.url()), options, resources) {}
  Watching(const ClientConfig& config, const ReflectorOptions& options,
           const std::vector<std::pair<std::string_view, std::string_view>>& resources = {{"", "pods"}})
      : client_(MakeClient(config)) {
    std::vector<WatchRequest> requests;
    for (const auto& [group, plural] : resources) requests.push_back({.resource = FindResource(group, plural)});
    reflectors_ = std::make_unique<Reflectors>(*client_, requests, options, sink);
    reflectors_->Start();
  }

  // False if it does not come true.
  bool Until(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      client_->Poll(std::chrono::milliseconds(5));
    }
    return true;
  }
  bool UntilPods(const std::vector<std::string>& names) {
    return Until([&] { return reflectors_->synced() && sink.names["pods"] == names; });
  }
  void Relist() { reflectors_->Relist(*FindResource("", "pods")); }
  const ReflectorStatus& status(size_t i = 0) const { return reflectors_->statuses()[i]; }
  const Reflectors& reflectors() const { return *reflectors_; }
  HttpClient& client() { return *client_; }

  NameWatcher sink;

 private:
  std::unique_ptr<HttpClient> client_;
  std::unique_ptr<Reflectors> reflectors_;
};

// Answers in turns, and then with silence.
inline ScriptedServer::Script InTurn(std::deque<Reply> replies) {
  return [replies = std::move(replies)](const SeenRequest&, size_t nth) {
    return nth < replies.size() ? replies[nth] : Reply{.hang = true};
  };
}

}  // namespace ksched::kube
