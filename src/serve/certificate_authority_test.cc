#include "serve/certificate_authority.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/x509v3.h>

#include "serve/openssl.h"
#include "serve/serve_test_util.h"
#include "serve/tls.h"

namespace ksched::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr TimeNs kDay = 24 * 3600 * kNsPerSecond;

// One for all tests: of whole seconds.
TimeNs Now() {
  static const TimeNs now = SystemClock().Now() / kNsPerSecond * kNsPerSecond;
  return now;
}
CertificatePair Authority(const std::string& name) {
  auto made = MakeAuthority(name, {Now() - kDay, Now() + 300 * kDay});
  EXPECT_TRUE(made) << made.error().message;
  return *made;
}
CertificatePair Serving(const CertificatePair& authority, TimeNs days = 90) {
  auto made = MakeServing(authority, {"hook", {"hook.space.svc", "hook"}, {"10.0.0.7", "fd00::7"}},
                          {Now() - kDay, Now() + days * kDay});
  EXPECT_TRUE(made) << made.error().message;
  return *made;
}

// Why a client that trusts `authorities` and asks for `name` turns the certificate down; "": it does not.
std::string Trouble(const std::string& authorities, const CertificatePair& pair, const char* name) {
  const std::unique_ptr<X509_STORE, Freer<X509_STORE_free>> store(X509_STORE_new());
  const Bio pem = Reader(authorities);
  while (const Certificate one = NextCertificate(pem)) X509_STORE_add_cert(store.get(), one.get());
  const Certificate leaf = NextCertificate(Reader(pair.certificate_pem));
  const std::unique_ptr<X509_STORE_CTX, Freer<X509_STORE_CTX_free>> context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), leaf.get(), nullptr);
  X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set1_host(X509_STORE_CTX_get0_param(context.get()), name, 0);
  X509_VERIFY_PARAM_set_flags(X509_STORE_CTX_get0_param(context.get()), X509_V_FLAG_X509_STRICT);
  if (X509_verify_cert(context.get()) == 1) return "";
  return X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()));
}

TEST(CertificateAuthority, WhatItSignsIsTrustedForItsNames) {
  const CertificatePair authority = Authority("one"), other = Authority("one");
  const CertificatePair serving = Serving(authority);
  EXPECT_EQ(Trouble(authority.certificate_pem, serving, "hook.space.svc"), "");
  // Of two authorities with one name the right one is found, in whatever order.
  EXPECT_EQ(Trouble(other.certificate_pem + authority.certificate_pem, serving, "hook"), "");
  EXPECT_EQ(Trouble(authority.certificate_pem + other.certificate_pem, serving, "hook"), "");
  EXPECT_NE(Trouble(other.certificate_pem, serving, "hook"), "");
  EXPECT_THAT(Trouble(authority.certificate_pem, serving, "another"), HasSubstr("ostname mismatch"));
  EXPECT_THAT(Trouble(authority.certificate_pem, Serving(authority, -1), "hook"), HasSubstr("expired"));
}

TEST(CertificateAuthority, ACertificateIsRead) {
  const CertificatePair serving = Serving(Authority("one"));
  const auto facts = ReadCertificate(serving.certificate_pem);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->validity.begin, Now() - kDay);
  EXPECT_EQ(facts->validity.end, Now() + 90 * kDay);
  EXPECT_THAT(facts->names, ElementsAre("hook", "hook.space.svc"));
  EXPECT_THAT(facts->addresses, ElementsAre("10.0.0.7", "fd00::7"));
  EXPECT_THAT(ReadCertificate("nothing").error().message, HasSubstr("no certificate"));
}

TEST(CertificateAuthority, PairsAndSignatures) {
  const CertificatePair one = Authority("one"), two = Authority("two"), serving = Serving(one);
  EXPECT_TRUE(CheckPair(one));
  EXPECT_TRUE(CheckPair(serving));
  EXPECT_THAT(CheckPair({one.certificate_pem, two.key_pem}).error().message, HasSubstr("do not belong together"));
  EXPECT_THAT(CheckPair({one.certificate_pem, ""}).error().message, HasSubstr("no private key"));
  EXPECT_TRUE(IsSignedByOneOf(one.certificate_pem, serving.certificate_pem));
  EXPECT_TRUE(IsSignedByOneOf(two.certificate_pem + one.certificate_pem, serving.certificate_pem));
  EXPECT_FALSE(IsSignedByOneOf(two.certificate_pem, serving.certificate_pem));
  EXPECT_FALSE(IsSignedByOneOf("", serving.certificate_pem));
  EXPECT_FALSE(IsSignedByOneOf(one.certificate_pem, ""));
  EXPECT_THAT(MakeServing({one.certificate_pem, two.key_pem}, {"hook", {"hook"}, {}}, {0, kDay}).error().message,
              HasSubstr("the authority"));
  EXPECT_FALSE(MakeServing(one, {std::string(65, 'x'), {"hook"}, {}}, {0, kDay}));
  EXPECT_FALSE(MakeServing(one, {"hook", {}, {"no address"}}, {0, kDay}));
}

TEST(CertificateAuthority, RotationIsInTheLastThird) {
  const Validity validity{.begin = 10 * kDay, .end = 100 * kDay};
  EXPECT_EQ(validity.rotation(), 70 * kDay);
  EXPECT_TRUE(validity.Contains(10 * kDay));
  EXPECT_FALSE(validity.Contains(100 * kDay));
  EXPECT_FALSE(validity.Contains(9 * kDay));
}

class Fine final : public Handler {
 public:
  void Handle(Request, Respond respond) override { respond(Text("fine")); }
};

TEST(TlsIdentity, AReplacedPairIsForNewConnections) {
  Fine fine;
  TestServer server(fine);
  TestClient before(server.server->port());
  const TimeNs first = server.identity->ExpiresAt();
  EXPECT_EQ(before.Ask("GET", "/").status, 200);
  ASSERT_TRUE(server.identity->Replace(Serving(Authority("one"))));
  EXPECT_EQ(server.identity->ExpiresAt(), Now() + 90 * kDay);
  EXPECT_LT(server.identity->ExpiresAt(), first);
  EXPECT_EQ(TestClient(server.server->port()).server_name(), "hook");
  EXPECT_EQ(before.Ask("GET", "/").status, 200);
  EXPECT_EQ(before.server_name(), "first");
  EXPECT_FALSE(server.identity->Replace({"broken", "broken"}));
  EXPECT_EQ(TestClient(server.server->port()).server_name(), "hook");
}

}  // namespace
}  // namespace ksched::serve
