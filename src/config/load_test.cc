#include "config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ksched::config {
namespace {

constexpr char kHead[] = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

Result<SchedulerConfiguration> Load(const std::string& body) {
  return LoadConfigurationFromText(kHead + body, "c.yaml", FeatureGates());
}

// What is wrong with a whole text; "" when nothing is.
std::string ErrorOf(const std::string& text, const std::string& name = "c.yaml", const char* gates = "") {
  const Result<SchedulerConfiguration> loaded = LoadConfigurationFromText(text, name, *FeatureGates::Parse(gates));
  return loaded.ok() ? "" : loaded.error().message;
}

TEST(LoadTest, ValuesOfTheFile) {
  const Result<SchedulerConfiguration> loaded = Load(R"(
parallelism: 4
percentageOfNodesToScore: 50
podInitialBackoffSeconds: 3
podMaxBackoffSeconds: 30
enableProfiling: false
delayCacheUntilActive: true
leaderElection: {leaderElect: false, leaseDuration: 1m, resourceName: x}
clientConnection: {qps: 7.5, burst: 9, kubeconfig: /k}
profiles:
- schedulerName: a
  percentageOfNodesToScore: 20
  plugins:
    score:
      disabled: [{name: "*"}]
      enabled: [{name: NodeResourcesFit, weight: 7}]
  pluginConfig:
  - name: NodeResourcesFit
    args:
      ignoredResources: [example.com/x]
      ignoredResourceGroups: [example.org]
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: cpu, weight: 3}, {name: nvidia.com/gpu}]
        requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}
  - name: NodeAffinity
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: NodeAffinityArgs
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: In, values: [a, b]}]}]
  - name: OutOfTree
    args: {b: [1, x], a: null}
- schedulerName: b
)");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const SchedulerConfiguration& c = *loaded;
  EXPECT_EQ(c.api_version, "kubescheduler.config.k8s.io/v1");
  EXPECT_EQ(c.parallelism, 4);
  EXPECT_EQ(c.percentage_of_nodes_to_score, 50);
  EXPECT_EQ(c.pod_initial_backoff_seconds, 3);
  EXPECT_EQ(c.pod_max_backoff_seconds, 30);
  EXPECT_FALSE(c.enable_profiling);
  EXPECT_EQ(c.enable_contention_profiling, false);
  EXPECT_TRUE(c.delay_cache_until_active);
  EXPECT_FALSE(c.leader_election.leader_elect);
  EXPECT_EQ(c.leader_election.lease_duration, 60'000'000'000);
  EXPECT_EQ(c.leader_election.resource_name, "x");
  EXPECT_EQ(c.client_connection.qps, 7.5F);
  EXPECT_EQ(c.client_connection.burst, 9);
  EXPECT_EQ(c.client_connection.kubeconfig, "/k");
  ASSERT_EQ(c.profiles.size(), 2U);
  const Profile& a = c.profiles[0];
  EXPECT_EQ(a.percentage_of_nodes_to_score, 20);
  EXPECT_THAT(a.plugins.At(ExtensionPoint::kScore).enabled, testing::ElementsAre(Plugin{"NodeResourcesFit", 7, false}));
  const auto& fit = std::get<NodeResourcesFitArgs>(*a.ArgsOf("NodeResourcesFit"));
  EXPECT_THAT(fit.ignored_resources, testing::ElementsAre("example.com/x"));
  EXPECT_THAT(fit.ignored_resource_groups, testing::ElementsAre("example.org"));
  EXPECT_EQ(fit.scoring_strategy->resources, (std::vector<ResourceSpec>{{"cpu", 3}, {"nvidia.com/gpu", 1}}));
  EXPECT_EQ(fit.scoring_strategy->requested_to_capacity_ratio->shape,
            (std::vector<UtilizationShapePoint>{{0, 0}, {100, 10}}));
  const auto& affinity = std::get<NodeAffinityArgs>(*a.ArgsOf("NodeAffinity"));
  EXPECT_EQ(affinity.added_affinity->required->terms[0].match_expressions[0].key, "pool");
  EXPECT_EQ(std::get<UnknownArgs>(*a.ArgsOf("OutOfTree")).json, R"({"b":[1,"x"],"a":null})");
  EXPECT_EQ(c.profiles[1].scheduler_name, "b");
}

TEST(LoadTest, Json) {
  const std::string json =
      R"({"kind":"KubeSchedulerConfiguration","apiVersion":"kubescheduler.config.k8s.io/v1","parallelism":3})";
  const Result<SchedulerConfiguration> loaded = LoadConfigurationFromText(json, "c.json", FeatureGates());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->parallelism, 3);
  EXPECT_EQ(loaded->profiles[0].scheduler_name, "default-scheduler");
}

