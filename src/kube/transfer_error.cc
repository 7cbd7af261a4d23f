// What curl says went wrong, as an ApiError.
#include <fmt/format.h>

#include <cerrno>

#include "kube/http_attempt.h"
#include "kube/tls_setup.h"

namespace ksched::kube {
namespace {

bool IsTls(CURLcode code) {
  switch (code) {
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_ENGINE_INITFAILED:
      return true;
    default:
      return false;
  }
}

bool IsBroken(CURLcode code) {
  return code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR ||
         code == CURLE_GOT_NOTHING || code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM;
}

// With TLS 1.3 the server's word on the client certificate comes after the handshake, with the first read.
bool IsTlsAlert(CURLcode code, const std::string& text) {
  return code == CURLE_RECV_ERROR && text.find("SSL routines") != std::string::npos &&
         text.find(" alert ") != std::string::npos;
}

std::string TlsProblem(CURLcode code, long verify_result, const std::string& text, bool ca_given) {
  if (code == CURLE_SSL_CERTPROBLEM) return "tls: the client certificate or its key is not usable: " + text;
  if (code == CURLE_SSL_CACERT_BADFILE) {
    return ca_given ? "tls: certificate-authority has no usable certificate: " + text
                    : "tls: failed to verify certificate: x509: this host trusts no certificate authority at all";
  }
  return DescribeTlsFailure(verify_result, text);
}

}  // namespace

ApiError HttpAttempt::TransferError(CURLcode code) const {
  const std::string label = RequestLabel(settings_, request_);
  const std::string text = OneLine(curl_text_[0] != 0 ? curl_text_ : curl_easy_strerror(code));
  ApiError error{.status = head_.status};
  if (handler_error_) {
    error.message = fmt::format("{} {}", handler_error_->message, label);
  } else if (held_back_) {
    error.kind = ErrorKind::kNotSent;
    error.message = fmt::format("the request was held back, since this process may not write now {}", label);
  } else if (code == CURLE_ABORTED_BY_CALLBACK) {
    return ConnectError(code, "the connection broke before an answer came");
  } else if (code == CURLE_OPERATION_TIMEDOUT) {
    error.kind = ErrorKind::kTimeout;
    error.message = fmt::format("Unable to connect to the server: {} {}", text, label);
    if (head_complete_) error.message = fmt::format("the server's answer took too long: {} {}", text, label);
  } else if (IsTls(code) || (!head_complete_ && IsTlsAlert(code, text))) {
    long verify_result = 0;
    curl_easy_getinfo(handle(), CURLINFO_SSL_VERIFYRESULT, &verify_result);
    error.kind = ErrorKind::kTls;
    error.message = fmt::format("Unable to connect to the server: {} {}",
                                TlsProblem(code, verify_result, text, settings_.config.tls.ca_pem.has_value()), label);
  } else if (head_complete_ && IsBroken(code)) {
    error.kind = ErrorKind::kTruncated;
    error.message = fmt::format("the server's answer broke off: {} {}", text, label);
  } else if (!head_complete_ &&
             (IsBroken(code) || code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
              code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_PROXY)) {
    return ConnectError(code, text);
  } else {
    error.message = fmt::format("the server's answer is not one of an API server: {} {}", text, label);
  }
  return error;
}

ApiError HttpAttempt::ConnectError(CURLcode code, const std::string& text) const {
  const Endpoint& endpoint = settings_.endpoint;
  ApiError error{.kind = ErrorKind::kUnreachable};
  long os_error = 0, proxy_status = 0;
  curl_easy_getinfo(handle(), CURLINFO_OS_ERRNO, &os_error);
  curl_easy_getinfo(handle(), CURLINFO_HTTP_CONNECTCODE, &proxy_status);
  error.refused = code == CURLE_COULDNT_CONNECT && os_error == ECONNREFUSED;
  std::string why = text;
  if (proxy_status >= 300) {
    why = fmt::format("the proxy answered {}", proxy_status);
  } else if (code == CURLE_COULDNT_CONNECT && os_error == ECONNREFUSED && endpoint.proxy.empty()) {
    error.message =
        fmt::format("The connection to the server {} was refused - did you specify the right host or port? {}",
                    endpoint.host_port, RequestLabel(settings_, request_));
    return error;
  } else if (code == CURLE_COULDNT_RESOLVE_HOST) {
    why = fmt::format("lookup {}: no such host", endpoint.host_port);
  } else if (code == CURLE_COULDNT_RESOLVE_PROXY) {
    why = "lookup of the proxy: no such host";
  } else if (code == CURLE_COULDNT_CONNECT && !endpoint.proxy.empty()) {
    why = "proxyconnect: " + text;
  }
  error.message = fmt::format("Unable to connect to the server: {} {}", why, RequestLabel(settings_, request_));
  return error;
}

}  // namespace ksched::kube
