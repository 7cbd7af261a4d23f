#include "kube/exec_credential.h"

#include <thread>

#include <gmock/gmock.h>

#include "kube/client_config_test_util.h"

namespace ksched::kube {
namespace {

using std::chrono::seconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kV1 = "client.authentication.k8s.io/v1";

// Prints an answer with this status.
std::string Printing(const std::string& status, const std::string& version = kV1) {
  return "cat <<'END'\n{\"apiVersion\":\"" + version + "\",\"kind\":\"ExecCredential\",\"status\":" + status +
         "}\nEND\n";
}

class ExecTest : public testing::Test {
 protected:
  ExecTest() {
    fake_.variables = {{"PATH", folder_.Path("bin") + ":/usr/bin:/bin"}, {"FROM_US", "ours"}};
    exec_.api_version = kV1;
    exec_.interactive_mode = "Never";
  }
  std::shared_ptr<CredentialSource> Source() {
    return Must(ExecCredentialSource::Create(exec_, cluster_, fake_.Make()));
  }
  std::string Error() { return ErrorOf(Source()->Get()); }
  void Plugin(const std::string& lines) { exec_.command = folder_.WriteScript("plugin", lines); }

  TestFolder folder_;
  FakeEnvironment fake_;
  KubeconfigExec exec_;
  ExecCluster cluster_;
};

TEST_F(ExecTest, TokenIsKept) {
  Plugin("echo run >> '" + folder_.Path("runs") + "'\n" + Printing(R"({"token":"t"})"));
  const auto source = Source();
  EXPECT_EQ(folder_.Read("runs"), "");
  EXPECT_EQ(Must(source->Get()), (Credential{.bearer_token = "t"}));
  Must(source->Get());
  EXPECT_EQ(folder_.Read("runs"), "run\n");
}

TEST_F(ExecTest, RunsAgainAfterItsTimeAndAfterA401) {
  Plugin("echo run >> '" + folder_.Path("runs") + "'\n" +
         Printing(R"({"token":"t","expirationTimestamp":"2030-01-01T00:01:00Z"})"));
  const auto source = Source();
  Must(source->Get());
  fake_.now += seconds(60);
  Must(source->Get());
  EXPECT_EQ(folder_.Read("runs"), "run\n");
  fake_.now += seconds(1);
  Must(source->Get());
  EXPECT_EQ(folder_.Read("runs"), "run\nrun\n");
  EXPECT_TRUE(source->Refresh());  // the answer is new: a request that was on its way with the one before
  fake_.now -= seconds(30);
  Must(source->Get());
  EXPECT_EQ(folder_.Read("runs"), "run\nrun\n");
  fake_.now += seconds(30) + seconds(2);
  EXPECT_TRUE(source->Refresh());
  Must(source->Get());
  EXPECT_EQ(folder_.Read("runs"), "run\nrun\nrun\n");
}

TEST_F(ExecTest, ThreadsWaitForOneRun) {
  Plugin("sleep 0.1; echo run >> '" + folder_.Path("runs") + "'\n" + Printing(R"({"token":"t"})"));
  const auto source = Source();
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_EQ(Must(source->Get()).bearer_token, "t"); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(folder_.Read("runs"), "run\n");
}

TEST_F(ExecTest, ArgumentsAndEnvironment) {
  exec_.args = {"get token", "", "--x"};
  exec_.env = {{"ADDED", "a=b"}, {"FROM_US", "theirs"}};
  Plugin("printf '%s|' \"$@\" \"$ADDED\" \"$FROM_US\" > '" + folder_.Path("seen") +
         "'\nprintf '%s' \"$KUBERNETES_EXEC_INFO\" > '" + folder_.Path("info") + "'\n" + Printing(R"({"token":"t"})"));
  Must(Source()->Get());
  EXPECT_EQ(folder_.Read("seen"), "get token||--x|a=b|theirs|");
  EXPECT_EQ(folder_.Read("info"),
            "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/"
            "v1\",\"spec\":{\"interactive\":false}}\n");
}

// The expectations are what kubectl passes on.
TEST(ExecInfo, Cluster) {
  ExecCluster cluster{.server = "https://k/"};
  EXPECT_EQ(ExecInfo(kV1, true, &cluster),
            "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/"
            "v1\",\"spec\":{\"cluster\":{\"server\":"
            "\"https://k/\",\"config\":null},\"interactive\":true}}\n");
  cluster = {.server = "https://k",
             .tls_server_name = "n",
             .insecure_skip_tls_verify = true,
             .ca_pem = "CA",
             .proxy_url = "http://p",
             .disable_compression = true,
             .config = "{\"a\":\"<x>&\"}"};
  EXPECT_THAT(
      ExecInfo(kV1, false, &cluster),
      HasSubstr("{\"server\":\"https://k\",\"tls-server-name\":\"n\",\"insecure-skip-tls-verify\":true,"
                "\"certificate-authority-data\":\"Q0E=\",\"proxy-url\":\"http://p\",\"disable-compression\":true,"
                "\"config\":{\"a\":\"\\u003cx\\u003e\\u0026\"}}"));
}

TEST_F(ExecTest, CommandIsLookedUpInPath) {
  folder_.WriteScript("bin/on-path", Printing(R"({"token":"found"})"));
  exec_.command = "on-path";
  EXPECT_EQ(Must(Source()->Get()).bearer_token, "found");
}

TEST_F(ExecTest, MissingCommandsComeWithTheHint) {
  exec_.install_hint = "Get it: \x1b[1mhere\x1b[0m\n";
  exec_.command = "not-on-path";
  EXPECT_THAT(Error(),
              StartsWith("getting credentials: exec: executable not-on-path not found\n\nIt looks like you are "
                         "trying to use a client-go credential plugin that is not installed."));
  EXPECT_THAT(Error(), EndsWith("\n\nGet it: U+001B[1mhereU+001B[0m\n"));
  exec_.command = folder_.Path("none");
  EXPECT_THAT(Error(),
              StartsWith("getting credentials: exec: fork/exec " + exec_.command + ": no such file or directory\n\n"));
}

TEST_F(ExecTest, WhatIsNotAProgram) {
  exec_.command = folder_.Write("text", "x");
  EXPECT_EQ(Error(), "getting credentials: exec: fork/exec " + exec_.command + ": permission denied");
}

TEST_F(ExecTest, FailureShowsTheCodeOnly) {
  Plugin("echo s3cret; exit 3");
  EXPECT_EQ(Error(), "getting credentials: exec: executable " + exec_.command + " failed with exit code 3");
  Plugin("kill -9 $$");
  EXPECT_EQ(Error(), "getting credentials: exec: executable " + exec_.command + " failed with exit code -1");
}

TEST_F(ExecTest, FailureIsNotKept) {
  Plugin("exit 1");
  const auto source = Source();
  EXPECT_FALSE(source->Get().ok());
  Plugin(Printing(R"({"token":"t"})"));
  EXPECT_EQ(Must(source->Get()).bearer_token, "t");
}

struct AnswerCase {
  const char* name;
  const char* output;
  const char* error;
};

TEST(ParseExecAnswer, WhatIsWrong) {
  const AnswerCase cases[] = {
      {"nothing", "", "decoding stdout: Object 'Kind' is missing"},
      {"no JSON", "{\"s3cret", "decoding stdout: no object in JSON or YAML (line 1)"},
      {"text", "s3cret", "decoding stdout: no object in JSON or YAML (line 1)"},
      {"no kind", R"({"apiVersion":"client.authentication.k8s.io/v1"})", "decoding stdout: Object 'Kind' is missing"},
      {"no version", R"({"kind":"ExecCredential"})", "decoding stdout: Object 'apiVersion' is missing"},
      {"other kind", R"({"kind":"Pod","apiVersion":"v1"})",
       "decoding stdout: no kind \"Pod\" is registered for version \"v1\""},
      {"other version", R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"})",
       "exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin returned version "
       "client.authentication.k8s.io/v1beta1"},
      {"no status", R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":null})",
       "exec plugin didn't return a status field"},
      {"empty status", R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{}})",
       "exec plugin didn't return a token or cert/key pair"},
      {"no key",
       R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"clientCertificateData":"c"}})",
       "exec plugin returned only certificate or key, not both"},
      {"number", R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":5311}})",
       "decoding stdout: status.token: must be a string, not a number"},
      {"time",
       R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t","expirationTimestamp":"soon"}})",
       "decoding stdout: status.expirationTimestamp: must be a time as in RFC 3339"},
  };
  for (const AnswerCase& one : cases) EXPECT_EQ(ErrorOf(ParseExecAnswer(one.output, kV1)), one.error) << one.name;
}

