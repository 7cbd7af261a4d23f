#include "app/webhook/managed_certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "app/webhook/certificate_keeper.h"
#include "app/webhook/certificate_test_util.h"
#include "base/manual_clock.h"

namespace ksched::webhook {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr TimeNs kDay = 24 * 3600 * kNsPerSecond;
const std::vector<std::string> kLook{"GET configuration", "GET secret"};

ManagedOptions Names() {
  return {.service_ns = "space", .service = "hook", .secret_ns = "space", .secret = "shared", .configuration = "hooks"};
}

// What of the clocks and objects all replicas share.
struct World {
  World() { wall.now = 20'000 * kDay; }
  void Advance(TimeNs by) {
    wall.now += by;
    steady.now += by;
  }
  CertificateServer server;
  ManualClock wall, steady;
};

struct Replica {
  Replica(World& world, const std::string& url)
      : client(kube::MakeClient(kube::ConfigFor(url))), certificates(*client, world.steady, world.wall, Names()) {}
  // "": all is well.
  std::string Round() {
    const auto done = certificates.Round();
    return done ? "" : done.error().message;
  }
  const serve::CertificatePair& serving() const { return certificates.serving(); }

  std::unique_ptr<kube::HttpClient> client;
  ManagedCertificates certificates;
};

class Managed : public testing::Test {
 protected:
  // The API server trusts what is served, whoever serves it.
  void ExpectTrusted(const Replica& replica) {
    EXPECT_TRUE(serve::IsSignedByOneOf(world.server.bundle(), replica.serving().certificate_pem));
  }
  bool ServesOfAuthority(const Replica& replica) {
    const std::string authority = world.server.certificates().authority.certificate_pem;
    return serve::IsSignedByOneOf(authority, replica.serving().certificate_pem);
  }

