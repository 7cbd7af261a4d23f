#include "serve/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "kube/http_test_util.h"
#include "serve/serve_test_util.h"

namespace ksched::serve {
namespace {

using testing::HasSubstr;

class Open final : public Handler {
 public:
  void Handle(Request request, Respond respond) override { respond(Text("open " + request.path)); }
};

// An API server that knows the token "good" (user jane), lets jane and nobody else get /metrics, and has the
// authorities of clients in its ConfigMap.
class Reviewer {
 public:
  explicit Reviewer(std::string config_map)
      : config_map_(std::move(config_map)), server_([this](const auto& request, size_t) { return Reply(request); }) {
    auto made = ReviewClient::Create(kube::ConfigFor(server_.url()), kube::QuickRetries());
    client = std::move(*made);
  }
  std::vector<std::string> Bodies(const std::string& target) const {
    std::vector<std::string> found;
    for (const auto& request : server_.seen()) {
      if (request.target == target) found.push_back(request.body);
    }
    return found;
  }
  std::atomic<bool> hangs{false}, broken{false};

 private:
  kube::Reply Reply(const kube::SeenRequest& request) const {
    if (hangs) return {.bytes = "", .hang = true};
    if (broken) return kube::StatusAnswer(403, "Forbidden", "no reviews for you");
    if (request.target.ends_with("/tokenreviews")) {
      if (request.body.find("\"token\":\"root\"") != std::string::npos) {
        return kube::Answer(201,
                            R"({"status":{"authenticated":true,"user":{"username":"r","groups":["system:masters"]}}})");
      }
      const bool good = request.body.find("\"token\":\"good\"") != std::string::npos;
      return kube::Answer(201, good ? R"({"status":{"authenticated":true,"user":{"username":"jane","uid":"7",)"
                                      R"("groups":["devs"],"extra":{"scopes":["a","b"]}}}})"
                                    : R"({"status":{"authenticated":false}})");
    }
    if (request.target.ends_with("/subjectaccessreviews")) {
      const bool allowed = request.body.find("\"user\":\"jane\"") != std::string::npos &&
                           request.body.find("\"path\":\"/metrics\"") != std::string::npos;
      return kube::Answer(201, allowed ? R"({"status":{"allowed":true}})" : R"({"status":{"allowed":false}})");
    }
    return kube::Answer(200, config_map_);
  }

  const std::string config_map_;
  kube::ScriptedServer server_;

 public:
  std::unique_ptr<ReviewClient> client;
};

std::string InJson(std::string text) {
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\n");
  return "\"" + text + "\"";
}

class Guarded : public testing::Test {
 protected:
  void Serve(AuthenticationOptions authentication = {}, AuthorizationOptions authorization = {},
             bool with_client = true) {
    reviewer_ = std::make_unique<Reviewer>(R"({"kind":"ConfigMap","data":{"client-ca-file":)" +
                                           InJson(authority_.certificate_pem) + R"(,"requestheader-client-ca-file":)" +
                                           InJson(proxies_.certificate_pem) +
                                           R"(,"requestheader-allowed-names":"[\"front\"]",)"
                                           R"("requestheader-username-headers":"[\"X-Remote-User\"]",)"
                                           R"("requestheader-group-headers":"[\"X-Remote-Group\"]",)"
                                           R"("requestheader-extra-headers-prefix":"[\"X-Remote-Extra-\"]"}})");
    ReviewClient* client = with_client ? reviewer_->client.get() : nullptr;
    authentication.tolerate_lookup_failure = false;  // so that it is there
    authenticator_ = std::make_unique<Authenticator>(authentication, client);
    const auto loaded = authenticator_->Load([](const std::string&) {});
    ASSERT_TRUE(loaded) << loaded.error().message;
    authorizer_ = std::move(*Authorizer::Create(authorization, client));
    guard_ = std::make_unique<Guard>(*authenticator_, *authorizer_, open_, [](const std::string&) {});
    server_ = std::make_unique<TestServer>(*guard_);
  }
  void TearDown() override {
    if (reviewer_ != nullptr) reviewer_->client.reset();
  }
  Answered Ask(const std::string& target, const kube::TestIdentity* identity = nullptr,
               const std::string& headers = "") {
    return AskOnce(server_->port(), target, identity, headers);
  }
  static kube::TestIdentity Signed(const std::string& name, const kube::TestIdentity& by) {
    return kube::MakeIdentity({.common_name = name}, &by);
  }

