#include "kube/http_attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "kube/request_headers.h"
#include "kube/tls_setup.h"

namespace ksched::kube {
namespace {

constexpr size_t kMaxHeadBytes = size_t{256} << 10;
constexpr size_t kMaxErrorBody = size_t{256} << 10;
// Each request has buffers of its own while it runs. Those that write are many at a time, and their answers are short.
// What is read comes in large pieces: with small ones curl 7.88 has to remember that a TLS record has more for it.
constexpr long kReceiveBuffer = 256 << 10, kShortBuffer = 64 << 10, kUploadBuffer = 16 << 10;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

// "HTTP/1.1 200 OK", "HTTP/2 200": the number; 0 if there is none.
int StatusOf(std::string_view line) {
  const size_t space = line.find(' ');
  if (space == std::string_view::npos) return 0;
  int status = 0;
  std::from_chars(line.data() + space + 1, line.data() + line.size(), status);
  return status;
}

}  // namespace

std::string_view ResponseHead::Find(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::string ResponseHead::media_type() const {
  const std::string_view value = Find("content-type");
  return Lower(Trim(value.substr(0, value.find(';'))));
}

std::string RequestLabel(const HttpSettings& settings, const HttpRequest& request) {
  return fmt::format("({} {}{})", request.method, settings.endpoint.display, request.target);
}

HttpAttempt::HttpAttempt(const HttpSettings& settings, const HttpRequest& request,
                         std::shared_ptr<const Credential> credential, ResponseHandler& handler)
    : settings_(settings),
      request_(request),
      credential_(std::move(credential)),
      handler_(&handler),
      url_(settings.endpoint.url + request.target),
      easy_(curl_easy_init()) {}

Result<std::unique_ptr<HttpAttempt>> HttpAttempt::Create(const HttpSettings& settings, const HttpRequest& request,
                                                         std::shared_ptr<const Credential> credential,
                                                         std::chrono::milliseconds timeout, ResponseHandler& handler) {
  std::unique_ptr<HttpAttempt> attempt(new HttpAttempt(settings, request, std::move(credential), handler));
  if (!attempt->easy_) return Error{"no memory for a request"};
  Result<void> headers = attempt->SetHeaders();
  if (!headers) return std::move(headers).error();
  attempt->SetTarget();
  attempt->SetTransfer(timeout);
  attempt->SetCallbacks();
  if (settings.endpoint.tls || settings.endpoint.proxy.starts_with("https:")) {
    SetUpTls(attempt->handle(), settings.config.tls, settings.ca_pem, *attempt->credential_);
  }
  return attempt;
}

Result<void> HttpAttempt::SetHeaders() {
  Result<std::vector<std::string>> lines = RequestHeaders(request_, *credential_, settings_.config.impersonation);
  if (!lines) return std::move(lines).error();
  if (!settings_.endpoint.host_header.empty()) lines->push_back("Host: " + settings_.endpoint.host_header);
  lines->push_back("Expect:");  // a body is sent at once
  for (const std::string& line : *lines) {
    curl_slist* longer = curl_slist_append(headers_.get(), line.c_str());
    if (longer == nullptr) return Error{"no memory for a request"};
    (void)headers_.release();
    headers_.reset(longer);
  }
  curl_easy_setopt(handle(), CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(handle(), CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));  // none of it for a proxy
  curl_easy_setopt(handle(), CURLOPT_USERAGENT, settings_.user_agent.c_str());
  if (request_.stream) {
    curl_easy_setopt(handle(), CURLOPT_ACCEPT_ENCODING, "identity");
  } else if (!settings_.config.disable_compression) {
    curl_easy_setopt(handle(), CURLOPT_ACCEPT_ENCODING, "gzip");
  }
  return {};
}

void HttpAttempt::SetTarget() {
  curl_easy_setopt(handle(), CURLOPT_URL, url_.c_str());
  curl_easy_setopt(handle(), CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(handle(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle(), CURLOPT_PROXY,
                   settings_.endpoint.proxy.c_str());  // "": none, whatever the environment says
  curl_easy_setopt(handle(), CURLOPT_NOPROXY, "");
  curl_easy_setopt(handle(), CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (!settings_.endpoint.connect_to.empty()) {
    connect_to_.reset(curl_slist_append(nullptr, settings_.endpoint.connect_to.c_str()));
    curl_easy_setopt(handle(), CURLOPT_CONNECT_TO, connect_to_.get());
  }
  if (request_.method == "HEAD") {
    curl_easy_setopt(handle(), CURLOPT_NOBODY, 1L);
  } else if (Writes()) {
    curl_easy_setopt(handle(), CURLOPT_POST, 1L);
    curl_easy_setopt(handle(), CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    curl_easy_setopt(handle(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    curl_easy_setopt(handle(), CURLOPT_POSTFIELDS, request_.body.data());
  }
}

void HttpAttempt::SetTransfer(std::chrono::milliseconds timeout) {
  curl_easy_setopt(handle(), CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  // Rather share the connection than open another. With HTTP/1 curl lets what waits wait until something else ends.
  curl_easy_setopt(handle(), CURLOPT_PIPEWAIT, settings_.http1 ? 0L : 1L);
  curl_easy_setopt(handle(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle(), CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(handle(), CURLOPT_BUFFERSIZE, Writes() ? kShortBuffer : kReceiveBuffer);
  curl_easy_setopt(handle(), CURLOPT_UPLOAD_BUFFERSIZE, kUploadBuffer);
  curl_easy_setopt(handle(), CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(settings_.connect_timeout.count()));
  if (timeout.count() > 0) curl_easy_setopt(handle(), CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
  if (request_.idle_timeout.count() > 0) {
    curl_easy_setopt(handle(), CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(handle(), CURLOPT_LOW_SPEED_TIME, static_cast<long>(request_.idle_timeout.count()));
  }
}

void HttpAttempt::SetCallbacks() {
  curl_easy_setopt(handle(), CURLOPT_ERRORBUFFER, curl_text_);
  curl_easy_setopt(handle(), CURLOPT_HEADERFUNCTION, &HttpAttempt::HeaderCallback);
  curl_easy_setopt(handle(), CURLOPT_HEADERDATA, this);
  curl_easy_setopt(handle(), CURLOPT_WRITEFUNCTION, &HttpAttempt::BodyCallback);
  curl_easy_setopt(handle(), CURLOPT_WRITEDATA, this);
  if (!Writes()) return;
  curl_easy_setopt(handle(), CURLOPT_PREREQFUNCTION, &HttpAttempt::SendCallback);
  curl_easy_setopt(handle(), CURLOPT_PREREQDATA, this);
}

// When an old connection breaks without an answer curl sends the request again. For a write, of which nobody knows what
// became, that is not for curl to decide.
int HttpAttempt::SendCallback(void* self, char*, char*, int, int) {
  auto* attempt = static_cast<HttpAttempt*>(self);
  if (attempt->request_.allowed && !attempt->request_.allowed()) {
    attempt->held_back_ = true;
    return CURL_PREREQFUNC_ABORT;
  }
  return std::exchange(attempt->begun_, true) ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

size_t HttpAttempt::HeaderCallback(char* data, size_t size, size_t count, void* self) {
  return static_cast<HttpAttempt*>(self)->TakeHeader({data, size * count}) ? size * count : 0;
}

size_t HttpAttempt::BodyCallback(char* data, size_t size, size_t count, void* self) {
  return static_cast<HttpAttempt*>(self)->TakeBody({data, size * count}) ? size * count : 0;
}

bool HttpAttempt::TakeHeader(std::string_view line) {
  if (head_complete_) return handler_ != nullptr;  // a trailer
  head_bytes_ += line.size();
  if (head_bytes_ > kMaxHeadBytes) {
    handler_error_ = Error{"the server's answer has too many headers"};
    return false;
  }
  if (line.starts_with("HTTP/")) {
    head_ = ResponseHead{.status = StatusOf(line)};  // what came before was of a 1xx
    if (line.starts_with("HTTP/1.")) settings_.http1 = true;
  } else if (Trim(line).empty()) {
    head_complete_ = head_.status >= 200;
    if (head_complete_ && Succeeded() && request_.stream) return GiveHead();
  } else if (const size_t colon = line.find(':'); colon != std::string_view::npos) {
    head_.headers.emplace_back(Lower(line.substr(0, colon)), Trim(line.substr(colon + 1)));
  }
  return handler_ != nullptr;
}

bool HttpAttempt::GiveHead() {
  if (handler_ == nullptr) return false;
  if (!head_given_) {
    head_given_ = true;
    handler_->OnHead(head_);
  }
  return handler_ != nullptr;
}

bool HttpAttempt::TakeBody(std::string_view chunk) {
  if (handler_ == nullptr) return false;
  if (!Succeeded()) {
    error_body_.append(chunk.substr(0, kMaxErrorBody - error_body_.size()));
    body_cut_ = error_body_.size() == kMaxErrorBody;
    return !body_cut_;
  }
  if (!GiveHead()) return false;
  if (Result<void> taken = handler_->OnData(chunk); !taken) {
    handler_error_ = std::move(taken).error();
    return false;
  }
  return handler_ != nullptr;
}

bool HttpAttempt::sent() const {
  curl_off_t begun = 0;
  curl_easy_getinfo(handle(), CURLINFO_PRETRANSFER_TIME_T, &begun);
  return begun > 0;
}

AttemptResult HttpAttempt::Finish(CURLcode code) {
  AttemptResult result;
  long connections = 0;
  curl_easy_getinfo(handle(), CURLINFO_NUM_CONNECTS, &connections);
  result.new_connection = connections > 0;
  // What matters of a failing answer is its status, even if the rest of it is missing.
  if (head_complete_ && !Succeeded()) {
    result.error = ErrorOfAnswer(head_.status, error_body_, ParseRetryAfter(head_.Find("retry-after")),
                                 head_.Find("location"), RequestLabel(settings_, request_));
    return result;
  }
  if (code == CURLE_OK && !head_complete_) code = CURLE_WEIRD_SERVER_REPLY;
  if (code == CURLE_OK) {
    GiveHead();
  } else {
    result.error = TransferError(code);
    // Refused connections and unknown hosts are not lost: they never were.
    result.connection_lost = result.error->kind == ErrorKind::kUnreachable &&
                             (code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING ||
                              code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM || code == CURLE_PARTIAL_FILE);
  }
  result.head_given = head_given_;
  return result;
}

}  // namespace ksched::kube
