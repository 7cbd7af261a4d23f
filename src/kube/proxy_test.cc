#include "kube/proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/endpoint.h"
#include "kube/http_test_util.h"

namespace ksched::kube {
namespace {

struct ProxyCase {
  std::string no_proxy, host, port;
  bool proxied;
};

// The rows of golang.org/x/net/http/httpproxy's meaning.
TEST(Proxy, NoProxy) {
  const std::vector<ProxyCase> cases{
      {"", "api.example", "443", true},
      {"", "localhost", "443", false},
      {"", "127.9.9.9", "443", false},
      {"", "::1", "443", false},
      {"", "::ffff:127.0.0.1", "443", false},
      {"*", "api.example", "443", false},
      {"a, *", "api.example", "443", false},
      {"example", "api.example", "443", false},
      {"EXAMPLE", "Api.Example", "443", false},
      {"example", "example", "443", false},
      {".example", "api.example", "443", false},
      {".example", "example", "443", true},
      {"*.example", "api.example", "443", false},
      {"*.example", "example", "443", true},
      {"ample", "api.example", "443", true},
      {"api.example:6443", "api.example", "6443", false},
      {"api.example:6443", "api.example", "443", true},
      {"other, ,api.example", "api.example", "443", false},
      {"10.0.0.0/8", "10.1.2.3", "443", false},
      {"10.0.0.0/8", "11.1.2.3", "443", true},
      {"10.0.0.0/8", "10.example", "443", true},
      {"10.0.0.0/33", "10.1.2.3", "443", true},
      {"10.1.2.3", "10.1.2.3", "443", false},
      {"10.1.2.3:80", "10.1.2.3", "443", true},
      {"10.1.2.3:443", "10.1.2.3", "443", false},
      {"fd00::/8", "fd12::1", "443", false},
      {"fd00::/8", "fe12::1", "443", true},
      {"::/0", "10.1.2.3", "443", true},
      {"0.0.0.0/0", "fd00::1", "443", true},
      {"[fd00::1]:443", "fd00::1", "443", false},
      {"[fd00::1]:80", "fd00::1", "443", true},
      {"fd00::1", "fd00:0::1", "443", false},
      {":443", "api.example", "443", true},
      {".", "api.example", "443", true},
      {",,,", "api.example", "443", true},
  };
  for (const ProxyCase& row : cases) {
    const ProxyEnvironment environment{.https_proxy = "http://proxy:3128", .no_proxy = row.no_proxy};
    EXPECT_EQ(ProxyFor(environment, "https", row.host, row.port).has_value(), row.proxied)
        << row.no_proxy << " " << row.host << ":" << row.port;
  }
}

TEST(Proxy, ReadsTheEnvironment) {
  const ProxyEnvironment environment =
      ProxyEnvironment::Read([](const std::string& name) -> std::optional<std::string> {
        if (name == "HTTPS_PROXY") return "";
        if (name == "https_proxy") return "lower:1";
        if (name == "HTTP_PROXY") return "upper:2";
        if (name == "http_proxy") return "not:3";
        return std::nullopt;
      });
  EXPECT_EQ(ProxyFor(environment, "https", "a", "1"), "http://lower:1");
  EXPECT_EQ(ProxyFor(environment, "http", "a", "1"), "http://upper:2");
}

Result<Endpoint> EndpointOf(const std::string& server, const std::string& proxy = "", const std::string& name = "") {
  ClientConfig config{.server = server};
  config.proxy_url = proxy;
  config.tls.server_name = name;
  return MakeEndpoint(config, {.https_proxy = "env:1"});
}

TEST(Endpoint, TakesServersAsTheyCome) {
  EXPECT_EQ(EndpointOf("https://a.example:6443/x/y/").value().url, "https://a.example:6443/x/y");
  EXPECT_EQ(EndpointOf("https://a.example").value().proxy, "http://env:1");
  EXPECT_EQ(EndpointOf("https://localhost").value().proxy, "");
  EXPECT_EQ(EndpointOf("https://localhost", "socks5://p:1").value().proxy, "socks5h://p:1");
  EXPECT_EQ(EndpointOf("https://u:secret@a.example/p?q").value().display, "https://a.example/p");
  const Endpoint v6 = EndpointOf("https://[fd00::1]:6443", "", "kubernetes").value();
  EXPECT_EQ(v6.url, "https://kubernetes:6443");
  EXPECT_EQ(v6.connect_to, "::[fd00::1]:6443");
  EXPECT_EQ(v6.host_header, "[fd00::1]:6443");
  EXPECT_EQ(EndpointOf("https://[fd00::1]", "", "fd00::1").value().connect_to, "");
}

TEST(Endpoint, RefusesWhatItCannotUse) {
  EXPECT_FALSE(EndpointOf("ftp://a").ok());
  EXPECT_FALSE(EndpointOf("https://").ok());
  EXPECT_FALSE(EndpointOf("https://a b").ok());
  const Result<Endpoint> proxy = EndpointOf("https://a", "gopher://user:secret@proxy");
  ASSERT_FALSE(proxy.ok());
  EXPECT_THAT(proxy.error().message, testing::Not(testing::HasSubstr("secret")));
}

TEST(Proxy, IsUsedForHttp) {
  ScriptedServer proxy([](const SeenRequest&, size_t) { return Answer(200, "through"); });
  HttpClientOptions options = QuickRetries();
  std::string no_proxy;
  options.get_env = [&](const std::string& name) -> std::optional<std::string> {
    if (name == "HTTP_PROXY") return proxy.host_port();
    if (name == "NO_PROXY") return no_proxy;
    return std::nullopt;
  };
  EXPECT_EQ(MakeClient(ConfigFor("http://cluster.invalid/p"), options)->Perform({.target = "/x"}).body, "through");
  EXPECT_EQ(proxy.seen()[0].target, "http://cluster.invalid/p/x");
  no_proxy = "invalid";
  EXPECT_FALSE(MakeClient(ConfigFor("http://cluster.invalid"), options)->Perform({.target = "/x"}).ok());
}

TEST(Proxy, TheConfigsWinsOverCurlsOwnEnvironment) {
  ScriptedServer proxy([](const SeenRequest&, size_t) { return Answer(200, "through"); });
  ScriptedServer direct([](const SeenRequest&, size_t) { return Answer(200, "direct"); });
  setenv("no_proxy", "*", 1);
  setenv("http_proxy", proxy.url().c_str(), 1);
  ClientConfig config = ConfigFor(direct.url());
  EXPECT_EQ(MakeClient(config)->Perform({.target = "/"}).body, "direct");
  config.proxy_url = proxy.url();
  EXPECT_EQ(MakeClient(config)->Perform({.target = "/"}).body, "through");
  unsetenv("no_proxy");
  unsetenv("http_proxy");
}

TEST(Proxy, Socks5ResolvesAtTheProxy) {
  ScriptedServer proxy([](const SeenRequest&, size_t) { return Answer(200, "through"); }, nullptr, true);
  ClientConfig config = ConfigFor("http://cluster.invalid");
  config.proxy_url = "socks5://" + proxy.host_port();
  const HttpResponse response = MakeClient(config)->Perform({.target = "/x"});
  ASSERT_TRUE(response.ok()) << response.error->message;
  EXPECT_EQ(response.body, "through");
}

}  // namespace
}  // namespace ksched::kube
