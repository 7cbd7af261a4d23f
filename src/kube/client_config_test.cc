#include "kube/client_config.h"

#include <functional>

#include <gmock/gmock.h>

#include "kube/client_config_test_util.h"
#include "kube/client_config_url.h"
#include "kube/duration.h"

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

constexpr const char* kConfig = R"(
current-context: main
clusters:
- {name: one, cluster: {server: "https://one:6443/", tls-server-name: one.example.com, certificate-authority-data: Q0E=}}
- {name: two, cluster: {server: "https://two", insecure-skip-tls-verify: true, proxy-url: "http://proxy:3128"}}
- {name: plain, cluster: {server: "http://plain:8001"}}
- {name: nowhere, cluster: {tls-server-name: x}}
users:
- {name: tokens, user: {token: token-of-file}}
- {name: basic, user: {username: jane, password: pass}}
- {name: certs, user: {client-certificate-data: Q1JU, client-key-data: S0VZ}}
- {name: acting, user: {token: t, as: jane, as-uid: "7", as-groups: [g], as-user-extra: {scopes: [view], team: [a, b]}}}
- {name: nobody}
contexts:
- {name: main, context: {cluster: one, user: tokens, namespace: team-a}}
- {name: other, context: {cluster: two, user: basic}}
- {name: open, context: {cluster: plain, user: tokens}}
- {name: halves, context: {cluster: gone, user: gone}}
)";

class LoadTest : public testing::Test {
 protected:
  LoadTest() { options_.kubeconfig = folder_.Write("config", kConfig); }

  Result<ClientConfig> Load() { return LoadClientConfig(options_, fake_.Make()); }
  ClientConfig Loaded() {
    Result<ClientConfig> config = Load();
    EXPECT_TRUE(config.ok()) << config.error().message;
    return config ? *std::move(config) : ClientConfig{};
  }
  Credential Asked() {
    const ClientConfig config = Loaded();
    return config.credentials ? Must(config.credentials->Get()) : Credential{};
  }
  void OneUser(const std::string& user, const std::string& cluster = "{server: 'https://k'}") {
    folder_.Write("config", "current-context: c\nclusters: [{name: k, cluster: " + cluster +
                                "}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\nusers: [{name: u, user: " +
                                user + "}]\n");
  }

  TestFolder folder_;
  FakeEnvironment fake_;
  ClientOptions options_;
};

TEST_F(LoadTest, TheCurrentContext) {
  const ClientConfig config = Loaded();
  EXPECT_EQ(config.server, "https://one:6443");
  EXPECT_EQ(config.ns, "team-a");
  EXPECT_EQ(config.context_name, "main");
  EXPECT_EQ(config.tls.server_name, "one.example.com");
  EXPECT_EQ(config.tls.ca_pem, "CA");
  EXPECT_FALSE(config.tls.insecure);
  EXPECT_FALSE(config.disable_compression);
  EXPECT_TRUE(config.impersonation.empty());
  EXPECT_EQ(config.request_timeout, milliseconds(0));
  EXPECT_EQ(Asked(), (Credential{.bearer_token = "token-of-file"}));
}

TEST_F(LoadTest, FlagsChooseContextClusterUserAndNamespace) {
  options_.context = "other";
  EXPECT_EQ(Loaded().server, "https://two");
  EXPECT_EQ(Loaded().ns, "default");
  EXPECT_EQ(Loaded().proxy_url, "http://proxy:3128");
  EXPECT_TRUE(Loaded().tls.insecure);
  EXPECT_EQ(Asked(), (Credential{.username = "jane", .password = "pass"}));
  options_.cluster = "one";
  options_.user = "certs";
  options_.ns = "mine";
  EXPECT_EQ(Loaded().server, "https://one:6443");
  EXPECT_EQ(Loaded().ns, "mine");
  EXPECT_EQ(Asked(), (Credential{.client_certificate_pem = "CRT", .client_key_pem = "KEY"}));
}

struct FlagError {
  const char* name;
  std::function<void(ClientOptions&)> set;
  const char* error;
};

