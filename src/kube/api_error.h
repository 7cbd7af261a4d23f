// Why a request to the API server failed, as a kind to act on and one line for the user. The texts are kubectl's where
// kubectl has one (kubectl/pkg/cmd/util, v0.37.2), followed by the request: "(GET https://host:6443/api/v1/pods)".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ksched::kube {

enum class ErrorKind {
  kUnreachable,      // no connection: refused, no such host, reset before an answer, a proxy that says no
  kTls,              // the handshake failed: certificates, names, versions
  kCredentials,      // there is none to send: the plugin failed, or what it gave cannot stand in a header
  kUnauthorized,     // 401
  kForbidden,        // 403
  kNotFound,         // 404
  kExpired,          // 410: the continue token or the resource version is too old
  kTooManyRequests,  // 429, after all retries
  kRejected,         // any other 4xx: the request was understood and refused
  kServer,           // 5xx, after all retries
  kTruncated,        // the answer broke off in its body
  kTimeout,          // the request's time is up, or nothing was heard for too long
  kProtocol,         // an answer that is no answer of an API server
  kInterrupted,      // whoever asked does not want to know any more (HttpClient::StopWhen)
  kNotSent,          // held back here: who asks may not (any longer)
};
std::string_view ToString(ErrorKind kind);

struct ApiError {
  ErrorKind kind = ErrorKind::kProtocol;
  int status = 0;       // of HTTP; 0: there was no answer
  std::string reason;   // metav1.Status.reason ("AlreadyExists"); empty: not said
  std::string message;  // one line, without secrets
  std::optional<std::chrono::seconds> retry_after;
  bool version_too_large = false;  // the server has not got (or never had) the resourceVersion that was asked for
  bool refused = false;            // the connection was (ECONNREFUSED): the server heard nothing

  Error ToError() const { return Error{message}; }
};

// What a failing answer says of itself: metav1.Status, the parts that are used.
struct ServerStatus {
  std::string message, reason;
  int code = 0;
  std::optional<std::chrono::seconds> retry_after;
  bool version_too_large = false;  // one of details.causes
};

// Reads a Status from a body in JSON or in Kubernetes' protobuf envelope, whatever the content type claims. Nothing if
// the body is none, be it broken or another thing.
std::optional<ServerStatus> ParseStatusBody(std::string_view body);

// The Retry-After header: whole seconds. Nothing for dates and nonsense, as with client-go.
std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value);

// The error of an answer with a status that is no success. `request` is the "(GET URL)" of the message; `location` is
// that header's value.
ApiError ErrorOfAnswer(int status, std::string_view body, std::optional<std::chrono::seconds> retry_after,
                       std::string_view location, std::string_view request);

ApiError InterruptedError();

// Text fit for one line: control characters become spaces, and it is cut after `limit` bytes.
std::string OneLine(std::string_view text, size_t limit = 1024);

}  // namespace ksched::kube