TEST(ParseExecAnswer, YamlAndCertificates) {
  const ExecAnswer answer =
      Must(ParseExecAnswer("kind: ExecCredential\napiVersion: client.authentication.k8s.io/v1\nstatus: "
                           "{clientCertificateData: c, clientKeyData: k}\n",
                           kV1));
  EXPECT_EQ(answer.credential, (Credential{.client_certificate_pem = "c", .client_key_pem = "k"}));
  EXPECT_EQ(answer.expires, std::nullopt);
}

struct ModeCase {
  const char* mode;
  bool terminal, in_use;
  const char* outcome;
};

TEST_F(ExecTest, InteractiveModes) {
  const ModeCase cases[] = {
      {"Never", true, false, "no"},
      {"IfAvailable", true, false, "yes"},
      {"IfAvailable", false, false, "no"},
      {"IfAvailable", true, true, "no"},
      {"Always", true, false, "yes"},
      {"Always", false, true, "standard input is not a terminal"},
      {"Always", true, true, "standard input is unavailable: used by stdin resource manifest reader"},
  };
  for (const ModeCase& one : cases) {
    exec_.interactive_mode = one.mode;
    fake_.terminal = one.terminal;
    Environment environment = fake_.Make();
    environment.stdin_in_use = one.in_use;
    const Result<bool> interactive = IsInteractive(exec_, environment);
    EXPECT_EQ(!interactive   ? interactive.error().message
              : *interactive ? "yes"
                             : "no",
              one.outcome)
        << one.mode << one.terminal << one.in_use;
  }
  exec_.interactive_mode = "Always";
  fake_.terminal = false;
  Plugin("exit 9");
  EXPECT_EQ(Error(),
            "getting credentials: exec plugin cannot support interactive mode: standard input is not a terminal");
}

