// One watch request after the other: asks, takes the stream apart, and says how it ended.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/watch_reader.h"
#include "kube/http_client.h"
#include "kube/resources.h"

namespace ksched::kube {

struct WatchStart {
  std::string_view version;      // of the API
  std::string resource_version;  // the watch goes on behind it
  bool initial_events = false;   // first what there is, and a bookmark that ends it; then without resource_version
  std::chrono::seconds timeout{300};
};

class WatchStream final : public ResponseHandler {
 public:
  struct Hooks {
    std::function<void()> heard;                        // something came
    std::function<void(const api::WatchEvent&)> event;  // any but ERROR
    std::function<void(const ApiError* error)> ended;   // null: in good order, by the server. It may Start anew
  };

  // client and resource are borrowed. json: never ask for protobuf.
  WatchStream(HttpClient& client, const Resource& resource, std::string label_selector, std::string field_selector,
              bool json, Hooks hooks);
  ~WatchStream() override { Stop(); }
  WatchStream(const WatchStream&) = delete;
  WatchStream& operator=(const WatchStream&) = delete;

  // Not while it runs.
  void Start(const WatchStart& start);
  // Nothing more is heard of it. Fine at any time.
  void Stop();

  bool running() const { return running_; }
  bool answered() const { return reader_ != nullptr; }  // the server has begun to answer the last Start

  void OnHead(const ResponseHead& head) override;
  Result<void> OnData(std::string_view chunk) override;
  void OnDone(const ApiError* error) override;

 private:
  std::string Target(const WatchStart& start) const;
  Result<void> Take(const api::WatchEvent& event);
  ApiError Spoilt(ErrorKind kind, const std::string& why) const;

  HttpClient& client_;
  const Resource& resource_;
  const std::string label_selector_, field_selector_;
  const bool json_;
  const Hooks hooks_;
  std::unique_ptr<api::WatchReader> reader_;
  std::optional<ApiError> failure_;  // in the stream
  HttpClient::RequestId request_ = 0;
  bool running_ = false;
};

}  // namespace ksched::kube
