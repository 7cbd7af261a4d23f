#include "app/daemon/config_text.h"

#include <fmt/format.h>

#include <string>
#include <variant>

#include "config/go_text.h"

namespace ksched::daemon {
namespace {

constexpr const char* kGroupVersion = "kubescheduler.config.k8s.io/v1";

// Writes fields one after the other; those that are empty may be left out.
class Fields {
 public:
  explicit Fields(Emitter& out) : out_(out) {}

  void Text(std::string_view name, std::string_view value) { out_.Key(name), out_.String(value); }
  void TextUnlessEmpty(std::string_view name, std::string_view value) {
    if (!value.empty()) Text(name, value);
  }
  void Int(std::string_view name, int64_t value) { out_.Key(name), out_.Int(value); }
  void Double(std::string_view name, double value) { out_.Key(name), out_.Double(value); }
  void Bool(std::string_view name, bool value) { out_.Key(name), out_.Bool(value); }
  void Time(std::string_view name, config::DurationNs value) { Text(name, config::FormatDuration(value)); }
  template <typename Write>
  void Object(std::string_view name, Write&& write) {
    out_.Key(name);
    out_.BeginObject();
    write();
    out_.EndObject();
  }
  // A list of objects, or of texts; left out if it is empty.
  template <typename T, typename Write>
  void List(std::string_view name, const std::vector<T>& list, Write&& write) {
    if (list.empty()) return;
    out_.Key(name);
    out_.BeginArray();
    for (const T& one : list) {
      out_.BeginObject();
      write(one);
      out_.EndObject();
    }
    out_.EndArray();
  }
  void Texts(std::string_view name, const std::vector<std::string>& list) {
    if (list.empty()) return;
    out_.Key(name);
    out_.BeginArray();
    for (const std::string& one : list) out_.String(one);
    out_.EndArray();
  }

  // ---- what the API has ----

  void Requirements(std::string_view name, const std::vector<api::NodeSelectorRequirement>& list) {
    List(name, list, [this](const auto& one) {
      Text("key", one.key);
      Text("operator", one.op);
      Texts("values", one.values);
    });
  }
  void Term(const api::NodeSelectorTerm& term) {
    Requirements("matchExpressions", term.match_expressions);
    Requirements("matchFields", term.match_fields);
  }
  void Affinity(const api::NodeAffinity& affinity) {
    if (affinity.required) {
      Object("requiredDuringSchedulingIgnoredDuringExecution",
             [&] { List("nodeSelectorTerms", affinity.required->terms, [this](const auto& term) { Term(term); }); });
    }
    List("preferredDuringSchedulingIgnoredDuringExecution", affinity.preferred, [this](const auto& one) {
      Int("weight", one.weight);
      Object("preference", [&] { Term(one.preference); });
    });
  }
  void Constraint(const api::TopologySpreadConstraint& one) {
    Int("maxSkew", one.max_skew);
    Text("topologyKey", one.topology_key);
    Text("whenUnsatisfiable", one.when_unsatisfiable);
    if (one.min_domains) Int("minDomains", *one.min_domains);
    TextUnlessEmpty("nodeAffinityPolicy", one.node_affinity_policy);
    TextUnlessEmpty("nodeTaintsPolicy", one.node_taints_policy);
  }
  void Resources(const std::vector<config::ResourceSpec>& resources) {
    List("resources", resources, [this](const auto& one) {
      Text("name", one.name);
      Int("weight", one.weight);
    });
  }
  void Shape(const std::vector<config::UtilizationShapePoint>& shape) {
    List("shape", shape, [this](const auto& one) {
      Int("utilization", one.utilization);
      Int("score", one.score);
    });
  }

  // ---- arguments of plugins ----

