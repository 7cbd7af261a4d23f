#include "config/defaults.h"

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>

#include "config/decode.h"

namespace ksched::config {
namespace {

constexpr DurationNs kSecond = 1'000'000'000;

using PluginList = std::vector<Plugin>;

void InsertBefore(PluginList& list, std::string_view before, const Plugin& plugin) {
  const auto place = std::find_if(list.begin(), list.end(), [&](const Plugin& p) { return p.name == before; });
  list.insert(place, plugin);
}

PluginSet MergePluginSet(const PluginSet& defaults, const PluginSet& custom) {
  PluginSet merged;
  std::set<std::string_view> disabled;
  for (const PluginSet* set : {&custom, &defaults}) {
    for (const Plugin& plugin : set->disabled) {
      merged.disabled.push_back({plugin.name});
      disabled.insert(plugin.name);
    }
  }
  // The last one of a name counts; those before it are appended below, which the expansion refuses.
  std::map<std::string_view, size_t> custom_index;
  for (size_t i = 0; i < custom.enabled.size(); ++i) custom_index[custom.enabled[i].name] = i;

  std::set<size_t> replaced;
  if (!disabled.contains("*")) {
    for (const Plugin& plugin : defaults.enabled) {
      if (disabled.contains(plugin.name)) continue;
      const auto found = custom_index.find(plugin.name);
      if (found != custom_index.end()) replaced.insert(found->second);
      merged.enabled.push_back(found == custom_index.end() ? plugin : custom.enabled[found->second]);
    }
  }
  for (size_t i = 0; i < custom.enabled.size(); ++i) {
    if (!replaced.contains(i)) merged.enabled.push_back(custom.enabled[i]);
  }
  return merged;
}

void WeighUnweighted(std::vector<ResourceSpec>& resources) {
  if (resources.empty()) resources = {{"cpu", 1}, {"memory", 1}};
  for (ResourceSpec& resource : resources) {
    if (resource.weight == 0) resource.weight = 1;
  }
}

// One overload per type whose defaults are more than those of its members.
template <typename T>
void SetArgsDefaults(T&, const FeatureGates&) {}

void SetArgsDefaults(NodeResourcesFitArgs& args, const FeatureGates&) {
  // A strategy without a type stays without: validation refuses it.
  if (!args.scoring_strategy) args.scoring_strategy.emplace().type = "LeastAllocated";
  WeighUnweighted(args.scoring_strategy->resources);
}

void SetArgsDefaults(NodeResourcesBalancedAllocationArgs& args, const FeatureGates&) {
  WeighUnweighted(args.resources);
}

void SetArgsDefaults(PodTopologySpreadArgs& args, const FeatureGates&) {
  if (args.defaulting_type.empty()) args.defaulting_type = "System";
}

void SetArgsDefaults(VolumeBindingArgs& args, const FeatureGates& gates) {
  const bool none = !args.shape || args.shape->empty();
  if (none && gates.Enabled(Gate::kStorageCapacityScoring)) args.shape = {{0, 10}, {100, 0}};
}

void SetArgsDefaults(DynamicResourcesArgs& args, const FeatureGates& gates) {
  if (!args.filter_timeout && gates.Enabled(Gate::kDRASchedulerFilterTimeout)) args.filter_timeout = 10 * kSecond;
  if (!args.binding_timeout && gates.Enabled(Gate::kDRADeviceBindingConditions) &&
      gates.Enabled(Gate::kDRAResourceClaimDeviceStatus)) {
    args.binding_timeout = 600 * kSecond;
  }
}

// The plugins that get default arguments, sorted. podGroupPostFilter is not among the points, as in the reference.
std::set<std::string> PluginNames(const Plugins& plugins) {
  std::set<std::string> names;
  for (const Plugin& plugin : plugins.multi_point.enabled) names.insert(plugin.name);
  for (size_t i = 0; i < kExtensionPointCount; ++i) {
    if (static_cast<ExtensionPoint>(i) == ExtensionPoint::kPodGroupPostFilter) continue;
    for (const Plugin& plugin : plugins.points[i].enabled) names.insert(plugin.name);
  }
  return names;
}

void SetProfileDefaults(Profile& profile, const FeatureGates& gates) {
  profile.plugins = MergePlugins(DefaultPlugins(gates), profile.plugins);
  for (const std::string& name : PluginNames(profile.plugins)) {
    if (profile.ArgsOf(name) != nullptr) continue;
    std::optional<PluginArgs> args = NewPluginArgs(name);
    if (args) profile.plugin_config.push_back({name, std::move(*args)});
  }
  for (PluginConfig& config : profile.plugin_config) {
    std::visit([&](auto& args) { SetArgsDefaults(args, gates); }, config.args);
  }
}

template <typename T>
void SetIfZero(T& value, const std::type_identity_t<T>& fallback) {
  if (value == T{}) value = fallback;
}

}  // namespace

Plugins DefaultPlugins(const FeatureGates& gates) {
  Plugins plugins;
  PluginList& list = plugins.multi_point.enabled;
  list = {
      {"SchedulingGates"},      {"PrioritySort"},        {"NodeName"},          {"NodeUnschedulable"},
      {"TaintToleration", 3},   {"NodeAffinity", 2},     {"NodePorts"},         {"NodeResourcesFit", 1},
      {"VolumeRestrictions"},   {"NodeVolumeLimits"},    {"VolumeBinding"},     {"VolumeZone"},
      {"PodTopologySpread", 2}, {"InterPodAffinity", 2}, {"DefaultPreemption"}, {"NodeResourcesBalancedAllocation", 1},
      {"ImageLocality", 1},     {"DefaultBinder"},
  };
  if (gates.Enabled(Gate::kNodeDeclaredFeatures)) list.push_back({"NodeDeclaredFeatures"});
  if (gates.Enabled(Gate::kInPlacePodVerticalScalingSchedulerPreemption)) {
    InsertBefore(list, "NodeResourcesFit", {"DeferredPodScheduling"});
  }
  if (gates.Enabled(Gate::kDynamicResourceAllocation)) InsertBefore(list, "DefaultPreemption", {"DynamicResources", 2});
  if (gates.Enabled(Gate::kGenericWorkload)) list.push_back({"GangScheduling"});
  if (gates.Enabled(Gate::kTopologyAwareWorkloadScheduling)) {
    list.push_back({"TopologyPlacementGenerator"});
    list.push_back({"PodGroupPodsCount", 1});
  }
  for (Plugin& plugin : list) plugin.from_default = true;
  return plugins;
}

Plugins MergePlugins(Plugins defaults, const Plugins& custom) {
  defaults.multi_point = MergePluginSet(defaults.multi_point, custom.multi_point);
  for (size_t i = 0; i < kExtensionPointCount; ++i) {
    defaults.points[i] = MergePluginSet(defaults.points[i], custom.points[i]);
  }
  return defaults;
}

void SetDefaults(SchedulerConfiguration& configuration, const FeatureGates& gates) {
  for (Profile& profile : configuration.profiles) SetProfileDefaults(profile, gates);
  if (!configuration.percentage_of_nodes_to_score) configuration.percentage_of_nodes_to_score = 0;

  LeaderElection& election = configuration.leader_election;
  SetIfZero(election.resource_lock, "leases");
  SetIfZero(election.resource_namespace, "kube-system");
  SetIfZero(election.resource_name, "kube-scheduler");
  SetIfZero(election.lease_duration, 15 * kSecond);
  SetIfZero(election.renew_deadline, 10 * kSecond);
  SetIfZero(election.retry_period, 2 * kSecond);

  ClientConnection& connection = configuration.client_connection;
  SetIfZero(connection.content_type, "application/vnd.kubernetes.protobuf");
  SetIfZero(connection.qps, 50.0F);
  SetIfZero(connection.burst, 100);

  if (!configuration.enable_contention_profiling) {
    configuration.enable_contention_profiling = configuration.enable_profiling;
  }
}

}  // namespace ksched::config
