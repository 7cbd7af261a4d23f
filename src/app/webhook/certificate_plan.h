// Which certificates the replicas of a webhook share, and when others take their place: decided, not done.
//
// What is served may always be served: a certificate of a new authority is made only when everybody trusts that one.
// Until then the certificate of the previous authority, which stays in the bundle, is served on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "serve/certificate_authority.h"

namespace ksched::webhook {

struct StoredCertificates {
  serve::CertificatePair authority, serving;
  std::string previous_authorities;  // in PEM: they signed what may still be served somewhere; empty: none did
  bool operator==(const StoredCertificates&) const = default;

  // What clients are to trust, in PEM.
  std::string Bundle() const { return authority.certificate_pem + previous_authorities; }
};

struct CertificateNeeds {
  std::vector<std::string> names;  // of the server
  TimeNs serving_ns = 90LL * 24 * 3600 * kNsPerSecond, authority_ns = 5LL * 365 * 24 * 3600 * kNsPerSecond;
};

// What is to be there in place of `stored`, of which anything may be missing or broken; nothing: it is good.
// bundle_is_trusted: whoever asks the webhook trusts all of stored.Bundle().
Result<std::optional<StoredCertificates>> Renew(const StoredCertificates& stored, const CertificateNeeds& needs,
                                                TimeNs now, bool bundle_is_trusted);

}  // namespace ksched::webhook