  World world;
  CertificateServer& server = world.server;
  Replica one{world, world.server.url()}, two{world, world.server.other_url()};
};

TEST_F(Managed, TheFirstStartMakesEverything) {
  EXPECT_EQ(one.Round(), "");
  EXPECT_THAT(server.requests(), ElementsAre("GET configuration", "GET secret", "POST secret", "PATCH configuration"));
  EXPECT_EQ(one.serving(), server.certificates().serving);
  EXPECT_EQ(server.bundle(), server.certificates().authority.certificate_pem);
  EXPECT_THAT(server.secret(), HasSubstr(R"("type":"kubernetes.io/tls")"));
  EXPECT_THAT(serve::ReadCertificate(one.serving().certificate_pem)->names,
              ElementsAre("hook", "hook.space", "hook.space.svc", "hook.space.svc.cluster.local"));
  ExpectTrusted(one);
  server.ForgetRequests();
  EXPECT_EQ(one.Round(), "");
  EXPECT_EQ(two.Round(), "");
  EXPECT_EQ(two.serving(), one.serving());
  EXPECT_THAT(server.requests(), ElementsAre(kLook[0], kLook[1], kLook[0], kLook[1]));
}

TEST_F(Managed, OfTwoThatBeginAtOnceOneWins) {
  server.Before("POST secret", [&] { EXPECT_EQ(two.Round(), ""); });
  EXPECT_EQ(one.Round(), "");
  EXPECT_EQ(one.serving(), two.serving());
  EXPECT_EQ(one.serving(), server.certificates().serving);
  ExpectTrusted(one);
}

TEST_F(Managed, OfTwoThatRenewOneWins) {
  EXPECT_EQ(one.Round(), "");
  EXPECT_EQ(two.Round(), "");
  const auto first = one.serving();
  world.Advance(61 * kDay);
  server.Before("PUT secret", [&] { EXPECT_EQ(two.Round(), ""); });
  EXPECT_EQ(one.Round(), "");
  EXPECT_EQ(one.serving(), two.serving());
  EXPECT_EQ(one.serving(), server.certificates().serving);
  EXPECT_NE(one.serving(), first);
  ExpectTrusted(one);
}

TEST_F(Managed, WhatOthersWroteIntoTheObjectsIsKept) {
  EXPECT_EQ(one.Round(), "");
  server.SetCertificates({});
  const std::string type = R"("type":"kubernetes.io/tls")";
  ASSERT_THAT(server.secret(), HasSubstr(type));
  server.ForgetRequests();
  EXPECT_EQ(one.Round(), "");
  EXPECT_THAT(server.requests(), ElementsAre(kLook[0], kLook[1], "PUT secret", "PATCH configuration"));
  EXPECT_THAT(server.secret(), HasSubstr(type));
  EXPECT_THAT(SecretWith(R"({"metadata":{"labels":{"a":"b"}},"data":{"mine":"eA==","tls.key":"eA=="}})", {}),
              testing::AllOf(HasSubstr(R"("labels":{"a":"b"})"), HasSubstr(R"("data":{"mine":"eA=="})")));
}

TEST_F(Managed, ABundleThatSomebodyResetIsWrittenAgain) {
  EXPECT_EQ(one.Round(), "");
  const std::string good = server.bundle();
  for (const auto& [first, second] : {std::pair<std::string, std::string>{"", ""}, {good, ""}, {good, "other"}}) {
    server.SetBundles(first, second);
    EXPECT_EQ(one.Round(), "");
    EXPECT_EQ(server.bundle(), good);
  }
}

TEST_F(Managed, AChangeOfTheAuthorityLosesNoRequest) {
  EXPECT_EQ(one.Round(), "");
  // Until the last third of the authority's life.
  for (int day = 0; day < 5 * 365 * 2 / 3 + 1; day += 60) {
    world.Advance(60 * kDay);
    EXPECT_EQ(one.Round(), "");
    EXPECT_EQ(two.Round(), "");
    ExpectTrusted(two);
    if (!server.certificates().previous_authorities.empty()) break;
  }
  const StoredCertificates rotating = server.certificates();
  ASSERT_NE(rotating.previous_authorities, "");
  EXPECT_EQ(server.bundle(), rotating.authority.certificate_pem + rotating.previous_authorities);
  EXPECT_FALSE(ServesOfAuthority(one));
  // The API servers have to hear of the bundle first.
  world.Advance(59 * kNsPerSecond);
  EXPECT_EQ(one.Round(), "");
  EXPECT_EQ(server.certificates(), rotating);
  world.Advance(2 * kNsPerSecond);
  EXPECT_EQ(one.Round(), "");
  EXPECT_TRUE(ServesOfAuthority(one));
  EXPECT_EQ(two.Round(), "");
  EXPECT_EQ(one.serving(), two.serving());
  ExpectTrusted(two);
}

TEST_F(Managed, WithoutABundleNothingIsSignedByANewAuthority) {
  EXPECT_EQ(one.Round(), "");
  const auto first = one.serving();
  server.DeleteSecret();  // whoever does that wants a new authority
  server.Forbid("PATCH configuration");
  EXPECT_THAT(one.Round(), HasSubstr("PATCH configuration is forbidden"));
  for (int i = 0; i < 10; ++i) {
    world.Advance(kDay);
    EXPECT_THAT(one.Round(), HasSubstr("PATCH configuration is forbidden"));
    EXPECT_EQ(one.serving(), first);
    ExpectTrusted(one);
  }
  EXPECT_FALSE(ServesOfAuthority(one));
  server.Forbid("");
  EXPECT_EQ(one.Round(), "");
  EXPECT_EQ(one.serving(), first);
  // Somebody's reset in between begins the time anew.
  world.Advance(50 * kNsPerSecond);
  const std::string both = server.bundle();
  server.SetBundles(both, "");
  EXPECT_EQ(one.Round(), "");
  world.Advance(50 * kNsPerSecond);
  EXPECT_EQ(one.Round(), "");
  EXPECT_EQ(one.serving(), first);
  world.Advance(10 * kNsPerSecond);
  EXPECT_EQ(one.Round(), "");
  EXPECT_TRUE(ServesOfAuthority(one));
  ExpectTrusted(one);
}

TEST_F(Managed, AnOlderBundleIsNotPutOverANewerOne) {
  EXPECT_EQ(one.Round(), "");
  EXPECT_EQ(two.Round(), "");
  server.SetBundles("", "");
  // While `two` is about to write the bundle that it knows, there is a new authority.
  server.Before("PATCH configuration", [&] {
    server.DeleteSecret();
    EXPECT_EQ(one.Round(), "");
  });
  EXPECT_EQ(two.Round(), "");
  const StoredCertificates now = server.certificates();
  ASSERT_NE(now.previous_authorities, "");
  EXPECT_EQ(server.bundle(), now.Bundle());
}

TEST_F(Managed, WhatIsForbiddenIsToldAndTheRestIsDone) {
  server.Forbid("POST secret");
  EXPECT_THAT(one.Round(), HasSubstr("POST secret is forbidden"));
  EXPECT_EQ(one.serving(), serve::CertificatePair());
  EXPECT_EQ(server.bundle(), "");
  server.Forbid("GET configuration");
  EXPECT_THAT(one.Round(), HasSubstr("GET configuration is forbidden"));
  EXPECT_EQ(one.serving(), server.certificates().serving);
  EXPECT_EQ(server.bundle(), "");
  server.Forbid("PUT secret");
  world.Advance(61 * kDay);
  EXPECT_THAT(one.Round(), HasSubstr("PUT secret is forbidden"));
  EXPECT_EQ(one.serving(), server.certificates().serving);
  ExpectTrusted(one);
  server.Forbid("GET secret");
  EXPECT_THAT(two.Round(), HasSubstr("GET secret is forbidden"));
  EXPECT_EQ(two.serving(), serve::CertificatePair());
  server.Forbid("");
  EXPECT_EQ(two.Round(), "");
  EXPECT_EQ(one.Round(), "");
  EXPECT_EQ(one.serving(), two.serving());
}

TEST_F(Managed, AConfigurationThatIsNotThere) {
  server.DeleteConfiguration();
  EXPECT_THAT(one.Round(), HasSubstr("there is no ValidatingWebhookConfiguration hooks"));
  EXPECT_EQ(one.serving(), server.certificates().serving);
  server.SetBundles("", "");
  EXPECT_EQ(one.Round(), "");
  ExpectTrusted(one);
}

// What a keeper says, from its thread.
class Said {
 public:
  std::function<void(const std::string&)> As(const std::string& kind) {
    return [this, kind](const std::string& text) {
      const std::lock_guard lock(mutex_);
      all_.push_back(kind + ": " + text);
    };
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }
  void WaitFor(size_t number) const {
    while (all().size() < number) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> all_;
};

TEST(Keeper, PutsTheCertificateIntoUseAndTellsTroubleOnce) {
  CertificateServer server;
  Said said;
  const auto identity = serve::TlsIdentity::FromPair(*serve::MakeSelfSigned("first", {"localhost"}, {}), {});
  ASSERT_TRUE(identity);
  const TimeNs before = (*identity)->ExpiresAt();
  server.Forbid("POST secret");
  KeeperOptions options{.managed = Names(), .period = std::chrono::milliseconds(1)};
  options.backoff.first = options.backoff.cap = std::chrono::milliseconds(1);
  options.tell_trouble = said.As("trouble");
  options.tell_news = said.As("news");
  const auto keeper =
      CertificateKeeper::Start(kube::ConfigFor(server.url()), kube::QuickRetries(), **identity, options);
  ASSERT_TRUE(keeper);
  while (server.requests().size() < 30) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE((*keeper)->ready());
  EXPECT_THAT(said.all(), ElementsAre(testing::StartsWith(
                              "trouble: certificates: Error from server (Forbidden): POST secret is forbidden")));
  server.Forbid("");
  said.WaitFor(3);
  EXPECT_TRUE((*keeper)->ready());
  EXPECT_LT((*identity)->ExpiresAt(), before);
  EXPECT_EQ((*keeper)->taken(), 1U);
  server.SetCertificates({});
  said.WaitFor(4);
  EXPECT_EQ((*keeper)->taken(), 2U);
  EXPECT_THAT(said.all(),
              ElementsAre(HasSubstr("trouble: "), HasSubstr("a certificate of the Secret is served"),
                          "news: the certificates are kept again", HasSubstr("a certificate of the Secret is served")));
}

TEST(Keeper, EndsWhileTheServerHangs) {
  std::atomic<bool> asked = false;
  kube::ScriptedServer server([&](const kube::SeenRequest&, size_t) {
    asked = true;
    return kube::Reply{.hang = true};
  });
  Said said;
  const auto identity = serve::TlsIdentity::FromPair(*serve::MakeSelfSigned("first", {"localhost"}, {}), {});
  KeeperOptions options{.managed = Names(), .tell_trouble = said.As("trouble"), .tell_news = said.As("news")};
  auto keeper = CertificateKeeper::Start(kube::ConfigFor(server.url()), kube::QuickRetries(), **identity, options);
  ASSERT_TRUE(keeper);
  while (!asked) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  keeper->reset();
  EXPECT_THAT(said.all(), ElementsAre());
}

}  // namespace
}  // namespace ksched::webhook
