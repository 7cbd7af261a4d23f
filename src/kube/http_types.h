// A request, and who hears of its answer.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kube/api_error.h"

namespace ksched::kube {

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf", kJsonType = "application/json";

struct HttpRequest {
  std::string method = "GET";
  std::string target;  // path and query as they go over the wire, escaped: "/api/v1/pods?limit=500"
  std::string body, content_type;
  std::string accept = "application/json";
  // For the whole request with its retries; 0: no end. Absent: the ClientConfig's.
  std::optional<std::chrono::milliseconds> timeout;
  // How long nothing at all may arrive; 0: for ever (a watch). The server itself ends what takes over a minute.
  std::chrono::seconds idle_timeout{75};
  // The answer is worth having bit by bit: its head is given before anything of the body is there, nothing is packed
  // (an API server packs each event of a streamed list by itself, and curl would unpack the first), and every failure
  // is told at once, but for a 401 with a credential that can be renewed.
  bool stream = false;
  // Asked right before each try is sent: whether it (still) may be. Absent: yes. No: the error is kNotSent.
  std::function<bool()> allowed;
};

struct ResponseHead {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case, in the order of arrival

  // The first value of a header, by its name in lower case; empty if there is none.
  std::string_view Find(std::string_view name) const;
  // Content-Type without its parameters, in lower case.
  std::string media_type() const;
};

// Called from HttpClient's Poll only, and from what calls that. It may Start and Cancel requests, but not Poll. Answers
// that are no success (2xx) are not given piecemeal: they come as the error of OnDone.
class ResponseHandler {
 public:
  virtual ~ResponseHandler() = default;
  virtual void OnHead(const ResponseHead& head) = 0;
  // A piece of the body, unpacked, cut anywhere. An error ends the request: OnDone gets its text as kProtocol.
  virtual Result<void> OnData(std::string_view chunk) = 0;
  // The last call. nullptr: all of the answer was there.
  virtual void OnDone(const ApiError* error) = 0;
};

// The whole of one answer.
struct HttpResponse {
  ResponseHead head;
  std::string body;
  std::optional<ApiError> error;  // then head and body say nothing

  bool ok() const { return !error; }
};

}  // namespace ksched::kube
