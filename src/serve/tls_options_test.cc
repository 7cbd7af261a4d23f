#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/serve_test_util.h"
#include "serve/tls.h"

namespace ksched::serve {
namespace {

class Silent final : public Handler {
 public:
  void Handle(Request, Respond respond) override { respond(Text("ok")); }
};

// What a client that speaks nothing newer gets; "": no connection.
std::string VersionFor(const TlsOptions& options, int client_max) {
  Silent silent;
  const auto identity = TlsIdentity::FromPair(*MakeSelfSigned("a", {"localhost"}, {}), options);
  EXPECT_TRUE(identity);
  auto server = Server::Listen({.address = "127.0.0.1"}, **identity);
  (*server)->Start(silent);
  const TestClient client((*server)->port(), nullptr, client_max);
  return client.connected() ? client.version() : "";
}

TEST(TlsOptions, VersionsAndSuites) {
  std::vector<std::string> warnings;
  const auto plain = ReadTlsOptions("", {}, {}, warnings);
  ASSERT_TRUE(plain);
  EXPECT_EQ(VersionFor(*plain, TLS1_2_VERSION), "TLSv1.2");
  EXPECT_EQ(VersionFor(*plain, TLS1_1_VERSION), "");
  const auto newest = ReadTlsOptions("VersionTLS13", {}, {}, warnings);
  ASSERT_TRUE(newest);
  EXPECT_EQ(VersionFor(*newest, TLS1_2_VERSION), "");
  EXPECT_EQ(VersionFor(*newest, 0), "TLSv1.3");
  const auto chosen = ReadTlsOptions("VersionTLS12", {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"}, {23, 29}, warnings);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->cipher_list, "ECDHE-ECDSA-AES128-GCM-SHA256");
  EXPECT_EQ(chosen->groups, "P-256:X25519");
  EXPECT_EQ(VersionFor(*chosen, TLS1_2_VERSION), "TLSv1.2");
  EXPECT_TRUE(warnings.empty());
}

TEST(TlsOptions, WhatOpenSslHasNotGotIsToldOrRefused) {
  std::vector<std::string> warnings;
  const auto old =
      ReadTlsOptions("VersionTLS10", {"TLS_RSA_WITH_RC4_128_SHA", "TLS_AES_128_GCM_SHA256"}, {4588, 29}, warnings);
  ASSERT_TRUE(old);
  EXPECT_EQ(old->min_version, TLS1_3_VERSION);
  EXPECT_THAT(warnings, testing::ElementsAre(testing::HasSubstr("VersionTLS10"), testing::HasSubstr("RC4"),
                                             testing::HasSubstr("4588")));
  EXPECT_FALSE(ReadTlsOptions("1.2", {}, {}, warnings));
  EXPECT_THAT(ReadTlsOptions("", {"NO_SUITE"}, {}, warnings).error().message,
              testing::HasSubstr("cipher suite NO_SUITE not supported or doesn't exist"));
  EXPECT_FALSE(ReadTlsOptions("", {}, {1}, warnings));
}

}  // namespace
}  // namespace ksched::serve