TEST_F(ExecTest, ThePluginOfAKubeconfig) {
  folder_.WriteScript("sub/plugin", "printf '%s' \"$0\" > '" + folder_.Path("name") +
                                        "'\nprintf '%s' \"$KUBERNETES_EXEC_INFO\" > '" + folder_.Path("info") + "'\n" +
                                        Printing(R"({"token":"t"})"));
  ClientOptions options;
  options.kubeconfig = folder_.Write("config", R"(
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters:
- name: k
  cluster:
    server: https://k/base?x=1
    certificate-authority-data: Q0E=
    extensions: [{name: client.authentication.k8s.io/exec, extension: {b: 1, a: 2}}, {name: other, extension: 3}]
users:
- name: u
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1, command: ./sub/plugin, interactiveMode: Never, provideClusterInfo: true}
)");
  Result<ClientConfig> config = LoadClientConfig(options, fake_.Make());
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(Must(config->credentials->Get()).bearer_token, "t");
  EXPECT_EQ(folder_.Read("name"), folder_.Path("sub/plugin"));
  EXPECT_EQ(folder_.Read("info"),
            "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/"
            "v1\",\"spec\":{\"cluster\":{\"server\":"
            "\"https://k/"
            "base\",\"certificate-authority-data\":\"Q0E=\",\"config\":{\"a\":2,\"b\":1}},\"interactive\":false}}\n");
  options.token = "flag";  // keeps the plugin from being run
  config = LoadClientConfig(options, fake_.Make());
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(Must(config->credentials->Get()), (Credential{.bearer_token = "flag"}));
}

TEST_F(ExecTest, StandardInputIsEmpty) {
  Plugin("cat > '" + folder_.Path("input") + "'; wc -c < '" + folder_.Path("input") + "' > '" + folder_.Path("size") +
         "'\n" + Printing(R"({"token":"t"})"));
  Must(Source()->Get());
  EXPECT_EQ(std::stoi(folder_.Read("size")), 0);
}

}  // namespace
}  // namespace ksched::kube
