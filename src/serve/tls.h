// What the server shows of itself: certificate and key, and how it speaks TLS.
#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "serve/certificate_authority.h"

namespace ksched::serve {

struct TlsOptions {
  int min_version = TLS1_2_VERSION;
  std::string cipher_list;  // of TLS 1.2, as OpenSSL names them, joined by ':'; empty: its default
  std::string groups;       // key exchanges, as OpenSSL names them, joined by ':'; empty: its default
};

// What kube-scheduler's flags say. Warnings are of what is left out, because OpenSSL has not got it.
Result<TlsOptions> ReadTlsOptions(const std::string& min_version, const std::vector<std::string>& cipher_suites,
                                  const std::vector<int32_t>& curves, std::vector<std::string>& warnings);

using SslContext = std::shared_ptr<SSL_CTX>;

// Certificates of clients are asked for and taken, whatever they are: who reads them checks them. An error says what
// is wrong with the pair.
Result<SslContext> MakeServerContext(const CertificatePair& pair, const TlsOptions& options);

// A pair of files, read again when they change, or one that is given. Current(), ExpiresAt() and Replace() may be
// called from any thread, Check() from one.
class TlsIdentity {
 public:
  using Warn = std::function<void(const std::string&)>;
  static Result<std::unique_ptr<TlsIdentity>> FromFiles(std::string certificate_file, std::string key_file,
                                                        TlsOptions options);
  static Result<std::unique_ptr<TlsIdentity>> FromPair(const CertificatePair& pair, TlsOptions options);

  SslContext Current() const;
  // When the certificate that is current does, since the epoch.
  TimeNs ExpiresAt() const;
  // Connections that are made from now on get this pair; those that are there go on. If it is no good, the old one
  // stays.
  Result<void> Replace(const CertificatePair& pair);
  // Takes a changed pair if it is good; a broken one is told once to `warn`, and the old one stays. True: it is new.
  bool Check(const Warn& warn);

 private:
  explicit TlsIdentity(TlsOptions options) : options_(std::move(options)) {}

  const TlsOptions options_;
  std::string certificate_file_, key_file_;  // empty: none
  CertificatePair seen_;
  mutable std::mutex mutex_;
  SslContext current_;
};

// The pair NAME.crt and NAME.key of `folder`; if they are not there, one signed by itself is made and written there.
// "": it is only made.
Result<std::unique_ptr<TlsIdentity>> SelfSignedIdentity(const std::string& folder, const std::string& name,
                                                        const std::vector<std::string>& addresses, TlsOptions options);

}  // namespace ksched::serve
