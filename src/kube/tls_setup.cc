#include "kube/tls_setup.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

namespace ksched::kube {
namespace {

curl_blob Borrow(const std::string& bytes) {
  return {.data = const_cast<char*>(bytes.data()), .len = bytes.size(), .flags = CURL_BLOB_NOCOPY};
}

bool Contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

std::string DescribeHandshake(const std::string& text) {
  if (Contains(text, "wrong version number") || Contains(text, "packet length too long")) {
    return "the server does not speak TLS (is its URL to start with http: ?)";
  }
  if (Contains(text, "no alternative certificate subject name matches") ||
      Contains(text, "does not match target host name")) {
    return "tls: failed to verify certificate: x509: the certificate is for another name: " + text;
  }
  if (Contains(text, "certificate required")) return "tls: certificate required: the server wants a client certificate";
  if (Contains(text, "bad certificate") || Contains(text, "alert unknown ca")) {
    return "tls: the server does not accept the client certificate: " + text;
  }
  return "tls: " + text;
}

}  // namespace

Result<void> PrepareTls() {
  static const bool prepared = [] {
    return OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) == 1 &&
           OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) == 1 &&
           curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  }();
  if (!prepared) return Error{"TLS cannot be used: the libraries for it do not start"};
  return {};
}

void SetUpTls(CURL* easy, const TlsConfig& tls, const std::string& ca_pem, const Credential& credential) {
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(easy, CURLOPT_PROXY_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  const long verify = tls.insecure ? 0 : 1;
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, verify);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2 * verify);
  curl_easy_setopt(easy, CURLOPT_PROXY_SSL_VERIFYPEER, verify);
  curl_easy_setopt(easy, CURLOPT_PROXY_SSL_VERIFYHOST, 2 * verify);
  for (const CURLoption option : {CURLOPT_CAINFO, CURLOPT_CAPATH, CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH}) {
    curl_easy_setopt(easy, option, nullptr);  // none of what curl was built with
  }
  if (!tls.insecure) {
    curl_blob ca = Borrow(ca_pem);
    curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &ca);
    curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO_BLOB, &ca);
  }
  if (!credential.client_certificate_pem.empty()) {
    curl_blob certificate = Borrow(credential.client_certificate_pem), key = Borrow(credential.client_key_pem);
    curl_easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM");
    curl_easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM");
    curl_easy_setopt(easy, CURLOPT_SSLCERT_BLOB, &certificate);
    curl_easy_setopt(easy, CURLOPT_SSLKEY_BLOB, &key);
  }
}

std::string DescribeTlsFailure(long verify_result, const std::string& text) {
  const auto failed = [](std::string_view why) {
    return fmt::format("tls: failed to verify certificate: x509: {}", why);
  };
  switch (verify_result) {
    case X509_V_OK:
    case X509_V_ERR_UNSPECIFIED:  // curl's word for "not verified yet"
      return DescribeHandshake(text);
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_CERT_UNTRUSTED:
      return failed("certificate signed by unknown authority");
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return failed("certificate has expired or is not yet valid: it has expired");
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return failed("certificate has expired or is not yet valid: it is not valid yet");
    default:
      return failed(X509_verify_cert_error_string(verify_result));
  }
}

}  // namespace ksched::kube