// Nulls leave the defaults alone.
TEST(LoadTest, Nulls) {
  const Result<SchedulerConfiguration> loaded =
      Load("parallelism: null\nprofiles: null\nleaderElection: null\npodMaxBackoffSeconds:\n");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->parallelism, 16);
  EXPECT_EQ(loaded->pod_max_backoff_seconds, 10);
}

TEST(LoadTest, EmptyFileNameIsTheDefault) {
  const Result<SchedulerConfiguration> loaded = LoadConfiguration("", FeatureGates());
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->profiles.size(), 1U);
}

TEST(LoadTest, FileThatIsNotThere) {
  const Result<SchedulerConfiguration> loaded = LoadConfiguration("/no/such/file.yaml", FeatureGates());
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().message, testing::HasSubstr("/no/such/file.yaml"));
}

// Texts that are ours, or the reference's with more to them.
TEST(LoadTest, OwnMessages) {
  const std::string expected = ": expected kind KubeSchedulerConfiguration, apiVersion kubescheduler.config.k8s.io/v1";
  const std::string head = kHead;
  const std::pair<std::string, std::string> rows[] = {
      {"", "c.yaml: Object 'Kind' is missing" + expected},
      {"parallelism: 1\n", "c.yaml:1: Object 'Kind' is missing" + expected},
      {"5\n", "c.yaml:1: expected an object, found a number"},
      {"kind: KubeSchedulerConfiguration\n", "c.yaml:1: Object 'apiVersion' is missing" + expected},
      {"kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1beta3\n",
       "c.yaml:2: no kind \"KubeSchedulerConfiguration\" is registered for version "
       "\"kubescheduler.config.k8s.io/v1beta3\"" +
           expected},
      {"kind: Pod\napiVersion: v1\n", "c.yaml:2: no kind \"Pod\" is registered for version \"v1\"" + expected},
      {"apiVersion: kubescheduler.config.k8s.io/v1\nkind: NodeResourcesFitArgs\n",
       "c.yaml:2: couldn't decode as KubeSchedulerConfiguration, got kubescheduler.config.k8s.io/v1, "
       "Kind=NodeResourcesFitArgs"},
      {head + "---\n" + head, "c.yaml:4: a second document: a configuration has one"},
      {head + "extenders:\n- urlPrefix: http://x\n  filterVerb: f\n", "c.yaml:3: extenders: not supported yet"},
      {head + "parallelism: x\npodMaxBackoffSeconds: z\n",
       "c.yaml:3: json: cannot unmarshal string into Go struct field KubeSchedulerConfiguration.parallelism of type "
       "int32\nc.yaml:4: json: cannot unmarshal string into Go struct field "
       "KubeSchedulerConfiguration.podMaxBackoffSeconds of type int64"},
      {head + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: A\n        wieght: 3\n",
       "c.yaml:8: strict decoding error: unknown field \"profiles[0].plugins.score.enabled[0].wieght\""},
      {head + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      foo: 1\n",
       "c.yaml:7: strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding error: decoding args "
       "for "
       "plugin NodeResourcesFit: strict decoding error: unknown field \"foo\""},
      {head + "profiles:\n- schedulerName: a\n- percentageOfNodesToScore: 101\n  schedulerName: b\n",
       "c.yaml:5: profiles[1].percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]"},
  };
  for (const auto& [text, want] : rows) EXPECT_EQ(ErrorOf(text), want) << text;
  EXPECT_THAT(ErrorOf(head + "parallelism: 1\nparallelism: 2\n"),
              testing::AllOf(testing::HasSubstr("parallelism"), testing::HasSubstr("4")));
}

TEST(LoadTest, ExtendersAreValidatedFirst) {
  const std::string body = R"(extenders:
- urlPrefix: a
  prioritizeVerb: p
  bindVerb: b
  managedResources: [{name: cpu}, {name: a.b/c}, {name: a.b/c}, {name: requests.foo.bar/x}]
- bindVerb: c
  httpTimeout: 5s
  tlsConfig: {insecure: true, certData: aGVsbG8=}
)";
  EXPECT_EQ(
      ErrorOf(kHead + body),
      "c.yaml:4: [extenders[0].weight: Invalid value: 0: must have a positive weight applied to it, "
      "extenders[0].managedResources[0].name: Invalid value: \"cpu\": is an invalid extended resource name, "
      "extenders[0].managedResources[2].name: Invalid value: \"a.b/c\": duplicate extender managed resource name, "
      "extenders[0].managedResources[3].name: Invalid value: \"requests.foo.bar/x\": is an invalid extended resource "
      "name, extenders: Invalid value: \"found 2 extenders implementing bind\": only one extender can implement bind]");
  EXPECT_EQ(ErrorOf(std::string(kHead) + "extenders:\n- tlsConfig: {foo: 3}\n  managedResources: [{nam: x}]\n"),
            "c.yaml:5: strict decoding error: unknown field \"extenders[0].managedResources[0].nam\", unknown field "
            "\"extenders[0].tlsConfig.foo\"");
}

