// The scheduler's configuration as kube-scheduler's internal KubeSchedulerConfiguration has it: read, defaulted and
// validated (load.h). Plugins are known here by name only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/types.h"

namespace ksched::config {

// Where the framework calls plugins. The order is the one in which kube-scheduler's configuration lists them.
enum class ExtensionPoint : uint8_t {
  kPreEnqueue,
  kQueueSort,
  kPreFilter,
  kFilter,
  kPostFilter,
  kPreScore,
  kScore,
  kReserve,
  kPermit,
  kPreBind,
  kBind,
  kPostBind,
  // Of pod groups: configured and checked like the others, called by nothing yet.
  kPlacementGenerate,
  kPlacementScore,
  kPodGroupPostFilter,
};
inline constexpr size_t kExtensionPointCount = 15;

// Which extension points a plugin implements: one bit per point.
using ExtensionPointMask = uint32_t;
constexpr ExtensionPointMask MaskOf(ExtensionPoint point) { return 1U << static_cast<uint8_t>(point); }

// The field's name in the configuration ("preFilter"), and the Go interface that messages name ("PreFilterPlugin").
std::string_view FieldName(ExtensionPoint point);
std::string_view InterfaceName(ExtensionPoint point);

// ---- plugin arguments, defaulted ----

struct DefaultPreemptionArgs {
  int32_t min_candidate_nodes_percentage = 10;
  int32_t min_candidate_nodes_absolute = 100;
};

struct InterPodAffinityArgs {
  int32_t hard_pod_affinity_weight = 1;
  bool ignore_preferred_terms_of_existing_pods = false;
};

struct ResourceSpec {
  std::string name;
  int64_t weight = 0;
  bool operator==(const ResourceSpec&) const = default;
};
struct UtilizationShapePoint {
  int32_t utilization = 0;  // 0 to 100
  int32_t score = 0;        // 0 to 10
  bool operator==(const UtilizationShapePoint&) const = default;
};
struct RequestedToCapacityRatioParam {
  std::vector<UtilizationShapePoint> shape;
};
struct ScoringStrategy {
  std::string type;  // LeastAllocated, MostAllocated, RequestedToCapacityRatio
  std::vector<ResourceSpec> resources;
  std::optional<RequestedToCapacityRatioParam> requested_to_capacity_ratio;
};
struct NodeResourcesFitArgs {
  std::vector<std::string> ignored_resources, ignored_resource_groups;
  std::optional<ScoringStrategy> scoring_strategy;  // always there once defaulted
};

struct NodeResourcesBalancedAllocationArgs {
  std::vector<ResourceSpec> resources;
};

struct NodeAffinityArgs {
  std::optional<api::NodeAffinity> added_affinity;
};

struct PodTopologySpreadArgs {
  std::vector<api::TopologySpreadConstraint> default_constraints;
  std::string defaulting_type;  // System, List
};

struct VolumeBindingArgs {
  int64_t bind_timeout_seconds = 600;
  std::optional<std::vector<UtilizationShapePoint>> shape;  // only with the gate StorageCapacityScoring
};

using DurationNs = int64_t;

struct DynamicResourcesArgs {
  std::optional<DurationNs> filter_timeout, binding_timeout;
};

// Of a plugin that is not kube-scheduler's: JSON text, as its author wants it; empty when absent.
struct UnknownArgs {
  std::string json;
  bool operator==(const UnknownArgs&) const = default;
};

using PluginArgs = std::variant<UnknownArgs, DefaultPreemptionArgs, InterPodAffinityArgs, NodeResourcesFitArgs,
                                NodeResourcesBalancedAllocationArgs, NodeAffinityArgs, PodTopologySpreadArgs,
                                VolumeBindingArgs, DynamicResourcesArgs>;

struct PluginConfig {
  std::string name;
  PluginArgs args;
};

// ---- profiles ----

struct Plugin {
  std::string name;
  int32_t weight = 0;         // 0: not given. Only score and placementScore use it
  bool from_default = false;  // the user did not name it: the default set brought it in
  bool operator==(const Plugin&) const = default;
};

struct PluginSet {
  std::vector<Plugin> enabled, disabled;
};

struct Plugins {
  PluginSet multi_point;
  std::array<PluginSet, kExtensionPointCount> points;

  PluginSet& At(ExtensionPoint point) { return points[static_cast<size_t>(point)]; }
  const PluginSet& At(ExtensionPoint point) const { return points[static_cast<size_t>(point)]; }
};

struct Profile {
  std::string scheduler_name;
  std::optional<int32_t> percentage_of_nodes_to_score;  // absent: the configuration's
  Plugins plugins;
  std::vector<PluginConfig> plugin_config;  // the user's first, then the defaults of the other enabled plugins by name

  // The arguments of a plugin; null when it has none.
  const PluginArgs* ArgsOf(std::string_view plugin) const;
};

// ---- the rest ----

// Only what validation reads: ksched does not call extenders yet.
struct ExtenderManagedResource {
  std::string name;
  bool ignored_by_scheduler = false;
};
struct Extender {
  std::string url_prefix, filter_verb, preempt_verb, prioritize_verb, bind_verb;
  int64_t weight = 0;
  bool enable_https = false, node_cache_capable = false, ignorable = false;
  DurationNs http_timeout = 0;
  std::vector<ExtenderManagedResource> managed_resources;
};

struct LeaderElection {
  bool leader_elect = true;
  DurationNs lease_duration = 0, renew_deadline = 0, retry_period = 0;
  std::string resource_lock, resource_name, resource_namespace;
};

struct ClientConnection {
  std::string kubeconfig, accept_content_types, content_type;
  float qps = 0;
  int32_t burst = 0;
};

struct SchedulerConfiguration {
  std::string api_version;  // of the file: validation names it
  int32_t parallelism = 16;
  std::optional<int32_t> percentage_of_nodes_to_score;  // 0: adaptive
  int64_t pod_initial_backoff_seconds = 1, pod_max_backoff_seconds = 10;
  std::vector<Profile> profiles;
  std::vector<Extender> extenders;
  LeaderElection leader_election;
  ClientConnection client_connection;
  bool enable_profiling = true;
  std::optional<bool> enable_contention_profiling;  // absent: on when profiling is
  bool delay_cache_until_active = false;
};

}  // namespace ksched::config
