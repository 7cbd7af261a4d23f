#include "kube/credentials.h"

#include <filesystem>

#include <gmock/gmock.h>

#include "kube/client_config_test_util.h"
#include "kube/in_cluster.h"

namespace ksched::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string TokenOf(CredentialSource& source) { return Must(source.Get()).bearer_token; }

// As the kubelet does it: the new file takes the name of the old one.
void Replace(const TestFolder& folder, const std::string& name, const std::string& text) {
  std::filesystem::rename(folder.Write(name + ".new", text), folder.Path(name));
}

TEST(StoredCredentialSource, TokenFileIsReadAgainWhenItChanges) {
  const TestFolder folder;
  const std::string path = folder.Write("token", " one \n");
  const auto source = Must(StoredCredentialSource::Create({.values = {.bearer_token = "value"}, .token_file = path}));
  EXPECT_EQ(TokenOf(*source), "one");
  EXPECT_FALSE(source->Refresh());
  Replace(folder, "token", "two");
  EXPECT_EQ(TokenOf(*source), "two");
  Replace(folder, "token", "three");
  EXPECT_TRUE(source->Refresh());
  EXPECT_EQ(TokenOf(*source), "three");
}

TEST(StoredCredentialSource, TheLastTokenStaysWhenTheFileGoes) {
  const TestFolder folder;
  const std::string path = folder.Write("token", "one");
  const auto source = Must(StoredCredentialSource::Create({.token_file = path}));
  Replace(folder, "token", "  ");
  EXPECT_EQ(TokenOf(*source), "one");
  std::filesystem::remove(path);
  EXPECT_EQ(TokenOf(*source), "one");
  EXPECT_FALSE(source->Refresh());
}

TEST(StoredCredentialSource, ATokenStandsInForAFileThatCannotBeRead) {
  const auto source =
      Must(StoredCredentialSource::Create({.values = {.bearer_token = "value"}, .token_file = "/nowhere/token"}));
  EXPECT_EQ(TokenOf(*source), "value");
}

TEST(StoredCredentialSource, EmptyTokenFile) {
  const TestFolder folder;
  const std::string path = folder.Write("token", "\n");
  EXPECT_EQ(ErrorOf(StoredCredentialSource::Create({.token_file = path})),
            "read empty token from file \"" + path + "\"");
}

TEST(StoredCredentialSource, CertificatesAreReadAgainTogether) {
  const TestFolder folder;
  const auto source = Must(StoredCredentialSource::Create(
      {.client_certificate_file = folder.Write("crt", "C1"), .client_key_file = folder.Write("key", "K1")}));
  EXPECT_EQ(Must(source->Get()), (Credential{.client_certificate_pem = "C1", .client_key_pem = "K1"}));
  Replace(folder, "crt", "C2");
  std::filesystem::remove(folder.Path("key"));
  EXPECT_EQ(Must(source->Get()), (Credential{.client_certificate_pem = "C1", .client_key_pem = "K1"}));
  folder.Write("key", "K2");
  EXPECT_EQ(Must(source->Get()), (Credential{.client_certificate_pem = "C2", .client_key_pem = "K2"}));
}

class InClusterTest : public testing::Test {
 protected:
  InClusterTest() {
    folder_.Write("sa/token", "pod-token\n");
    folder_.Write("sa/ca.crt", "POD-CA");
    folder_.Write("sa/namespace", "pod-ns\n");
    fake_.variables = {
        {"HOME", folder_.Path("home")}, {"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  }
  Environment Make() {
    Environment environment = fake_.Make();
    environment.service_account_dir = folder_.Path("sa");
    return environment;
  }
  ClientConfig Load() {
    Result<ClientConfig> config = LoadClientConfig(options_, Make());
    EXPECT_TRUE(config.ok()) << config.error().message;
    return config ? *std::move(config) : ClientConfig{};
  }

  TestFolder folder_;
  FakeEnvironment fake_;
  ClientOptions options_;
};

TEST_F(InClusterTest, WithoutAKubeconfig) {
  const ClientConfig config = Load();
  EXPECT_EQ(config.server, "https://10.0.0.1:443");
  EXPECT_EQ(config.tls.ca_pem, "POD-CA");
  EXPECT_EQ(config.ns, "pod-ns");
  EXPECT_EQ(TokenOf(*config.credentials), "pod-token");
  Replace(folder_, "sa/token", "next");
  EXPECT_EQ(TokenOf(*config.credentials), "next");
}

TEST_F(InClusterTest, AddressOfVersionSix) {
  fake_.variables["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  EXPECT_EQ(Load().server, "https://[fd00::1]:443");
}

TEST_F(InClusterTest, FlagsThatHoldHereToo) {
  options_.token = "flag";
  options_.certificate_authority = folder_.Write("ca", "FLAG-CA");
  options_.as = "jane";
  options_.request_timeout = "3s";
  options_.ns = "flag-ns";
  const ClientConfig config = Load();
  EXPECT_EQ(config.server, "https://10.0.0.1:443");
  EXPECT_EQ(config.tls.ca_pem, "FLAG-CA");
  EXPECT_EQ(config.impersonation.user, "jane");
  EXPECT_EQ(config.request_timeout.count(), 3000);
  EXPECT_EQ(config.ns, "flag-ns");
  EXPECT_EQ(TokenOf(*config.credentials), "flag");
}

TEST_F(InClusterTest, AKubeconfigOrAServerWins) {
  folder_.Write("home/.kube/config",
                "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\n"
                "clusters: [{name: k, cluster: {server: 'https://k'}}]\n");
  EXPECT_EQ(Load().server, "https://k");
  EXPECT_EQ(Load().ns, "pod-ns");  // the context has none
  std::filesystem::remove_all(folder_.Path("home"));
  options_.server = "https://flag";
  EXPECT_EQ(Load().server, "https://flag");
}

TEST_F(InClusterTest, Namespace) {
  fake_.variables["POD_NAMESPACE"] = "by-variable";
  EXPECT_EQ(InClusterNamespace(Make()), "by-variable");
  fake_.variables.erase("POD_NAMESPACE");
  folder_.Write("sa/namespace", " ");
  EXPECT_EQ(InClusterNamespace(Make()), "default");
}

TEST_F(InClusterTest, WithoutItsCertificateItWarns) {
  std::filesystem::remove(folder_.Path("sa/ca.crt"));
  EXPECT_EQ(Load().tls.ca_pem, std::nullopt);
  EXPECT_THAT(fake_.warnings, ElementsAre(HasSubstr("Expected to load root CA config from")));
}

TEST_F(InClusterTest, NotWithoutATokenOrAnAddress) {
  std::filesystem::remove(folder_.Path("sa/token"));
  EXPECT_EQ(Load().server, "http://localhost:8080");
  folder_.Write("sa/token", "t");
  fake_.variables.erase("KUBERNETES_SERVICE_PORT");
  EXPECT_EQ(Load().server, "http://localhost:8080");
}

}  // namespace
}  // namespace ksched::kube