TEST(LoadTest, ArgumentsBehindGates) {
  const std::string head = kHead;
  const auto args = [&](const std::string& plugin, const std::string& text) {
    return head + "profiles:\n- pluginConfig:\n  - {name: " + plugin + ", args: " + text + "}\n";
  };
  EXPECT_EQ(
      ErrorOf(args("VolumeBinding", "{shape: [{utilization: 0, score: 1}]}"), "c.yaml", "StorageCapacityScoring=false"),
      "c.yaml:5: profiles[0].pluginConfig[0].args.shape: Invalid value: [{\"Utilization\":0,\"Score\":1}]: unexpected "
      "field `shape`, remove it or turn on the feature gate StorageCapacityScoring");
  EXPECT_EQ(
      ErrorOf(args("DynamicResources", "{filterTimeout: 1s, bindingTimeout: 1s}"), "c.yaml",
              "DRASchedulerFilterTimeout=false,DRADeviceBindingConditions=false"),
      "c.yaml:5: [profiles[0].pluginConfig[0].args.filterTimeout: Forbidden: DRASchedulingFilterTimeout feature gate "
      "is disabled, profiles[0].pluginConfig[0].args.bindingTimeout: Forbidden: DRADeviceBindingConditions or "
      "DRAResourceClaimDeviceStatus feature gate is disabled]");
}

TEST(LoadTest, OverridePercentage) {
  SchedulerConfiguration c = DefaultConfiguration(FeatureGates());
  ASSERT_TRUE(OverridePercentageOfNodesToScore(c, 100).ok());
  EXPECT_EQ(c.percentage_of_nodes_to_score, 100);
  EXPECT_EQ(OverridePercentageOfNodesToScore(c, 101).error().message,
            "percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]");
}

TEST(LoadTest, DropAbsentPlugins) {
  SchedulerConfiguration c = DefaultConfiguration(FeatureGates());
  const size_t before = c.profiles[0].plugins.multi_point.enabled.size();
  const Result<std::vector<std::string>> dropped = DropAbsentPlugins(c, {"VolumeZone", "DefaultPreemption", "Other"});
  ASSERT_TRUE(dropped.ok());
  EXPECT_THAT(*dropped, testing::ElementsAre("DefaultPreemption", "VolumeZone"));
  EXPECT_EQ(c.profiles[0].plugins.multi_point.enabled.size(), before - 2);
}

TEST(LoadTest, AbsentPluginsOfTheUser) {
  struct Row {
    const char* body;
    const char* want;
  };
  const Row rows[] = {
      {"- plugins: {filter: {enabled: [{name: VolumeZone}]}}\n",
       "profile \"default-scheduler\": plugin \"VolumeZone\" is not there yet in this version of ksched"},
      {"- {}\n- plugins: {multiPoint: {enabled: [{name: VolumeZone}]}}\n  schedulerName: b\n", "invalid"},
      {"- schedulerName: a\n- plugins: {multiPoint: {enabled: [{name: VolumeZone}]}}\n  schedulerName: b\n",
       "profile \"b\": plugin \"VolumeZone\" is not there yet in this version of ksched"},
      // Disabled or only configured, it is not the user who wants it.
      {"- plugins: {multiPoint: {disabled: [{name: VolumeZone}]}}\n", ""},
      {"- plugins: {filter: {disabled: [{name: VolumeZone}]}}\n", ""},
      {"- pluginConfig: [{name: VolumeZone, args: {a: 1}}]\n", ""},
  };
  for (const Row& row : rows) {
    Result<SchedulerConfiguration> c = Load(std::string("profiles:\n") + row.body);
    if (!c.ok()) {
      EXPECT_STREQ(row.want, "invalid") << c.error().message;
      continue;
    }
    const Result<std::vector<std::string>> dropped = DropAbsentPlugins(*c, {"VolumeZone"});
    EXPECT_EQ(dropped.ok() ? "" : dropped.error().message, row.want) << row.body;
  }
}

}  // namespace
}  // namespace ksched::config
