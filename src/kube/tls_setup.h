// TLS of a request: what is trusted and what is presented, all of it from memory.
#pragma once

#include <curl/curl.h>

#include <string>

#include "base/result.h"
#include "kube/client_config.h"

namespace ksched::kube {

// Before the first use of curl or OpenSSL in the process; further calls do nothing. OpenSSL's configuration file of the
// host is not read: it may lower or raise what is accepted, and load code.
Result<void> PrepareTls();

// TLS 1.2 at least; the same for a proxy that is spoken to over TLS. `ca_pem` (a bundle; empty trusts nothing) and
// `credential` are borrowed and must outlive the transfer. A certificate of a client is not shown to proxies.
void SetUpTls(CURL* easy, const TlsConfig& tls, const std::string& ca_pem, const Credential& credential);

// What was wrong with the certificate, after CURLE_PEER_FAILED_VERIFICATION or a failed handshake, in Go's words
// ("x509: certificate signed by unknown authority"). `verify_result`: CURLINFO_SSL_VERIFYRESULT; `text`: curl's.
std::string DescribeTlsFailure(long verify_result, const std::string& text);

}  // namespace ksched::kube
