#include "kube/api_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ksched::kube {
namespace {

ErrorKind KindOfStatus(int status) {
  switch (status) {
    case 401:
      return ErrorKind::kUnauthorized;
    case 403:
      return ErrorKind::kForbidden;
    case 404:
      return ErrorKind::kNotFound;
    case 410:
      return ErrorKind::kExpired;
    case 429:
      return ErrorKind::kTooManyRequests;
    default:
      if (status >= 500) return ErrorKind::kServer;
      return status >= 400 ? ErrorKind::kRejected : ErrorKind::kProtocol;
  }
}

struct Generic {
  std::string_view reason, message;
};

// What is said when the server gave no Status (apimachinery's NewGenericServerResponse).
Generic GenericAnswer(int status) {
  switch (status) {
    case 400:
      return {"BadRequest", "the server rejected our request for an unknown reason"};
    case 401:
      return {"Unauthorized", "the server has asked for the client to provide credentials"};
    case 403:
      return {"Forbidden", ""};
    case 404:
      return {"NotFound", "the server could not find the requested resource"};
    case 405:
      return {"MethodNotAllowed", "the server does not allow this method on the requested resource"};
    case 406:
      return {"NotAcceptable", "the server was unable to respond with a content type that the client supports"};
    case 409:
      return {"Conflict", "the server reported a conflict"};
    case 410:
      return {"Expired", "the requested version of the list is no longer there"};
    case 422:
      return {"Invalid", "the server rejected our request due to an error in our request"};
    case 429:
      return {"TooManyRequests", "the server has received too many requests and has asked us to try again later"};
    case 503:
      return {"ServiceUnavailable", "the server is currently unable to handle the request"};
    case 504:
      return {"Timeout",
              "the server was unable to return a response in the time allotted, but may still be processing the "
              "request"};
    default:
      return {"", ""};
  }
}

// A body that is text says more than nothing: the first line or so of it.
std::string QuotedBody(std::string_view body) {
  const bool printable = std::none_of(body.begin(), body.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
  return body.empty() || !printable ? "" : OneLine(body, 256);
}

std::string GenericMessage(int status, std::string_view body, std::string_view location) {
  if (status >= 300 && status < 400) {
    return fmt::format("the server answered {} with a redirect to {}, which is not followed", status,
                       location.empty() ? "nowhere" : OneLine(location, 256));
  }
  std::string said = QuotedBody(body);
  std::string message(GenericAnswer(status).message);
  if (message.empty() && status < 500 && !said.empty()) return said;
  if (message.empty()) {
    message = fmt::format("the server responded with the status code {} but did not return more information", status);
    if (said.empty()) return message;
    return fmt::format("an error on the server (\"{}\") has prevented the request from succeeding", said);
  }
  return said.empty() ? message : message + ": " + said;
}

}  // namespace

std::string_view ToString(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUnreachable:
      return "Unreachable";
    case ErrorKind::kTls:
      return "Tls";
    case ErrorKind::kCredentials:
      return "Credentials";
    case ErrorKind::kUnauthorized:
      return "Unauthorized";
    case ErrorKind::kForbidden:
      return "Forbidden";
    case ErrorKind::kNotFound:
      return "NotFound";
    case ErrorKind::kExpired:
      return "Expired";
    case ErrorKind::kTooManyRequests:
      return "TooManyRequests";
    case ErrorKind::kRejected:
      return "Rejected";
    case ErrorKind::kServer:
      return "Server";
    case ErrorKind::kTruncated:
      return "Truncated";
    case ErrorKind::kTimeout:
      return "Timeout";
    case ErrorKind::kProtocol:
      return "Protocol";
    case ErrorKind::kInterrupted:
      return "Interrupted";
    case ErrorKind::kNotSent:
      return "NotSent";
  }
  return "Unknown";
}

ApiError InterruptedError() {
  return {.kind = ErrorKind::kInterrupted, .message = "stopped before the server had answered"};
}

std::string OneLine(std::string_view text, size_t limit) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  const bool cut = text.size() > limit;
  std::string line;
  for (char c : text.substr(0, limit)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (!control) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (cut) {
    while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xc0) == 0x80) line.pop_back();  // half a letter
    line += "...";
  }
  return line;
}

std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value) {
  int32_t seconds = 0;
  const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (failure != std::errc() || end != value.data() + value.size() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

ApiError ErrorOfAnswer(int status, std::string_view body, std::optional<std::chrono::seconds> retry_after,
                       std::string_view location, std::string_view request) {
  ApiError error{.kind = KindOfStatus(status), .status = status, .reason = std::string(GenericAnswer(status).reason)};
  error.retry_after = retry_after;
  std::string message;
  if (auto said = ParseStatusBody(body)) {
    if (!said->reason.empty()) error.reason = said->reason;
    if (!error.retry_after) error.retry_after = said->retry_after;
    error.version_too_large = said->version_too_large;
    message = OneLine(said->message, 4096);
  }
  if (message.empty()) message = GenericMessage(status, body, location);
  if (error.kind == ErrorKind::kUnauthorized) {
    error.message = fmt::format("You must be logged in to the server ({}) {}", message, request);
  } else if (error.kind == ErrorKind::kProtocol) {
    error.message = fmt::format("{} {}", message, request);
  } else if (error.reason.empty()) {
    error.message = fmt::format("Error from server: {} {}", message, request);
  } else {
    error.message = fmt::format("Error from server ({}): {} {}", OneLine(error.reason, 64), message, request);
  }
  return error;
}

}  // namespace ksched::kube
