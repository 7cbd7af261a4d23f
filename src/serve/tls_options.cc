// Go's names of what TLS may use, as OpenSSL has them; and certificates that are made here.
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <iterator>

#include "serve/tls.h"

namespace ksched::serve {
namespace {

struct Suite {
  const char* name;
  const char* openssl;  // "": of TLS 1.3, where nothing is to be chosen; null: OpenSSL has not got it
};
constexpr Suite kSuites[] = {
    {"TLS_AES_128_GCM_SHA256", ""},
    {"TLS_AES_256_GCM_SHA384", ""},
    {"TLS_CHACHA20_POLY1305_SHA256", ""},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ECDHE-ECDSA-AES128-SHA256"},
    {"TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", nullptr},
    {"TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", nullptr},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "ECDHE-RSA-AES128-SHA256"},
    {"TLS_ECDHE_RSA_WITH_RC4_128_SHA", nullptr},
    {"TLS_RSA_WITH_3DES_EDE_CBC_SHA", nullptr},
    {"TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA"},
    {"TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256"},
    {"TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256"},
    {"TLS_RSA_WITH_AES_256_CBC_SHA", "AES256-SHA"},
    {"TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384"},
    {"TLS_RSA_WITH_RC4_128_SHA", nullptr},
};

struct Curve {
  int32_t id;
  const char* openssl;
};
constexpr Curve kCurves[] = {{23, "P-256"}, {24, "P-384"}, {25, "P-521"}, {29, "X25519"}};

void Append(std::string& list, const std::string& item) { list += (list.empty() ? "" : ":") + item; }

Result<void> ReadVersion(const std::string& version, TlsOptions& options, std::vector<std::string>& warnings) {
  if (version == "VersionTLS13") {
    options.min_version = TLS1_3_VERSION;
  } else if (version == "VersionTLS10" || version == "VersionTLS11") {
    warnings.push_back("--tls-min-version " + version + ": TLS 1.2 is the oldest version that is spoken");
  } else if (!version.empty() && version != "VersionTLS12") {
    return Error{"--tls-min-version: unknown tls version \"" + version + "\""};
  }
  return {};
}

Result<void> AddExtension(X509* certificate, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  if (extension == nullptr) return Error{"a certificate for " + value + " cannot be made: " + OpenSslError()};
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return {};
}

std::string Pem(const std::function<int(BIO*)>& write) {
  BIO* out = BIO_new(BIO_s_mem());
  write(out);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  std::string text(data, static_cast<size_t>(size));
  BIO_free(out);
  return text;
}

Result<void> Fill(X509* certificate, EVP_PKEY* key, const std::string& common_name, const std::string& alternatives) {
  constexpr long kHour = 3600, kYear = 365 * 24 * kHour;
  uint64_t serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial);
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -kHour);  // clocks differ
  X509_gmtime_adj(X509_getm_notAfter(certificate), kYear);
  X509_set_pubkey(certificate, key);
  const auto* name = reinterpret_cast<const unsigned char*>(common_name.c_str());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, name, -1, -1, 0);
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  auto added = AddExtension(certificate, NID_basic_constraints, "critical,CA:TRUE");
  if (added) added = AddExtension(certificate, NID_key_usage, "critical,digitalSignature,keyEncipherment,keyCertSign");
  if (added) added = AddExtension(certificate, NID_ext_key_usage, "serverAuth");
  if (added) added = AddExtension(certificate, NID_subject_alt_name, alternatives);
  if (added && X509_sign(certificate, key, EVP_sha256()) == 0) return Error{"signing failed: " + OpenSslError()};
  return added;
}

}  // namespace

Result<TlsOptions> ReadTlsOptions(const std::string& min_version, const std::vector<std::string>& cipher_suites,
                                  const std::vector<int32_t>& curves, std::vector<std::string>& warnings) {
  TlsOptions options;
  if (auto read = ReadVersion(min_version, options, warnings); !read) return std::move(read).error();
  for (const std::string& name : cipher_suites) {
    const auto* suite = std::ranges::find(kSuites, name, [](const Suite& one) { return std::string(one.name); });
    if (suite == std::end(kSuites)) {
      return Error{"--tls-cipher-suites: cipher suite " + name + " not supported or doesn't exist"};
    }
    if (suite->openssl == nullptr) {
      warnings.push_back("--tls-cipher-suites: " + name + " is not used: OpenSSL has it no more");
    } else if (*suite->openssl != '\0') {
      Append(options.cipher_list, suite->openssl);
    }
  }
  // Nothing but suites of TLS 1.3 was named.
  if (!cipher_suites.empty() && options.cipher_list.empty()) options.min_version = TLS1_3_VERSION;
  for (const int32_t id : curves) {
    const auto* curve = std::ranges::find(kCurves, id, &Curve::id);
    if (curve == std::end(kCurves)) {
      warnings.push_back("--tls-curve-preferences: " + std::to_string(id) + " is not used: OpenSSL has not got it");
    } else {
      Append(options.groups, curve->openssl);
    }
  }
  if (!curves.empty() && options.groups.empty()) {
    return Error{"--tls-curve-preferences: none of these curves is supported; 23, 24, 25 and 29 are"};
  }
  return options;
}

Result<CertificatePair> MakeSelfSigned(const std::string& common_name, const std::vector<std::string>& names,
                                       const std::vector<std::string>& addresses) {
  std::string alternatives;
  for (const std::string& name : names) alternatives += (alternatives.empty() ? "DNS:" : ",DNS:") + name;
  for (const std::string& address : addresses) alternatives += (alternatives.empty() ? "IP:" : ",IP:") + address;
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), &X509_free);
  if (key == nullptr || certificate == nullptr) return Error{"a key cannot be made: " + OpenSslError()};
  if (auto filled = Fill(certificate.get(), key.get(), common_name, alternatives); !filled) {
    return std::move(filled).error();
  }
  return CertificatePair{Pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate.get()); }), Pem([&](BIO* out) {
                           return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
                         })};
}

}  // namespace ksched::serve