TEST_F(LoadTest, FlagsThatDoNotFit) {
  const FlagError cases[] = {
      {"context", [](auto& o) { o.context = "nope"; }, "context \"nope\" does not exist"},
      {"cluster", [](auto& o) { o.cluster = "nope"; }, "cluster \"nope\" does not exist"},
      {"user", [](auto& o) { o.user = "nope"; }, "auth info \"nope\" does not exist"},
      {"user before context", [](auto& o) { o.user = o.context = "nope"; }, "auth info \"nope\" does not exist"},
      {"token and basic", [](auto& o) { o.context = "other", o.token = "t"; },
       "more than one authentication method found for basic; found [token basicAuth], only one "
       "is "
       "allowed"},
      {"certificate alone", [](auto& o) { o.client_certificate = "/dev/null"; },
       "client-key-data or client-key must be specified for tokens to use the clientCert "
       "authentication method."},
      {"no such CA", [](auto& o) { o.certificate_authority = "/nowhere/ca"; },
       "unable to read certificate-authority /nowhere/ca for one due to open /nowhere/ca: no "
       "such "
       "file or directory"},
      {"insecure with a CA", [](auto& o) { o.certificate_authority = "/dev/null", o.insecure_skip_tls_verify = true; },
       "cluster \"one\": specifying a root certificates file with the insecure flag is not allowed"},
      {"groups without a user", [](auto& o) { o.as_groups = {"g"}; },
       "requesting uid, groups or user-extra for tokens without impersonating a user"},
      {"timeout", [](auto& o) { o.request_timeout = "soon"; },
       "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding "
       "time "
       "unit (e.g. 1s | 2m | 3h)"},
      {"server", [](auto& o) { o.server = "ftp://x"; },
       "cluster \"one\": invalid server \"ftp://x\": unsupported protocol scheme \"ftp\""},
  };
  const ClientOptions before = options_;
  for (const FlagError& one : cases) {
    options_ = before;
    one.set(options_);
    EXPECT_EQ(ErrorOf(Load()), one.error) << one.name;
  }
}

TEST_F(LoadTest, ContextThatIsNotThere) {
  folder_.Write("config", "current-context: gone");
  EXPECT_EQ(ErrorOf(Load()), "context was not found for specified context: gone");
}

TEST_F(LoadTest, AContextMayNameWhatIsNotThere) {
  options_.context = "halves";
  EXPECT_EQ(Loaded().server, "http://localhost:8080");
  options_.context.clear();
  options_.cluster = "nowhere";
  EXPECT_EQ(Loaded().server, "http://localhost:8080");
}

TEST_F(LoadTest, ServerFlagDropsTheServerNameOfTheFile) {
  options_.server = "https://elsewhere:1/base/?q=1#f";
  EXPECT_EQ(Loaded().server, "https://elsewhere:1/base");
  EXPECT_EQ(Loaded().tls.server_name, "");
  options_.tls_server_name = "name";
  EXPECT_EQ(Loaded().tls.server_name, "name");
  EXPECT_EQ(Loaded().tls.ca_pem, "CA");
}

TEST_F(LoadTest, FlagsAboutTrustReplaceWhatTheFileSays) {
  options_.insecure_skip_tls_verify = true;
  EXPECT_TRUE(Loaded().tls.insecure);
  EXPECT_EQ(Loaded().tls.ca_pem, std::nullopt);
  options_.insecure_skip_tls_verify = false;
  EXPECT_EQ(Loaded().tls.ca_pem, "CA");
  options_.context = "other";
  EXPECT_TRUE(Loaded().tls.insecure);
  options_.certificate_authority = folder_.Write("ca", "PEM");
  EXPECT_FALSE(Loaded().tls.insecure);
  EXPECT_EQ(Loaded().tls.ca_pem, "PEM");
}

TEST_F(LoadTest, TokenFlagBeatsTokenAndTokenFile) {
  options_.token = "of-flag";
  EXPECT_EQ(Asked().bearer_token, "of-flag");
  OneUser("{tokenFile: '" + folder_.Write("token", "of-token-file") + "'}");
  EXPECT_EQ(Asked().bearer_token, "of-flag");
}

TEST_F(LoadTest, CertificateFlagsReplaceData) {
  options_.user = "certs";
  options_.client_certificate = folder_.Write("crt", "C2");
  options_.client_key = folder_.Write("key", "K2");
  EXPECT_EQ(Asked(), (Credential{.client_certificate_pem = "C2", .client_key_pem = "K2"}));
}

