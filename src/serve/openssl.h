// What of OpenSSL is owned, and what it says of a failure.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>
#include <string>

#include "base/clock.h"

namespace ksched::serve {

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* what) const {
    Free(what);
  }
};
using Bio = std::unique_ptr<BIO, Freer<BIO_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;

// Borrows the text.
inline Bio Reader(const std::string& text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

// A key with a passphrase is not asked for at a terminal.
inline int NoPassphrase(char*, int, int, void*) { return -1; }

// The next one of PEM text; null: there is none.
inline Certificate NextCertificate(const Bio& pem) {
  return Certificate(PEM_read_bio_X509(pem.get(), nullptr, &NoPassphrase, nullptr));
}
inline Key NextKey(const Bio& pem) { return Key(PEM_read_bio_PrivateKey(pem.get(), nullptr, &NoPassphrase, nullptr)); }

// Since the epoch; 0: it is no time.
inline TimeNs TimeOf(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) * kNsPerSecond : 0;
}

// What OpenSSL says of its last failure.
inline std::string OpenSslError() {
  const char* text = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  return text == nullptr ? "it cannot be read" : text;
}

}  // namespace ksched::serve
