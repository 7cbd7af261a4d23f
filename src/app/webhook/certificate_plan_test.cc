#include "app/webhook/certificate_plan.h"

#include <gtest/gtest.h>

namespace ksched::webhook {
namespace {

constexpr TimeNs kHour = 3600 * kNsPerSecond, kDay = 24 * kHour, kStart = 20'000 * kDay;

class Plan : public testing::Test {
 protected:
  // What is stored from now on.
  void Take(TimeNs now, bool trusted) {
    auto renewed = Renew(stored, needs, now, trusted);
    ASSERT_TRUE(renewed) << renewed.error().message;
    ASSERT_TRUE(*renewed) << "nothing was due";
    before = stored;
    stored = **renewed;
  }
  bool Due(TimeNs now, bool trusted) const {
    const auto renewed = Renew(stored, needs, now, trusted);
    EXPECT_TRUE(renewed) << renewed.error().message;
    return renewed && *renewed;
  }
  bool ServesOf(const std::string& authority) const {
    return serve::IsSignedByOneOf(authority, stored.serving.certificate_pem);
  }
  TimeNs End(const serve::CertificatePair& pair) const {
    return serve::ReadCertificate(pair.certificate_pem)->validity.end;
  }
  // The last third of the authority's life has begun, and the certificate was renewed just before.
  TimeNs UntilTheAuthorityIsDue() {
    Take(kStart, false);
    const TimeNs due = kStart + needs.authority_ns / 3 * 2;
    Take(due - kDay, false);
    return due;
  }

  const CertificateNeeds needs{.names = {"hook.space.svc", "hook"}};
  StoredCertificates stored, before;
};

TEST_F(Plan, EverythingIsMadeWhereNothingIs) {
  Take(kStart, false);
  EXPECT_TRUE(serve::CheckPair(stored.authority));
  EXPECT_TRUE(serve::CheckPair(stored.serving));
  EXPECT_TRUE(ServesOf(stored.authority.certificate_pem));
  EXPECT_EQ(stored.Bundle(), stored.authority.certificate_pem);
  EXPECT_EQ(End(stored.serving), kStart + needs.serving_ns);
  EXPECT_EQ(End(stored.authority), kStart + needs.authority_ns);
  EXPECT_FALSE(Due(kStart, true));
}

TEST_F(Plan, ACertificateIsRenewedInItsLastThird) {
  Take(kStart, false);
  EXPECT_FALSE(Due(kStart + 59 * kDay, true));
  Take(kStart + 61 * kDay, false);
  EXPECT_EQ(stored.authority, before.authority);
  EXPECT_NE(stored.serving, before.serving);
  EXPECT_EQ(End(stored.serving), kStart + 61 * kDay + needs.serving_ns);
}

TEST_F(Plan, ANewAuthoritySignsWhenItIsTrusted) {
  const TimeNs due = UntilTheAuthorityIsDue();
  const std::string first = stored.authority.certificate_pem;
  Take(due, true);  // the trusted bundle is the one before
  EXPECT_NE(stored.authority, before.authority);
  EXPECT_EQ(stored.serving, before.serving);
  EXPECT_EQ(stored.Bundle(), stored.authority.certificate_pem + first);
  EXPECT_FALSE(Due(due + kHour, false));
  EXPECT_FALSE(Due(due + 70 * kDay, false)) << "it is renewed by an authority that nobody trusts yet";
  Take(due + kHour, true);
  EXPECT_EQ(stored.authority, before.authority);
  EXPECT_TRUE(ServesOf(stored.authority.certificate_pem));
  EXPECT_EQ(stored.previous_authorities, first);
  // When what the first one signed has run out, nobody has to trust it.
  EXPECT_FALSE(Due(due + 60 * kDay, true));
  Take(due + 62 * kDay, true);
  EXPECT_EQ(stored.previous_authorities, first);
  Take(due + 90 * kDay, true);
  EXPECT_EQ(stored.Bundle(), stored.authority.certificate_pem);
  EXPECT_EQ(stored.serving, before.serving);
}

TEST_F(Plan, WhatHasRunOutIsServedByNobody) {
  const TimeNs due = UntilTheAuthorityIsDue();
  Take(due, true);
  Take(due + 89 * kDay + kHour, false);
  EXPECT_TRUE(ServesOf(stored.authority.certificate_pem));
}

TEST_F(Plan, AnAuthorityThatHasRunOutIsReplacedAtOnce) {
  Take(kStart, false);
  Take(kStart + needs.authority_ns, false);
  EXPECT_EQ(stored.previous_authorities, "");
  EXPECT_TRUE(ServesOf(stored.authority.certificate_pem));
  EXPECT_FALSE(ServesOf(before.authority.certificate_pem));
}

TEST_F(Plan, NoCertificateOutlivesItsAuthority) {
  Take(kStart, false);
  const CertificateNeeds shorter{.names = needs.names, .serving_ns = needs.authority_ns * 2};
  StoredCertificates without = stored;
  without.serving = {};
  const auto renewed = Renew(without, shorter, kStart + kDay, true);
  ASSERT_TRUE(renewed && *renewed);
  EXPECT_EQ(End((*renewed)->serving), End(stored.authority));
}

TEST_F(Plan, OtherNamesNeedAnotherCertificate) {
  Take(kStart, false);
  const CertificateNeeds others{.names = {"hook", "hook.other.svc"}};
  const auto renewed = Renew(stored, others, kStart + kDay, true);
  ASSERT_TRUE(renewed && *renewed);
  EXPECT_EQ((*renewed)->authority, stored.authority);
  EXPECT_EQ(serve::ReadCertificate((*renewed)->serving.certificate_pem)->names, others.names);
}

TEST_F(Plan, WhatIsBrokenIsMadeAnew) {
  Take(kStart, false);
  const StoredCertificates good = stored;
  const auto broken = [&](auto change) {
    stored = good;
    change(stored);
    Take(kStart + kDay, true);
    EXPECT_FALSE(Due(kStart + kDay, false));
  };
  broken([](StoredCertificates& one) { one.serving.key_pem = "nonsense"; });
  EXPECT_EQ(stored.authority, good.authority);
  EXPECT_NE(stored.serving, good.serving);
  broken([&](StoredCertificates& one) { one.serving.key_pem = good.authority.key_pem; });
  EXPECT_NE(stored.serving, good.serving);
  broken([](StoredCertificates& one) { one.authority.key_pem.clear(); });
  EXPECT_EQ(stored.serving, good.serving) << "it is trusted, and the new authority is not yet";
  EXPECT_EQ(stored.previous_authorities, good.authority.certificate_pem);
  broken([](StoredCertificates& one) { one.authority.certificate_pem = "nonsense"; });
  EXPECT_TRUE(ServesOf(stored.authority.certificate_pem));
  EXPECT_EQ(stored.previous_authorities, "");
  broken([](StoredCertificates& one) { one.previous_authorities = "nonsense"; });
  EXPECT_EQ(stored, good);
}

}  // namespace
}  // namespace ksched::webhook