TEST_F(LoadTest, NothingSecretForAPlainServer) {
  options_.context = "open";
  EXPECT_EQ(Loaded().server, "http://plain:8001");
  EXPECT_EQ(Asked(), Credential{});
  options_.server = "bare:6443";
  EXPECT_EQ(Loaded().server, "http://bare:6443");
  EXPECT_EQ(Asked(), Credential{});
}

TEST_F(LoadTest, Impersonation) {
  options_.user = "acting";
  Impersonation found = Loaded().impersonation;
  EXPECT_EQ(found.user, "jane");
  EXPECT_EQ(found.uid, "7");
  EXPECT_THAT(found.groups, ElementsAre("g"));
  EXPECT_THAT(found.extra, ElementsAre(Pair("scopes", ElementsAre("view")), Pair("team", ElementsAre("a", "b"))));
  options_.as = "joe";
  options_.as_groups = {"x", "y"};
  options_.as_user_extra = {"team=c", "team=d=e", "new=", "ignored"};
  found = Loaded().impersonation;
  EXPECT_EQ(found.user, "joe");
  EXPECT_THAT(found.groups, ElementsAre("x", "y"));
  EXPECT_THAT(found.extra, ElementsAre(Pair("new", ElementsAre("")), Pair("scopes", ElementsAre("view")),
                                       Pair("team", ElementsAre("c", "d=e"))));
}

TEST_F(LoadTest, WithoutAnyFile) {
  options_.kubeconfig.clear();
  fake_.variables = {{"HOME", folder_.Path("empty-home")}};
  EXPECT_EQ(Loaded().server, "http://localhost:8080");
  EXPECT_EQ(Loaded().ns, "default");
  fake_.variables["KUBERNETES_MASTER"] = "https://master:6443";
  EXPECT_EQ(Loaded().server, "https://master:6443");
  options_.server = "https://flag:6443";
  options_.token = "t";
  EXPECT_EQ(Loaded().server, "https://flag:6443");
  EXPECT_EQ(Asked().bearer_token, "t");
}

struct UserError {
  const char* name;
  const char* user;
  const char* error;
};

TEST_F(LoadTest, UsersThatContradictThemselves) {
  const UserError cases[] = {
      {"both certificates", "{client-certificate: /dev/null, client-certificate-data: QQ==, client-key-data: QQ==}",
       "client-cert-data and client-cert are both specified for u. client-cert-data will override."},
      {"both keys", "{client-certificate: /dev/null, client-key: /dev/null, client-key-data: QQ==}",
       "client-key-data and client-key are both specified for u; client-key-data will override"},
      {"missing key", "{client-certificate-data: QQ==, client-key: /nowhere/k}",
       "unable to read client-key /nowhere/k for u due to open /nowhere/k: no such file or directory"},
      {"no command", "{exec: {apiVersion: client.authentication.k8s.io/v1beta1}}",
       "command must be specified for u to use exec authentication plugin"},
      {"no version", "{exec: {command: c, interactiveMode: Never}}",
       "apiVersion must be specified for u to use exec authentication plugin"},
      {"no mode", "{exec: {command: c, apiVersion: client.authentication.k8s.io/v1}}",
       "interactiveMode must be specified for u to use exec authentication plugin"},
      {"odd mode", "{exec: {command: c, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Maybe}}",
       "invalid interactiveMode for u: \"Maybe\""},
      {"nameless variable",
       "{exec: {command: c, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, env: [{value: v}]}}",
       "env variable name must be specified for u to use exec authentication plugin"},
      {"plugin and provider",
       "{auth-provider: {name: x}, exec: {command: c, apiVersion: client.authentication.k8s.io/v1, interactiveMode: "
       "Never}}",
       "authProvider cannot be provided in combination with an exec plugin for u"},
  };
  for (const UserError& one : cases) {
    OneUser(one.user);
    EXPECT_EQ(ErrorOf(Load()), one.error) << one.name;
  }
  OneUser("{token: t, password: p, as-uid: x}");
  EXPECT_EQ(
      ErrorOf(Load()),
      "invalid configuration: [more than one authentication method found for u; found [token basicAuth], only one is "
      "allowed, requesting uid, groups or user-extra for u without impersonating a user]");
}