  const kube::TestIdentity authority_ = kube::MakeIdentity({.common_name = "clients", .is_authority = true});
  const kube::TestIdentity proxies_ = kube::MakeIdentity({.common_name = "proxies", .is_authority = true});
  Open open_;
  std::unique_ptr<Reviewer> reviewer_;
  std::unique_ptr<Authenticator> authenticator_;
  std::unique_ptr<Authorizer> authorizer_;
  std::unique_ptr<Guard> guard_;
  std::unique_ptr<TestServer> server_;
};

constexpr const char* kAccess = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
constexpr const char* kTokens = "/apis/authentication.k8s.io/v1/tokenreviews";

TEST_F(Guarded, ProbesAreOpenAndTheRestIsNot) {
  Serve();
  EXPECT_EQ(Ask("/healthz").body, "open /healthz");
  const Answered refused = Ask("/metrics");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.headers.at("content-type"), "application/json");
  EXPECT_EQ(refused.body,
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"forbidden: User )"
            R"(\"system:anonymous\" cannot get path \"/metrics\"","reason":"Forbidden","details":{},"code":403})"
            "\n");
  EXPECT_EQ(Ask("/healthz/ping").status, 403);
}

TEST_F(Guarded, TokensAreReviewedAndAnswersKept) {
  Serve();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Ask("/metrics", nullptr, "Authorization: bearer good\r\n").body, "open /metrics");
    const Answered bad = Ask("/metrics", nullptr, "Authorization: Bearer bad\r\n");
    EXPECT_EQ(bad.status, 401);
    EXPECT_EQ(bad.body,
              R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized",)"
              R"("reason":"Unauthorized","code":401})"
              "\n");
    EXPECT_EQ(Ask("/configz", nullptr, "Authorization: Bearer good\r\n").status, 403);
  }
  EXPECT_EQ(reviewer_->Bodies(kTokens).size(), 2U);
  const auto bodies = reviewer_->Bodies(kAccess);
  ASSERT_EQ(bodies.size(), 2U);
  EXPECT_EQ(bodies[0], R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":)"
                       R"({"nonResourceAttributes":{"path":"/metrics","verb":"get"},"user":"jane","uid":"7",)"
                       R"("groups":["devs","system:authenticated"],"extra":{"scopes":["a","b"]}}})");
}

TEST_F(Guarded, AnswersAreForgotten) {
  Serve({.keep = std::chrono::milliseconds(0)}, {.keep_allowed = std::chrono::milliseconds(0)});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Ask("/metrics", nullptr, "Authorization: Bearer good\r\n").status, 200);
  EXPECT_EQ(reviewer_->Bodies(kTokens).size(), 3U);
  EXPECT_EQ(reviewer_->Bodies(kAccess).size(), 3U);
}

TEST_F(Guarded, CertificatesOfClients) {
  Serve();
  const kube::TestIdentity jane = Signed("jane", authority_), john = Signed("john", authority_);
  const kube::TestIdentity other = kube::MakeIdentity({.common_name = "other", .is_authority = true});
  const kube::TestIdentity stranger = Signed("jane", other);
  const kube::TestIdentity late =
      kube::MakeIdentity({.common_name = "jane", .valid_from_s = -7200, .valid_for_s = 3600}, &authority_);
  EXPECT_EQ(Ask("/metrics", &jane).status, 200);
  EXPECT_EQ(Ask("/metrics", &john).status, 403);
  EXPECT_EQ(Ask("/metrics", &stranger).status, 401);
  EXPECT_EQ(Ask("/healthz", &stranger).status, 401);
  EXPECT_EQ(Ask("/metrics", &late).status, 401);
  // What is good is good enough.
  EXPECT_EQ(Ask("/metrics", &stranger, "Authorization: Bearer good\r\n").status, 200);
  const auto bodies = reviewer_->Bodies(kAccess);
  ASSERT_FALSE(bodies.empty());
  EXPECT_THAT(bodies[0], HasSubstr("authentication.kubernetes.io/credential-id\":[\"X509SHA256="));
}

