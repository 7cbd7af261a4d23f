// Certificates that are made here, with keys on P-256: an authority, and what it signs for a server; and what a
// certificate says of itself.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace ksched::serve {

struct CertificatePair {
  std::string certificate_pem, key_pem;  // the certificate may be followed by those of its authorities
  bool operator==(const CertificatePair&) const = default;
};

// Since the epoch; certificates have whole seconds.
struct Validity {
  TimeNs begin = 0, end = 0;
  bool Contains(TimeNs time) const { return begin <= time && time < end; }
  // When two thirds of it are over: the last third is for trying again.
  TimeNs rotation() const { return begin + (end - begin) / 3 * 2; }
};

struct ServerNames {
  std::string common_name;             // 64 characters at most
  std::vector<std::string> names;      // "localhost"
  std::vector<std::string> addresses;  // "127.0.0.1"
};

// Signed by itself; it signs certificates of servers, and no further authorities.
Result<CertificatePair> MakeAuthority(const std::string& common_name, Validity validity);
// Signed by `authority`. The error says what is wrong with that, or with the names.
Result<CertificatePair> MakeServing(const CertificatePair& authority, const ServerNames& server, Validity validity);
// Signed by itself, for a year, for these names ("localhost") and addresses ("127.0.0.1").
Result<CertificatePair> MakeSelfSigned(const std::string& common_name, const std::vector<std::string>& names,
                                       const std::vector<std::string>& addresses);

struct CertificateFacts {
  Validity validity;
  std::vector<std::string> names, addresses;  // sorted; what else a certificate may be for is left out
};
// Of the first certificate.
Result<CertificateFacts> ReadCertificate(const std::string& pem);
// Whether the key is that of the first certificate.
Result<void> CheckPair(const CertificatePair& pair);
// Whether one of the authorities signed the first certificate; nothing is said about times.
bool IsSignedByOneOf(const std::string& authorities_pem, const std::string& certificate_pem);

}  // namespace ksched::serve