TEST_F(LoadTest, UsersThatCannotBeServed) {
  const UserError cases[] = {
      {"gcp", "{auth-provider: {name: gcp}}", "user \"u\": The gcp auth plugin has been removed."},
      {"azure", "{auth-provider: {name: azure}}", "user \"u\": The azure auth plugin has been removed."},
      {"unknown", "{auth-provider: {name: x}}", "user \"u\": no Auth Provider found for name \"x\""},
      {"version", "{exec: {command: c, apiVersion: client.authentication.k8s.io/v1alpha1}}",
       "user \"u\": exec plugin: invalid apiVersion \"client.authentication.k8s.io/v1alpha1\""},
      {"token file", "{tokenFile: /nowhere/t}",
       "user \"u\": failed to read token file \"/nowhere/t\": open /nowhere/t: no"},
      {"token file and basic", "{tokenFile: /nowhere/t, username: a}",
       "user \"u\": username/password or bearer token may be set, but not both"},
  };
  for (const UserError& one : cases) {
    OneUser(one.user);
    EXPECT_THAT(ErrorOf(Load()), HasSubstr(one.error)) << one.name;
    EXPECT_THAT(ErrorOf(Load()), Not(HasSubstr("\n"))) << one.name;
  }
}

TEST_F(LoadTest, ClustersThatContradictThemselves) {
  const UserError cases[] = {
      {"both CAs", "{certificate-authority: /dev/null, certificate-authority-data: QQ==}",
       "certificate-authority-data and certificate-authority are both specified for k. "
       "certificate-authority-data will override."},
      {"insecure with a CA", "{server: 'https://k', insecure-skip-tls-verify: true, certificate-authority-data: QQ==}",
       "cluster \"k\": specifying a root certificates file with the insecure flag is not allowed"},
      {"proxy", "{server: 'https://k', proxy-url: 'ftp://jane:s3cret@p'}",
       "invalid 'proxy-url' \"ftp://xxxxx@p\" for cluster \"k\": unsupported scheme \"ftp\", "
       "must be "
       "http, https, or socks5"},
      {"no host", "{server: 'https://'}", "cluster \"k\": host must be a URL or a host:port pair: \"https://\""},
      {"host and path", "{server: 'k/path'}", "cluster \"k\": host must be a URL or a host:port pair: \"k/path\""},
  };
  for (const UserError& one : cases) {
    OneUser("{}", one.user);
    EXPECT_EQ(ErrorOf(Load()), one.error) << one.name;
  }
}

TEST(NormalizeServer, Table) {
  const std::pair<const char*, const char*> cases[] = {
      {"https://a", "https://a"},
      {"HTTPS://A:1/", "https://A:1"},
      {"http://a/b/c//", "http://a/b/c"},
      {"a", "http://a"},
      {"a:6443", "http://a:6443"},
      {"https://[::1]:6443", "https://[::1]:6443"},
      {"https://a?x=1", "https://a"},
      {"https://[fe80::1]", "https://[fe80::1]"},
      {"a/", "http://a"},
  };
  for (const auto& [given, normal] : cases) EXPECT_EQ(Must(NormalizeServer(given)), normal) << given;
  for (const char* given : {"", "https://", "https://:1", "https://a:x", "https://a:70000", "https://[::1",
                            "https://a b", "https://[::1]x", "unix:///run/x"}) {
    EXPECT_FALSE(NormalizeServer(given).ok()) << given;
  }
}

TEST(ParseRequestTimeout, Table) {
  const std::pair<const char*, int64_t> cases[] = {
      {"", 0},      {"0", 0},          {"5", 5000},      {"+5", 5000},      {"-5", 0},
      {"5s", 5000}, {"1m", 60000},     {"1m30s", 90000}, {"1.5h", 5400000}, {"300ms", 300},
      {"1us", 1},   {"1\xC2\xB5s", 1}, {".5s", 500},     {"-1s", 0},        {"0s", 0},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(Must(ParseRequestTimeout(text)).count(), expected) << text;
  for (const char* text : {"s", "5x", "5 s", "1m30", "--5", "+-5", ".s", "9999999999h", "abc", " 5"}) {
    EXPECT_FALSE(ParseRequestTimeout(text).ok()) << text;
  }
}

}  // namespace
}  // namespace ksched::kube
