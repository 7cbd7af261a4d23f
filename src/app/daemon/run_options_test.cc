#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/daemon/config_text.h"
#include "app/daemon/live_scheduler.h"
#include "app/daemon/log.h"
#include "config/load.h"

namespace ksched::daemon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

RunOptions Parse(const std::vector<std::string>& arguments) {
  auto options = ParseRunOptions(arguments);
  EXPECT_TRUE(options) << options.error().message;
  return options ? std::move(*options) : RunOptions{};
}

TEST(RunOptions, WhatIsServedWithoutFlags) {
  const RunOptions options = Parse({});
  EXPECT_EQ(options.serving.port, 10259);
  EXPECT_EQ(options.serving.bind_address, "0.0.0.0");
  EXPECT_THAT(options.serving.authorization.always_allow_paths, ElementsAre("/healthz", "/readyz", "/livez"));
  EXPECT_TRUE(options.serving.authentication.tolerate_lookup_failure);
  EXPECT_EQ(options.serving.authentication.keep, std::chrono::seconds(10));
  EXPECT_TRUE(options.warnings.empty());
}

TEST(RunOptions, EveryFlagOfKubeSchedulerIsTaken) {
  const RunOptions options = Parse({"--config=c.yaml",
                                    "--master=https://a:1",
                                    "--bind-address=127.0.0.1",
                                    "--cert-dir=/certs",
                                    "--disable-http2-serving=true",
                                    "--http2-max-streams-per-connection=7",
                                    "--permit-address-sharing",
                                    "--permit-port-sharing",
                                    "--secure-port=0",
                                    "--tls-cert-file=c",
                                    "--tls-private-key-file=k",
                                    "--tls-cipher-suites=TLS_AES_128_GCM_SHA256,TLS_RSA_WITH_AES_128_CBC_SHA",
                                    "--tls-curve-preferences=23,29",
                                    "--tls-min-version=VersionTLS12",
                                    "--authentication-kubeconfig=a",
                                    "--authentication-skip-lookup",
                                    "--authentication-token-webhook-cache-ttl=3s",
                                    "--authentication-tolerate-lookup-failure=false",
                                    "--client-ca-file=ca",
                                    "--requestheader-allowed-names=a,b",
                                    "--requestheader-client-ca-file=rca",
                                    "--requestheader-extra-headers-prefix=x-e-",
                                    "--requestheader-group-headers=x-g",
                                    "--requestheader-uid-headers=x-i",
                                    "--requestheader-username-headers=x-u",
                                    "--authorization-always-allow-paths=/a,/b/*",
                                    "--authorization-kubeconfig=z",
                                    "--authorization-webhook-cache-authorized-ttl=1m",
                                    "--authorization-webhook-cache-unauthorized-ttl=2s",
                                    "--contention-profiling=false",
                                    "--kube-api-burst=3",
                                    "--kube-api-content-type=application/json",
                                    "--kube-api-qps=2.5",
                                    "--kubeconfig=kc",
                                    "--pod-max-in-unschedulable-pods-duration=1m",
                                    "--profiling=false",
                                    "--leader-elect=false",
                                    "--leader-elect-lease-duration=20s",
                                    "--leader-elect-renew-deadline=10s",
                                    "--leader-elect-resource-lock=leases",
                                    "--leader-elect-resource-name=n",
                                    "--leader-elect-resource-namespace=ns",
                                    "--leader-elect-retry-period=2s",
                                    "--emulated-version=kube=1.37",
                                    "--feature-gates=kube:A=true",
                                    "--feature-gates=B=false",
                                    "--min-compatibility-version=1.36",
                                    "--allow-metric-labels=m,l=v",
                                    "--allow-metric-labels-manifest=f",
                                    "--disabled-metrics=m1,m2",
                                    "--show-hidden-metrics-for-version=1.36",
                                    "--log-flush-frequency=5s",
                                    "--log-json-info-buffer-size=0",
                                    "--log-json-split-stream",
                                    "--log-text-info-buffer-size=0",
                                    "--log-text-split-stream",
                                    "--logging-format=json",
                                    "-v=3",
                                    "--vmodule=a=1",
                                    "--write-config-to=out"});
  EXPECT_EQ(options.serving.port, 0);
  EXPECT_EQ(options.connection.server, "https://a:1");
  EXPECT_EQ(options.feature_gates, "A=true,B=false");
  EXPECT_EQ(options.log_format, LogFormat::kJson);
  EXPECT_EQ(options.verbosity, 3);
  EXPECT_EQ(options.max_in_unschedulable, 60 * kNsPerSecond);
  EXPECT_EQ(options.profiling, false);
  EXPECT_THAT(options.disabled_metrics, ElementsAre("m1", "m2"));
  const ServingOptions& serving = options.serving;
  EXPECT_TRUE(serving.share_port && serving.authentication.skip_lookup);
  EXPECT_FALSE(serving.authentication.tolerate_lookup_failure);
  EXPECT_EQ(serving.authentication.keep, std::chrono::seconds(3));
  EXPECT_EQ(serving.tls.cipher_list, "AES128-SHA");
  EXPECT_THAT(serving.authentication.request_header.allowed_names, ElementsAre("a", "b"));
  EXPECT_THAT(serving.authentication.request_header.user, ElementsAre("x-u"));
  EXPECT_THAT(serving.authorization.always_allow_paths, ElementsAre("/a", "/b/*"));
  EXPECT_EQ(serving.authorization.keep_denied, std::chrono::seconds(2));
  EXPECT_EQ(options.warnings.size(), 15U) << "each flag that is not heeded is told";
}

