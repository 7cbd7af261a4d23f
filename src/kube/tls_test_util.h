// For tests: certificates made on the spot.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace ksched::kube {

struct TestIdentity {
  std::string certificate_pem, key_pem;
};

struct TestCertificate {
  std::string common_name;
  std::string alternative_names;                  // "IP:127.0.0.1,DNS:a.example"; empty: none
  long valid_from_s = -3600, valid_for_s = 7200;  // from now; from its beginning
  bool is_authority = false;
};

// Signed by `issuer`, or by itself.
TestIdentity MakeIdentity(const TestCertificate& wanted, const TestIdentity* issuer = nullptr);

struct SslContextDeleter {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
// Of a server with that identity. client_ca: certificates of clients are demanded and checked with it; empty: not.
// max_version: TLS1_2_VERSION and so on; 0: the newest.
std::unique_ptr<SSL_CTX, SslContextDeleter> MakeServerContext(const TestIdentity& identity,
                                                              const std::string& client_ca = "", int max_version = 0);

}  // namespace ksched::kube
