#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kube/ca_bundle.h"
#include "kube/http_test_util.h"
#include "kube/tls_test_util.h"

namespace ksched::kube {
namespace {

using testing::HasSubstr;

class Tls : public testing::Test {
 protected:
  static ScriptedServer::Script Hello() {
    return [](const SeenRequest& request, size_t) { return Answer(200, "hello " + request.peer); };
  }
  ClientConfig Trusting(const std::string& server) const {
    ClientConfig config = ConfigFor(server);
    config.tls.ca_pem = ca_.certificate_pem;
    return config;
  }
  static HttpResponse Get(const ClientConfig& config, const HttpClientOptions& options = QuickRetries()) {
    return MakeClient(config, options)->Perform({.target = "/"});
  }
  TestIdentity Server(TestCertificate wanted) const { return MakeIdentity(wanted, &ca_); }

  const TestIdentity ca_ = MakeIdentity({.common_name = "test ca", .is_authority = true});
  const TestIdentity good_ = Server({.common_name = "server", .alternative_names = "IP:127.0.0.1,DNS:api.example"});
};

TEST_F(Tls, TrustsTheGivenAuthority) {
  const auto context = MakeServerContext(good_);
  ScriptedServer server(Hello(), context.get());
  const HttpResponse response = Get(Trusting(server.url()));
  ASSERT_TRUE(response.ok()) << response.error->message;
  EXPECT_EQ(response.body, "hello ");
}

class Answered final : public ResponseHandler {
 public:
  void OnHead(const ResponseHead&) override {}
  Result<void> OnData(std::string_view) override { return {}; }
  void OnDone(const ApiError* error) override { done = error == nullptr ? "well" : error->message; }
  std::string done;
};

// The server speaks no HTTP/2, which nobody knows when the requests begin.
TEST_F(Tls, WithoutHttp2NobodyWaitsForWhatStaysOpen) {
  const auto context = MakeServerContext(good_);
  ScriptedServer server(
      [](const SeenRequest& request, size_t) {
        if (request.target != "/open") return Answer(200, "x");
        return Reply{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab", .hang = true};
      },
      context.get());
  const auto client = MakeClient(Trusting(server.url()));
  Answered open;
  std::vector<Answered> others(3);
  client->Start({.target = "/open"}, open);
  for (Answered& other : others) client->Start({.target = "/"}, other);
  for (const Answered& other : others) {
    for (int i = 0; i < 400 && other.done.empty(); ++i) client->Poll(std::chrono::milliseconds(10));
    EXPECT_EQ(other.done, "well");
  }
  EXPECT_EQ(open.done, "");
}

struct BadCase {
  std::string name;
  std::string message;
  TestCertificate certificate{.common_name = "server", .alternative_names = "IP:127.0.0.1"};
  bool signed_by_itself = false;
  int max_version = 0;
};

TEST_F(Tls, SaysWhatIsWrongWithTheServer) {
  const std::vector<BadCase> cases{
      {.name = "unknown authority",
       .message = "x509: certificate signed by unknown authority",
       .signed_by_itself = true},
      {.name = "expired",
       .message = "it has expired",
       .certificate =
           {.common_name = "s", .alternative_names = "IP:127.0.0.1", .valid_from_s = -7200, .valid_for_s = 60}},
      {.name = "not yet",
       .message = "it is not valid yet",
       .certificate = {.common_name = "s", .alternative_names = "IP:127.0.0.1", .valid_from_s = 3600}},
      {.name = "other name",
       .message = "x509: the certificate is for another name",
       .certificate = {.common_name = "s", .alternative_names = "DNS:other.example"}},
      {.name = "TLS 1.1", .message = "tls: ", .max_version = TLS1_1_VERSION},
  };
  for (const BadCase& bad : cases) {
    SCOPED_TRACE(bad.name);
    const TestIdentity identity = bad.signed_by_itself ? MakeIdentity(bad.certificate) : Server(bad.certificate);
    const auto context = MakeServerContext(identity, "", bad.max_version);
    ScriptedServer server(Hello(), context.get());
    const HttpResponse response = Get(Trusting(server.url()));
    ASSERT_TRUE(response.error);
    EXPECT_EQ(response.error->kind, ErrorKind::kTls) << ToString(response.error->kind);
    EXPECT_THAT(response.error->message, HasSubstr("Unable to connect to the server: tls: "));
    EXPECT_THAT(response.error->message, HasSubstr(bad.message));
    EXPECT_EQ(server.seen().size(), 0U);
    if (bad.max_version != 0) continue;
    ClientConfig insecure = ConfigFor(server.url());
    insecure.tls.insecure = true;
    EXPECT_TRUE(Get(insecure).ok());
  }
}

TEST_F(Tls, ExpectsTheNameThatIsGiven) {
  const auto context = MakeServerContext(Server({.common_name = "s", .alternative_names = "DNS:api.example"}));
  ScriptedServer server(Hello(), context.get());
  ClientConfig config = Trusting(server.url());
  EXPECT_EQ(Get(config).error->kind, ErrorKind::kTls);
  config.tls.server_name = "api.example";
  const HttpResponse response = Get(config);
  ASSERT_TRUE(response.ok()) << response.error->message;
  EXPECT_EQ(server.seen().at(0).Value("host"), server.host_port());
  config.tls.server_name = "other.example";
  EXPECT_EQ(Get(config).error->kind, ErrorKind::kTls);
}

TEST_F(Tls, APlainServerIsRecognised) {
  ScriptedServer server(Hello());
  const HttpResponse response = Get(Trusting("https://" + server.host_port()));
  ASSERT_TRUE(response.error);
  EXPECT_EQ(response.error->kind, ErrorKind::kTls) << response.error->message;
  EXPECT_THAT(response.error->message, HasSubstr("the server does not speak TLS"));
}

TEST_F(Tls, PresentsAClientCertificate) {
  const auto context = MakeServerContext(good_, ca_.certificate_pem);
  ScriptedServer server(Hello(), context.get());
  const TestIdentity jane = Server({.common_name = "jane"}), bob = Server({.common_name = "bob"});
  ClientConfig config = Trusting(server.url());
  const HttpResponse without = Get(config);
  ASSERT_TRUE(without.error);
  EXPECT_EQ(without.error->kind, ErrorKind::kTls) << without.error->message;
  EXPECT_THAT(without.error->message, HasSubstr("certificate required"));
  EXPECT_EQ(server.seen().size(), 0U);
  const auto credential = [](const TestIdentity& identity) {
    return Credential{.client_certificate_pem = identity.certificate_pem, .client_key_pem = identity.key_pem};
  };
  config.credentials = std::make_shared<FixedCredentials>(credential(jane));
  EXPECT_EQ(Get(config).body, "hello jane");
  config.credentials = std::make_shared<FixedCredentials>(credential({bob.certificate_pem, jane.key_pem}));
  const HttpResponse mixed = Get(config);
  ASSERT_TRUE(mixed.error);
  EXPECT_EQ(mixed.error->kind, ErrorKind::kTls);
  EXPECT_THAT(mixed.error->message, HasSubstr("client certificate or its key is not usable"));
}

TEST_F(Tls, ARenewedCertificateGetsAConnectionOfItsOwn) {
  const auto context = MakeServerContext(good_, ca_.certificate_pem);
  ScriptedServer server(
      [](const SeenRequest& request, size_t) {
        return request.peer == "new" ? Answer(200, "in") : StatusAnswer(401, "Unauthorized", "Unauthorized");
      },
      context.get());
  const TestIdentity before = Server({.common_name = "old"}), after = Server({.common_name = "new"});
  ClientConfig config = Trusting(server.url());
  config.credentials = std::make_shared<FixedCredentials>(
      Credential{.client_certificate_pem = before.certificate_pem, .client_key_pem = before.key_pem},
      std::vector<Credential>{{.client_certificate_pem = after.certificate_pem, .client_key_pem = after.key_pem}});
  const auto client = MakeClient(config);
  EXPECT_EQ(client->Perform({.target = "/"}).body, "in");
  EXPECT_EQ(client->counters().connections, 2U);
}

TEST_F(Tls, OverAProxyTheCredentialIsForTheServerOnly) {
  const auto context = MakeServerContext(good_);
  for (const bool named : {false, true}) {
    ScriptedServer proxy(
        [](const SeenRequest& request, size_t) {
          return request.method == "CONNECT" ? Reply{"HTTP/1.1 200 Connected\r\n\r\n"} : Answer(200, "through");
        },
        context.get());
    ClientConfig config = Trusting("https://cluster.invalid:6443");
    config.credentials = std::make_shared<FixedCredentials>(Credential{.bearer_token = "secret"});
    config.tls.server_name = named ? "api.example" : "127.0.0.1";
    config.proxy_url = "http://user:pass@" + proxy.host_port();
    const HttpResponse response = Get(config);
    ASSERT_TRUE(response.ok()) << response.error->message;
    EXPECT_EQ(response.body, "through");
    EXPECT_EQ(proxy.seen()[0].target, "cluster.invalid:6443");
    EXPECT_EQ(proxy.seen()[0].Value("authorization"), "(none)");
    EXPECT_EQ(proxy.seen()[0].Value("proxy-authorization"), "Basic dXNlcjpwYXNz");
    EXPECT_EQ(proxy.seen()[1].Value("authorization"), "Bearer secret");
    EXPECT_EQ(proxy.seen()[1].Value("proxy-authorization"), "(none)");
    EXPECT_EQ(proxy.seen()[1].Value("host"), "cluster.invalid:6443");
    EXPECT_TRUE(proxy.seen()[1].tls);
  }
}

TEST_F(Tls, AProxyThatRefuses) {
  ScriptedServer proxy([](const SeenRequest&, size_t) { return Answer(407, "who are you", "text/plain"); });
  ClientConfig config = Trusting("https://cluster.invalid:6443");
  config.proxy_url = proxy.url();
  const HttpResponse response = Get(config);
  ASSERT_TRUE(response.error);
  EXPECT_EQ(response.error->kind, ErrorKind::kUnreachable) << response.error->message;
  EXPECT_THAT(response.error->message, HasSubstr("the proxy answered 407"));
}

TEST_F(Tls, ThroughAnHttpsProxy) {
  const auto context = MakeServerContext(good_);
  ScriptedServer proxy([](const SeenRequest&, size_t) { return Answer(200, "through"); }, context.get());
  ClientConfig config = Trusting("http://cluster.invalid");
  config.proxy_url = proxy.url();
  const HttpResponse response = Get(config);
  ASSERT_TRUE(response.ok()) << response.error->message;
  EXPECT_EQ(proxy.seen()[0].target, "http://cluster.invalid/");
  EXPECT_TRUE(proxy.seen()[0].tls);
}

class CaFiles : public Tls {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void Write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  std::string Path(const std::string& name) const { return (folder_ / name).native(); }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("ksched_ca_" + std::to_string(getpid()));
};

TEST_F(CaFiles, TheHostsBundleIsTrustedWithoutAnother) {
  const auto context = MakeServerContext(good_);
  ScriptedServer server(Hello(), context.get());
  Write("bundle.pem", "# a comment\n" + ca_.certificate_pem);
  HttpClientOptions options = QuickRetries();
  options.get_env = [&](const std::string& name) -> std::optional<std::string> {
    if (name == "SSL_CERT_FILE") return Path("bundle.pem");
    if (name == "SSL_CERT_DIR") return Path("none");
    return std::nullopt;
  };
  EXPECT_TRUE(Get(ConfigFor(server.url()), options).ok());
  Write("bundle.pem", "");
  const HttpResponse none = Get(ConfigFor(server.url()), options);
  EXPECT_EQ(none.error->kind, ErrorKind::kTls);
  EXPECT_THAT(none.error->message, HasSubstr("trusts no certificate authority"));
}

TEST_F(CaFiles, AreFoundAsGoFindsThem) {
  const std::string a = "-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----\n";
  const std::string b = "-----BEGIN CERTIFICATE-----\nB\n-----END CERTIFICATE-----\n";
  Write("first.pem", "text\n" + a + "-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n");
  Write("second.pem", b);
  std::filesystem::create_directories(folder_ / "certs");
  Write("certs/b.crt", b + a);
  std::filesystem::create_symlink("b.crt", folder_ / "certs/0a1b2c3d.0");
  EXPECT_EQ(ReadCaBundle({{Path("missing"), Path("first.pem"), Path("second.pem")}, {}}).value(), a);
  EXPECT_EQ(ReadCaBundle({{Path("first.pem")}, {Path("missing"), Path("certs")}}).value(), a + b);
  EXPECT_EQ(ReadCaBundle({{Path("missing")}, {Path("missing")}}).value(), "");
  EXPECT_FALSE(ReadCaBundle({{Path("certs")}, {}}).ok());  // a folder where a file should be
  const CaLocations set = CaLocations::Of([](const std::string& name) -> std::optional<std::string> {
    return name == "SSL_CERT_DIR" ? std::optional<std::string>("/a:/b") : std::nullopt;
  });
  EXPECT_THAT(set.folders, testing::ElementsAre("/a", "/b"));
  EXPECT_EQ(set.files.front(), "/etc/ssl/certs/ca-certificates.crt");
}

}  // namespace
}  // namespace ksched::kube