TEST(RunOptions, WhatCannotBeIsRefused) {
  const std::pair<std::vector<std::string>, const char*> rows[] = {
      {{"--secure-port=65536"}, "must be between 0 and 65535"},
      {{"--secure-port=x"}, "must be between 0 and 65535"},
      {{"--tls-sni-cert-key=a,b"}, "not there yet"},
      {{"--tls-cert-file=a"}, "belong together"},
      {{"--tls-min-version=2"}, "unknown tls version"},
      {{"--tls-cipher-suites=X"}, "not supported or doesn't exist"},
      {{"--emulated-version=1.35"}, "only version"},
      {{"--show-hidden-metrics-for-version=1.20"}, "'1.36'"},
      {{"--leader-elect-resource-lock=endpoints"}, "leases is the only one"},
      {{"--logging-format=xml"}, "logging-format"},
      {{"--profiling=maybe"}, "neither true nor false"},
  };
  for (const auto& [arguments, message] : rows) {
    const auto options = ParseRunOptions(arguments);
    ASSERT_FALSE(options) << arguments[0];
    EXPECT_THAT(options.error().message, HasSubstr(message));
  }
}

TEST(RunSetup, AFileCountsInPlaceOfSomeFlags) {
  const std::string path = testing::TempDir() + "ksched-run-setup.yaml";
  std::ofstream(path) << R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: of-the-file, qps: 3, burst: 4}
leaderElection: {resourceName: of-the-file}
)";
  std::vector<std::string> arguments = {"--kubeconfig=flag",    "--kube-api-qps=7",
                                        "--kube-api-burst=8",   "--kube-api-content-type=application/json",
                                        "--profiling=false",    "--contention-profiling=false",
                                        "--leader-elect=false", "--leader-elect-resource-name=flag"};
  for (const bool with_file : {false, true}) {
    if (with_file) arguments.push_back("--config=" + path);
    const RunOptions options = Parse(arguments);
    const auto setup = MakeRunSetup(options);
    ASSERT_TRUE(setup) << setup.error().message;
    const config::SchedulerConfiguration& made = setup->configuration;
    const config::ClientConnection& client = made.client_connection;
    EXPECT_EQ(client.kubeconfig, with_file ? "of-the-file" : "flag");
    EXPECT_EQ(client.qps, with_file ? 3 : 7);
    EXPECT_EQ(client.burst, with_file ? 4 : 8);
    EXPECT_EQ(client.content_type == "application/json", !with_file);
    EXPECT_EQ(made.enable_profiling, with_file);
    EXPECT_EQ(made.enable_contention_profiling == false, !with_file);
    EXPECT_FALSE(made.leader_election.leader_elect) << "flags of the election count always";
    EXPECT_EQ(made.leader_election.resource_name, "flag");
    EXPECT_EQ(options.warnings.size(), with_file ? 6U : 0U);
  }
  std::filesystem::remove(path);
}

TEST(ConfigText, WhatIsWrittenGivesTheSameAgain) {
  const std::string text = R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 3
percentageOfNodesToScore: 70
delayCacheUntilActive: true
leaderElection: {leaderElect: false, leaseDuration: 1m30s}
clientConnection: {qps: 7.5, burst: 9}
profiles:
- schedulerName: one
  percentageOfNodesToScore: 5
  plugins:
    score: {disabled: [{name: "*"}], enabled: [{name: NodeResourcesFit, weight: 4}]}
  pluginConfig:
  - name: NodeResourcesFit
    args:
      ignoredResources: [example.com/a]
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: cpu, weight: 2}]
        requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms: [{matchExpressions: [{key: k, operator: In, values: ["1", v]}]}]
        preferredDuringSchedulingIgnoredDuringExecution:
        - {weight: 3, preference: {matchFields: [{key: metadata.name, operator: NotIn, values: [n1]}]}}
  - name: PodTopologySpread
    args:
      defaultConstraints: [{maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]
      defaultingType: List
- schedulerName: two
)";
  const config::FeatureGates gates;
  const auto written = [&](const std::string& given, const char* name) {
    const auto loaded = config::LoadConfigurationFromText(given, name, gates);
    EXPECT_TRUE(loaded) << loaded.error().message << "\n" << given;
    std::ostringstream out;
    YamlEmitter yaml(out);
    if (loaded) WriteConfiguration(*loaded, yaml);
    return out.str();
  };
  const std::string once = written(text, "given.yaml");
  EXPECT_THAT(once, HasSubstr("qps: 7.5"));
  EXPECT_THAT(once, HasSubstr("leaseDuration: \"1m30s\""));
  EXPECT_THAT(once, HasSubstr("topologyKey: zone"));
  EXPECT_EQ(written(once, "once.yaml"), once);
}

TEST(Logger, TextAndJson) {
  std::ostringstream text, json;
  Logger(text, LogFormat::kText, 1).Write(2, "not said");
  Logger(text, LogFormat::kText, 1).Write(1, "said");
  EXPECT_THAT(text.str(), testing::MatchesRegex("[-0-9]+T[0-9:]+Z said\n"));
  Logger logger(json, LogFormat::kJson, 2);
  logger.Write(2, "pod a/b gets no node: \"x\"", "a/b");
  logger.Write(0, "error: broken");
  logger.Write(0, "warning: careful");
  std::vector<std::string> lines;
  std::istringstream in(json.str());
  for (std::string line; std::getline(in, line);) lines.push_back(line.substr(line.find(',')));
  EXPECT_THAT(
      lines,
      ElementsAre(R"(,"v":2,"level":"info","msg":"pod a/b gets no node: \"x\"","pod":{"name":"b","namespace":"a"}})",
                  R"(,"level":"error","msg":"broken"})", R"(,"v":0,"level":"warning","msg":"careful"})"));
}

}  // namespace
}  // namespace ksched::daemon