  void Write(const config::UnknownArgs&) {}
  void Write(const config::DefaultPreemptionArgs& args) {
    Int("minCandidateNodesPercentage", args.min_candidate_nodes_percentage);
    Int("minCandidateNodesAbsolute", args.min_candidate_nodes_absolute);
  }
  void Write(const config::InterPodAffinityArgs& args) {
    Int("hardPodAffinityWeight", args.hard_pod_affinity_weight);
    Bool("ignorePreferredTermsOfExistingPods", args.ignore_preferred_terms_of_existing_pods);
  }
  void Write(const config::NodeResourcesFitArgs& args) {
    Texts("ignoredResources", args.ignored_resources);
    Texts("ignoredResourceGroups", args.ignored_resource_groups);
    if (!args.scoring_strategy) return;
    Object("scoringStrategy", [&] {
      Text("type", args.scoring_strategy->type);
      Resources(args.scoring_strategy->resources);
      const auto& ratio = args.scoring_strategy->requested_to_capacity_ratio;
      if (ratio) Object("requestedToCapacityRatio", [&] { Shape(ratio->shape); });
    });
  }
  void Write(const config::NodeResourcesBalancedAllocationArgs& args) { Resources(args.resources); }
  void Write(const config::NodeAffinityArgs& args) {
    if (args.added_affinity) Object("addedAffinity", [&] { Affinity(*args.added_affinity); });
  }
  void Write(const config::PodTopologySpreadArgs& args) {
    List("defaultConstraints", args.default_constraints, [this](const auto& one) { Constraint(one); });
    Text("defaultingType", args.defaulting_type);
  }
  void Write(const config::VolumeBindingArgs& args) {
    Int("bindTimeoutSeconds", args.bind_timeout_seconds);
    if (args.shape) Shape(*args.shape);
  }
  void Write(const config::DynamicResourcesArgs& args) {
    if (args.filter_timeout) Time("filterTimeout", *args.filter_timeout);
    if (args.binding_timeout) Time("bindingTimeout", *args.binding_timeout);
  }

 private:
  Emitter& out_;
};

void WritePlugins(const config::Plugins& plugins, Fields& fields) {
  const auto set = [&](std::string_view name, const config::PluginSet& one) {
    fields.Object(name, [&] {
      const auto plugin = [&](const config::Plugin& of) {
        fields.Text("name", of.name);
        fields.Int("weight", of.weight);
      };
      fields.List("enabled", one.enabled, plugin);
      fields.List("disabled", one.disabled, plugin);
    });
  };
  for (size_t i = 0; i < config::kExtensionPointCount; ++i) {
    const auto point = static_cast<config::ExtensionPoint>(i);
    set(config::FieldName(point), plugins.At(point));
    if (point == config::ExtensionPoint::kPostBind) set("multiPoint", plugins.multi_point);
  }
}

void WriteProfile(const config::Profile& profile, Fields& fields) {
  fields.Text("schedulerName", profile.scheduler_name);
  if (profile.percentage_of_nodes_to_score)
    fields.Int("percentageOfNodesToScore", *profile.percentage_of_nodes_to_score);
  fields.Object("plugins", [&] { WritePlugins(profile.plugins, fields); });
  fields.List("pluginConfig", profile.plugin_config, [&](const config::PluginConfig& one) {
    fields.Text("name", one.name);
    if (std::holds_alternative<config::UnknownArgs>(one.args)) return;
    fields.Object("args", [&] {
      fields.Text("kind", one.name + "Args");
      fields.Text("apiVersion", kGroupVersion);
      std::visit([&](const auto& args) { fields.Write(args); }, one.args);
    });
  });
}

}  // namespace

void WriteConfiguration(const config::SchedulerConfiguration& configuration, Emitter& out) {
  Fields fields(out);
  out.BeginObject();
  fields.Text("kind", "KubeSchedulerConfiguration");
  fields.Text("apiVersion", kGroupVersion);
  fields.Int("parallelism", configuration.parallelism);
  fields.Object("leaderElection", [&, &election = configuration.leader_election] {
    fields.Bool("leaderElect", election.leader_elect);
    fields.Time("leaseDuration", election.lease_duration);
    fields.Time("renewDeadline", election.renew_deadline);
    fields.Time("retryPeriod", election.retry_period);
    fields.Text("resourceLock", election.resource_lock);
    fields.Text("resourceName", election.resource_name);
    fields.Text("resourceNamespace", election.resource_namespace);
  });
  fields.Object("clientConnection", [&, &client = configuration.client_connection] {
    fields.Text("kubeconfig", client.kubeconfig);
    fields.Text("acceptContentTypes", client.accept_content_types);
    fields.Text("contentType", client.content_type);
    fields.Double("qps", client.qps);
    fields.Int("burst", client.burst);
  });
  fields.Bool("enableProfiling", configuration.enable_profiling);
  fields.Bool("enableContentionProfiling",
              configuration.enable_contention_profiling.value_or(configuration.enable_profiling));
  fields.Int("percentageOfNodesToScore", configuration.percentage_of_nodes_to_score.value_or(0));
  fields.Int("podInitialBackoffSeconds", configuration.pod_initial_backoff_seconds);
  fields.Int("podMaxBackoffSeconds", configuration.pod_max_backoff_seconds);
  fields.List("profiles", configuration.profiles, [&](const auto& profile) { WriteProfile(profile, fields); });
  if (configuration.delay_cache_until_active) fields.Bool("delayCacheUntilActive", true);
  out.EndObject();
}

}  // namespace ksched::daemon
