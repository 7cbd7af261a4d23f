// Go's names of what TLS may use, as OpenSSL has them.
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

}  // namespace ksched::serve
