#include "config/defaults.h"

#include <gtest/gtest.h>

#include "config/load.h"

namespace ksched::config {
namespace {

FeatureGates Gates(const char* text) {
  Result<FeatureGates> gates = FeatureGates::Parse(text);
  EXPECT_TRUE(gates.ok()) << (gates.ok() ? "" : gates.error().message);
  return gates.ok() ? *gates : FeatureGates();
}

// "A:3 B* C": weights after a colon, a star for what the user named.
std::string Show(const std::vector<Plugin>& plugins) {
  std::string text;
  for (const Plugin& plugin : plugins) {
    text += (text.empty() ? "" : " ") + plugin.name;
    if (plugin.weight != 0) text += ":" + std::to_string(plugin.weight);
    if (!plugin.from_default) text += "*";
  }
  return text;
}

TEST(DefaultsTest, DefaultPluginsByGates) {
  const std::string head =
      "SchedulingGates PrioritySort NodeName NodeUnschedulable TaintToleration:3 NodeAffinity:2 NodePorts ";
  const std::string tail =
      "NodeResourcesFit:1 VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread:2 "
      "InterPodAffinity:2 DynamicResources:2 DefaultPreemption NodeResourcesBalancedAllocation:1 ImageLocality:1 "
      "DefaultBinder NodeDeclaredFeatures";
  const std::pair<const char*, std::string> rows[] = {
      {"", head + tail},
      {"InPlacePodVerticalScalingSchedulerPreemption=true", head + "DeferredPodScheduling " + tail},
      {"GenericWorkload=true", head + tail + " GangScheduling"},
      {"GenericWorkload=true,TopologyAwareWorkloadScheduling=true",
       head + tail + " GangScheduling TopologyPlacementGenerator PodGroupPodsCount:1"},
  };
  for (const auto& [gates, want] : rows) {
    EXPECT_EQ(Show(DefaultPlugins(Gates(gates)).multi_point.enabled), want) << gates;
  }
}

TEST(DefaultsTest, Configuration) {
  const SchedulerConfiguration c = DefaultConfiguration(FeatureGates());
  EXPECT_EQ(c.parallelism, 16);
  EXPECT_EQ(c.percentage_of_nodes_to_score, 0);
  EXPECT_EQ(c.pod_initial_backoff_seconds, 1);
  EXPECT_EQ(c.pod_max_backoff_seconds, 10);
  EXPECT_TRUE(c.leader_election.leader_elect);
  EXPECT_EQ(c.leader_election.lease_duration, 15'000'000'000);
  EXPECT_EQ(c.leader_election.renew_deadline, 10'000'000'000);
  EXPECT_EQ(c.leader_election.retry_period, 2'000'000'000);
  EXPECT_EQ(c.leader_election.resource_lock, "leases");
  EXPECT_EQ(c.leader_election.resource_namespace, "kube-system");
  EXPECT_EQ(c.leader_election.resource_name, "kube-scheduler");
  EXPECT_EQ(c.client_connection.content_type, "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(c.client_connection.qps, 50);
  EXPECT_EQ(c.client_connection.burst, 100);
  EXPECT_TRUE(c.enable_profiling);
  EXPECT_EQ(c.enable_contention_profiling, true);
  EXPECT_FALSE(c.delay_cache_until_active);
  ASSERT_EQ(c.profiles.size(), 1U);
  EXPECT_EQ(c.profiles[0].scheduler_name, "default-scheduler");
  EXPECT_EQ(c.profiles[0].percentage_of_nodes_to_score, std::nullopt);
}

TEST(DefaultsTest, PluginArgs) {
  const SchedulerConfiguration c = DefaultConfiguration(FeatureGates());
  std::string names;
  for (const PluginConfig& config : c.profiles[0].plugin_config) names += config.name + " ";
  EXPECT_EQ(names,
            "DefaultPreemption DynamicResources InterPodAffinity NodeAffinity NodeResourcesBalancedAllocation "
            "NodeResourcesFit PodTopologySpread VolumeBinding ");
  const auto args = [&]<typename T>(const char* name, T*) { return std::get<T>(*c.profiles[0].ArgsOf(name)); };
  const std::vector<ResourceSpec> cpu_and_memory = {{"cpu", 1}, {"memory", 1}};
  const auto fit = args("NodeResourcesFit", static_cast<NodeResourcesFitArgs*>(nullptr));
  EXPECT_EQ(fit.scoring_strategy->type, "LeastAllocated");
  EXPECT_EQ(fit.scoring_strategy->resources, cpu_and_memory);
  const auto balanced =
      args("NodeResourcesBalancedAllocation", static_cast<NodeResourcesBalancedAllocationArgs*>(nullptr));
  EXPECT_EQ(balanced.resources, cpu_and_memory);
  const auto preemption = args("DefaultPreemption", static_cast<DefaultPreemptionArgs*>(nullptr));
  EXPECT_EQ(preemption.min_candidate_nodes_percentage, 10);
  EXPECT_EQ(preemption.min_candidate_nodes_absolute, 100);
  EXPECT_EQ(args("InterPodAffinity", static_cast<InterPodAffinityArgs*>(nullptr)).hard_pod_affinity_weight, 1);
  EXPECT_EQ(args("PodTopologySpread", static_cast<PodTopologySpreadArgs*>(nullptr)).defaulting_type, "System");
  const auto volumes = args("VolumeBinding", static_cast<VolumeBindingArgs*>(nullptr));
  EXPECT_EQ(volumes.bind_timeout_seconds, 600);
  EXPECT_EQ(volumes.shape, (std::vector<UtilizationShapePoint>{{0, 10}, {100, 0}}));
  const auto devices = args("DynamicResources", static_cast<DynamicResourcesArgs*>(nullptr));
  EXPECT_EQ(devices.filter_timeout, 10'000'000'000);
  EXPECT_EQ(devices.binding_timeout, 600'000'000'000);

  const SchedulerConfiguration off = DefaultConfiguration(
      Gates("StorageCapacityScoring=false,DRASchedulerFilterTimeout=false,DRADeviceBindingConditions=false"));
  EXPECT_FALSE(std::get<VolumeBindingArgs>(*off.profiles[0].ArgsOf("VolumeBinding")).shape);
  EXPECT_FALSE(std::get<DynamicResourcesArgs>(*off.profiles[0].ArgsOf("DynamicResources")).filter_timeout);
  EXPECT_FALSE(std::get<DynamicResourcesArgs>(*off.profiles[0].ArgsOf("DynamicResources")).binding_timeout);
}

// The rules of mergePlugins, on one point. The reference's own tests have these cases.
TEST(DefaultsTest, MergePlugins) {
  const Plugin a{"A", 0, true}, b{"B", 2, true}, c{"C", 0, true};
  struct Row {
    const char* name;
    PluginSet defaults, custom;
    const char* enabled;
    const char* disabled;
  };
  const Row rows[] = {
      {"nothing of the user's", {{a, b}, {}}, {}, "A B:2", ""},
      {"appended", {{a, b}, {}}, {{{"X", 5}, {"Y"}}, {}}, "A B:2 X:5* Y*", ""},
      {"one disabled", {{a, b, c}, {}}, {{}, {{"B"}}}, "A C", "B*"},
      {"all disabled", {{a, b}, {}}, {{{"X"}}, {{"*"}}}, "X*", "**"},
      {"disabled and enabled again: at the end", {{a, b, c}, {}}, {{{"A", 3}}, {{"A"}}}, "B:2 C A:3*", "A*"},
      {"replaced in place", {{a, b, c}, {}}, {{{"X"}, {"B", 7}}, {}}, "A B:7* C X*", ""},
      {"all disabled, a new order", {{a, b, c}, {}}, {{{"C"}, {"A"}}, {{"*"}}}, "C* A*", "**"},
      {"twice: the last replaces", {{a, b}, {}}, {{{"B", 3}, {"B", 4}}, {}}, "A B:4* B:3*", ""},
      {"unknown ones disabled", {{a}, {}}, {{}, {{"Z"}}}, "A", "Z*"},
      {"defaults that disable", {{a, b}, {{"B"}}}, {{}, {{"X"}}}, "A", "X* B*"},
  };
  for (const Row& row : rows) {
    Plugins defaults, custom;
    defaults.multi_point = row.defaults;
    defaults.At(ExtensionPoint::kScore) = row.defaults;
    custom.multi_point = row.custom;
    custom.At(ExtensionPoint::kScore) = row.custom;
    const Plugins merged = MergePlugins(defaults, custom);
    EXPECT_EQ(Show(merged.multi_point.enabled), row.enabled) << row.name;
    EXPECT_EQ(Show(merged.multi_point.disabled), row.disabled) << row.name;
    EXPECT_EQ(Show(merged.At(ExtensionPoint::kScore).enabled), row.enabled) << row.name;
  }
}

}  // namespace
}  // namespace ksched::config
