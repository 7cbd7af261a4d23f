#include "app/webhook/certificate_plan.h"

#include <algorithm>
#include <utility>

namespace ksched::webhook {
namespace {

constexpr TimeNs kBackdated = 3600 * kNsPerSecond;  // clocks differ

// Nothing: it cannot be used now.
std::optional<serve::CertificateFacts> Usable(const serve::CertificatePair& pair, TimeNs now) {
  auto facts = serve::ReadCertificate(pair.certificate_pem);
  if (!facts || !facts->validity.Contains(now) || !serve::CheckPair(pair)) return std::nullopt;
  return std::move(*facts);
}

std::string Line(std::string pem) {
  if (!pem.empty() && pem.back() != '\n') pem += '\n';
  return pem;
}

class Renewal {
 public:
  StoredCertificates next;

  Renewal(const StoredCertificates& stored, const CertificateNeeds& needs, TimeNs now)
      : next(stored), needs_(needs), now_(now) {
    std::ranges::sort(needs_.names);
  }

  Result<void> RenewAuthority() {
    const auto facts = Usable(next.authority, now_);
    // One change at a time: what is served has to be of this authority before there is another.
    if (facts && (now_ < facts->validity.rotation() || !ServesOfAuthority())) return {};
    auto made = serve::MakeAuthority("ksched webhook authority", {now_ - kBackdated, now_ + needs_.authority_ns});
    if (!made) return std::move(made).error();
    const auto old = serve::ReadCertificate(next.authority.certificate_pem);
    if (old && old->validity.Contains(now_)) {
      next.previous_authorities = Line(next.authority.certificate_pem) + next.previous_authorities;
    }
    next.authority = std::move(*made);
    return {};
  }

  Result<void> RenewServing(bool authority_is_trusted) {
    const auto facts = Usable(next.serving, now_);
    const bool good =
        facts && facts->names == needs_.names && serve::IsSignedByOneOf(next.Bundle(), next.serving.certificate_pem);
    const bool of_authority = ServesOfAuthority();
    if (good && of_authority && now_ < facts->validity.rotation()) return {};
    if (good && !of_authority && !authority_is_trusted) return {};
    const auto authority = serve::ReadCertificate(next.authority.certificate_pem);
    if (!authority) return authority.error();
    auto made = serve::MakeServing(next.authority, {"ksched webhook", needs_.names, {}},
                                   {now_ - kBackdated, std::min(now_ + needs_.serving_ns, authority->validity.end)});
    if (!made) return std::move(made).error();
    next.serving = std::move(*made);
    return {};
  }

  // Everything that they signed has run out: they signed nothing after the authority was made.
  void DropPrevious() {
    if (next.previous_authorities.empty()) return;
    const auto facts = serve::ReadCertificate(next.authority.certificate_pem);
    const bool over = facts && now_ >= facts->validity.begin + kBackdated + needs_.serving_ns;
    const bool broken = !serve::ReadCertificate(next.previous_authorities);
    if (broken || (over && ServesOfAuthority())) next.previous_authorities.clear();
  }

 private:
  bool ServesOfAuthority() const {
    return serve::IsSignedByOneOf(next.authority.certificate_pem, next.serving.certificate_pem);
  }

  CertificateNeeds needs_;
  const TimeNs now_;
};

}  // namespace

Result<std::optional<StoredCertificates>> Renew(const StoredCertificates& stored, const CertificateNeeds& needs,
                                                TimeNs now, bool bundle_is_trusted) {
  Renewal renewal(stored, needs, now);
  renewal.DropPrevious();
  if (auto renewed = renewal.RenewAuthority(); !renewed) return std::move(renewed).error();
  const bool trusted = bundle_is_trusted && renewal.next.authority == stored.authority;
  if (auto renewed = renewal.RenewServing(trusted); !renewed) return std::move(renewed).error();
  if (renewal.next == stored) return std::optional<StoredCertificates>();
  return std::optional(std::move(renewal.next));
}

}  // namespace ksched::webhook
