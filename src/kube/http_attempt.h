// One attempt of a request: a curl handle with all its options, and what came of it.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/endpoint.h"
#include "kube/http_types.h"

namespace ksched::kube {

// What all requests of a client share. Outlives its attempts.
struct HttpSettings {
  ClientConfig config;
  Endpoint endpoint;
  std::string ca_pem;  // config's or the host's
  std::string user_agent;
  std::chrono::milliseconds connect_timeout{30000};
  // The server speaks no HTTP/2: a request that waits for its share of a connection waits for another one's end.
  // Attempts find it out.
  mutable bool http1 = false;
};

// "(GET https://host:6443/api/v1/pods)", for messages.
std::string RequestLabel(const HttpSettings& settings, const HttpRequest& request);

// How an attempt ended.
struct AttemptResult {
  std::optional<ApiError> error;
  bool head_given = false;       // the handler has heard of it: it cannot be repeated unnoticed
  bool connection_lost = false;  // reset or closed before an answer, on a connection that had been made
  bool new_connection = false;
};

class HttpAttempt {
 public:
  // Starts nothing: handle() is to be added to a multi handle. `request`, `settings` and `handler` are borrowed.
  // timeout 0: none.
  static Result<std::unique_ptr<HttpAttempt>> Create(const HttpSettings& settings, const HttpRequest& request,
                                                     std::shared_ptr<const Credential> credential,
                                                     std::chrono::milliseconds timeout, ResponseHandler& handler);
  HttpAttempt(const HttpAttempt&) = delete;
  HttpAttempt& operator=(const HttpAttempt&) = delete;

  CURL* handle() const { return easy_.get(); }
  const std::shared_ptr<const Credential>& credential() const { return credential_; }
  // Whether the request is on its way: it has a connection.
  bool sent() const;
  // The handler hears nothing more, and the transfer ends with its next byte.
  void Mute() { handler_ = nullptr; }
  // After the transfer is done with `code`. Gives a head to the handler that it has not got yet (an empty body).
  AttemptResult Finish(CURLcode code);

 private:
  struct EasyDeleter {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  };
  struct ListDeleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  HttpAttempt(const HttpSettings& settings, const HttpRequest& request, std::shared_ptr<const Credential> credential,
              ResponseHandler& handler);

  Result<void> SetHeaders();
  void SetTarget();
  void SetTransfer(std::chrono::milliseconds timeout);
  void SetCallbacks();
  static size_t HeaderCallback(char* data, size_t size, size_t count, void* self);
  static size_t BodyCallback(char* data, size_t size, size_t count, void* self);
  static int SendCallback(void* self, char*, char*, int, int);
  bool TakeHeader(std::string_view line);
  bool TakeBody(std::string_view chunk);
  bool Writes() const { return request_.method != "GET" && request_.method != "HEAD"; }
  bool Succeeded() const { return head_.status >= 200 && head_.status < 300; }
  bool GiveHead();
  ApiError TransferError(CURLcode code) const;
  ApiError ConnectError(CURLcode code, const std::string& text) const;

  const HttpSettings& settings_;
  const HttpRequest& request_;
  std::shared_ptr<const Credential> credential_;
  ResponseHandler* handler_;
  std::string url_;
  std::unique_ptr<CURL, EasyDeleter> easy_;
  std::unique_ptr<curl_slist, ListDeleter> headers_, connect_to_;
  char curl_text_[CURL_ERROR_SIZE] = {};
  ResponseHead head_;
  size_t head_bytes_ = 0;
  bool head_complete_ = false, head_given_ = false, body_cut_ = false, begun_ = false, held_back_ = false;
  std::string error_body_;
  std::optional<Error> handler_error_;
};

}  // namespace ksched::kube