TEST_F(Guarded, AProxyVouchesForItsUsers) {
  Serve();
  const kube::TestIdentity front = Signed("front", proxies_), back = Signed("back", proxies_);
  const std::string headers =
      "X-Remote-User: jane\r\nX-Remote-Group: a\r\nX-Remote-Group: b\r\nX-Remote-Extra-k%2Fx: v\r\n";
  EXPECT_EQ(Ask("/metrics", &front, headers).status, 200);
  EXPECT_EQ(Ask("/metrics", &back, headers).status, 401);
  EXPECT_EQ(Ask("/metrics", nullptr, headers).status, 403);
  const kube::TestIdentity john = Signed("john", authority_);
  EXPECT_EQ(Ask("/metrics", &john, headers).status, 403);
  EXPECT_THAT(reviewer_->Bodies(kAccess).at(0),
              HasSubstr(R"("groups":["a","b","system:authenticated"],"extra":{"k/x":["v"]}})"));
}

TEST_F(Guarded, MastersMayEverything) {
  Serve();
  EXPECT_EQ(Ask("/anything", nullptr, "Authorization: Bearer root\r\n").status, 200);
  EXPECT_TRUE(reviewer_->Bodies(kAccess).empty());
}

TEST_F(Guarded, WhichPathsAreOpenIsSaid) {
  Serve({}, {.always_allow_paths = {"/open/*", "/exact"}});
  EXPECT_EQ(Ask("/open/this").status, 200);
  EXPECT_EQ(Ask("/exact").status, 200);
  EXPECT_EQ(Ask("/exactly").status, 403);
  EXPECT_EQ(Ask("/healthz").status, 403);
  EXPECT_FALSE(Authorizer::Create({.always_allow_paths = {"/a*b"}}, nullptr));
}

TEST_F(Guarded, AnApiServerThatHangsKeepsNoProbeWaiting) {
  Serve();
  reviewer_->hangs = true;
  TestClient client(server_->port());
  ASSERT_TRUE(client.Send("GET /metrics HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer good\r\n\r\n"));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Ask("/healthz").status, 200);
}

TEST_F(Guarded, WhatCannotBeReviewedIsAnError) {
  Serve();
  reviewer_->broken = true;
  EXPECT_EQ(Ask("/metrics", nullptr, "Authorization: Bearer good\r\n").status, 401);
  const Answered failed = Ask("/metrics");
  EXPECT_EQ(failed.status, 500);
  EXPECT_THAT(failed.body, testing::StartsWith("Internal Server Error: \"/metrics\": "));
}

TEST_F(Guarded, WithoutAnApiServerEverybodyIsAnonymous) {
  Serve({}, {}, false);
  const kube::TestIdentity jane = Signed("jane", authority_);
  EXPECT_EQ(Ask("/healthz").status, 200);
  EXPECT_EQ(Ask("/metrics", &jane, "Authorization: Bearer good\r\n").status, 403);
}

TEST_F(Guarded, AnAuthorityInAFileIsReadAgain) {
  const auto path = std::filesystem::temp_directory_path() / ("ksched-ca-" + std::to_string(getpid()));
  const kube::TestIdentity other = kube::MakeIdentity({.common_name = "other", .is_authority = true});
  std::ofstream(path) << other.certificate_pem;
  Serve({.client_ca_file = path.string()});
  const kube::TestIdentity ours = Signed("jane", authority_), theirs = Signed("jane", other);
  EXPECT_EQ(Ask("/metrics", &theirs).status, 200);
  EXPECT_EQ(Ask("/metrics", &ours).status, 401);
  std::vector<std::string> warned;
  const auto check = [&] { authenticator_->Check([&](const std::string& text) { warned.push_back(text); }); };
  std::ofstream(path) << "nonsense";
  check();
  check();
  EXPECT_THAT(warned, testing::ElementsAre(HasSubstr("there is no certificate of an authority")));
  EXPECT_EQ(Ask("/metrics", &theirs).status, 200);
  std::ofstream(path) << authority_.certificate_pem;
  check();
  EXPECT_EQ(Ask("/metrics", &ours).status, 200);
  EXPECT_EQ(Ask("/metrics", &theirs).status, 401);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ksched::serve
