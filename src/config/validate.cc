#include "config/validate.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "api/field_errors.h"
#include "api/names.h"
#include "config/decode.h"
#include "config/go_text.h"

namespace ksched::config {
namespace {

using api::FieldPath;

void Append(FieldErrors& errors, FieldErrors more) {
  errors.insert(errors.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void CheckLeaderElection(const LeaderElection& election, const FieldPath& path, FieldErrors& errors) {
  if (!election.leader_elect) return;
  const auto json = [](DurationNs duration) { return BadValue::Named(FormatDuration(duration)); };
  const auto positive = [&](std::string_view name, DurationNs duration) {
    if (duration <= 0) errors.push_back(Invalid(path.Child(name), json(duration), "must be greater than zero"));
  };
  positive("leaseDuration", election.lease_duration);
  positive("renewDeadline", election.renew_deadline);
  positive("retryPeriod", election.retry_period);
  if (election.lease_duration <= election.renew_deadline) {
    // The value shown is the deadline's, in the reference too.
    errors.push_back(
        Invalid(path.Child("leaseDuration"), json(election.renew_deadline), "must be greater than `RenewDeadline`"));
  }
  if (election.resource_lock != "leases") {
    errors.push_back(
        Invalid(path.Child("resourceLock"), election.resource_lock, "resourceLock value must be \"leases\""));
  }
}

// ---- profiles ----

bool IsRemovedPlugin(std::string_view name) {
  return name == "AzureDiskLimits" || name == "CinderLimits" || name == "EBSLimits" || name == "GCEPDLimits";
}

FieldError RemovedPlugin(const FieldPath& path, const std::string& name, const std::string& api_version) {
  return Invalid(
      path, name,
      "was invalid in version \"v1\" (KubeSchedulerConfiguration is version " + api::Quote(api_version) + ")");
}

void CheckEnabledPlugins(const Plugins& plugins, const FieldPath& path, const std::string& api_version,
                         FieldErrors& errors) {
  for (size_t i = 0; i < kExtensionPointCount; ++i) {
    const auto point = static_cast<ExtensionPoint>(i);
    // The reference looks at neither of these two, nor at multiPoint.
    if (point == ExtensionPoint::kPlacementGenerate || point == ExtensionPoint::kPlacementScore) continue;
    const FieldPath point_path = path.Child(FieldName(point)), enabled_path = point_path.Child("enabled");
    const std::vector<Plugin>& enabled = plugins.points[i].enabled;
    for (size_t j = 0; j < enabled.size(); ++j) {
      if (IsRemovedPlugin(enabled[j].name)) {
        errors.push_back(RemovedPlugin(enabled_path.Index(j), enabled[j].name, api_version));
      }
    }
  }
}

void CheckPluginConfig(const Profile& profile, const FieldPath& path, const std::string& api_version,
                       const FeatureGates& gates, FieldErrors& errors) {
  std::set<std::string_view> seen;
  const FieldPath list = path.Child("pluginConfig");
  for (size_t i = 0; i < profile.plugin_config.size(); ++i) {
    const PluginConfig& config = profile.plugin_config[i];
    const FieldPath entry = list.Index(i), args = entry.Child("args");
    if (!seen.insert(config.name).second) errors.push_back(Duplicate(entry, config.name));
    if (IsRemovedPlugin(config.name)) {
      errors.push_back(RemovedPlugin(entry, config.name, api_version));
    } else if (config.name == "NodeResourcesFitArgs") {
      // The reference has its check of NodeResourcesFit under this name by mistake.
      const auto* raw = std::get_if<UnknownArgs>(&config.args);
      const std::string json = raw != nullptr && !raw->json.empty() ? raw->json : "null";
      errors.push_back(Invalid(args, BadValue::Json(json), "has to match plugin args"));
    } else if (config.name != "NodeResourcesFit") {
      Append(errors, ValidatePluginArgs(config.args, args, gates));
    }
  }
}

std::string JsonOf(const std::vector<Plugin>& plugins) {
  if (plugins.empty()) return "null";
  std::string json;
  for (const Plugin& plugin : plugins) {
    json += (json.empty() ? "[{\"Name\":" : ",{\"Name\":") + JsonQuote(plugin.name) +
            ",\"Weight\":" + std::to_string(plugin.weight) + "}";
  }
  return json + "]";
}

std::string UnknownJson(const PluginArgs* args) {
  const auto* raw = args == nullptr ? nullptr : std::get_if<UnknownArgs>(args);
  return raw == nullptr || raw->json.empty() ? "null" : raw->json;
}

// All profiles share one queue, so they have to sort it alike.
void CheckCommonQueueSort(const std::vector<Profile>& profiles, const FieldPath& path, FieldErrors& errors) {
  const PluginSet& first = profiles[0].plugins.At(ExtensionPoint::kQueueSort);
  std::string name;
  if (!first.enabled.empty()) name = first.enabled[0].name;
  if (first.enabled.size() > 1) {
    const FieldPath profile = path.Index(0), plugins = profile.Child("plugins"), sort = plugins.Child("queueSort");
    errors.push_back(Invalid(sort.Child("Enabled"), static_cast<int64_t>(first.enabled.size()),
                             "only one queue sort plugin can be enabled"));
  }
  const std::string args = UnknownJson(name.empty() ? nullptr : profiles[0].ArgsOf(name));
  for (size_t i = 1; i < profiles.size(); ++i) {
    const FieldPath profile = path.Index(i), plugins = profile.Child("plugins"), config = profile.Child("pluginConfig");
    const PluginSet& current = profiles[i].plugins.At(ExtensionPoint::kQueueSort);
    if (current.enabled != first.enabled || current.disabled != first.disabled) {
      const std::string json =
          "{\"Enabled\":" + JsonOf(current.enabled) + ",\"Disabled\":" + JsonOf(current.disabled) + "}";
      errors.push_back(Invalid(plugins.Child("queueSort"), BadValue::Json(json), "must be the same for all profiles"));
    }
    for (const PluginConfig& other : profiles[i].plugin_config) {
      if (name.empty() || other.name != name || UnknownJson(&other.args) == args) continue;
      errors.push_back(Invalid(config.Child("args"), BadValue::Json(UnknownJson(&other.args)),
                               "queueSort must be the same for all profiles"));
    }
  }
}

void CheckProfiles(const SchedulerConfiguration& configuration, const FeatureGates& gates, FieldErrors& errors) {
  const FieldPath root, path = root.Child("profiles");
  const std::vector<Profile>& profiles = configuration.profiles;
  if (profiles.empty()) {
    errors.push_back(Required(path, ""));
    return;
  }
  std::set<std::string_view> names;
  for (size_t i = 0; i < profiles.size(); ++i) {
    const FieldPath profile = path.Index(i), name = profile.Child("schedulerName");
    if (profiles[i].scheduler_name.empty()) errors.push_back(Required(name, ""));
    Append(errors, ValidatePercentageOfNodesToScore(profiles[i].percentage_of_nodes_to_score,
                                                    profile.Child("percentageOfNodesToScore")));
    CheckEnabledPlugins(profiles[i].plugins, profile.Child("plugins"), configuration.api_version, errors);
    CheckPluginConfig(profiles[i], profile, configuration.api_version, gates, errors);
    // The reference prints the path of the other profile as JSON, which has nothing to show.
    if (!names.insert(profiles[i].scheduler_name).second) errors.push_back(Duplicate(name, BadValue::Json("{}")));
  }
  CheckCommonQueueSort(profiles, path, errors);
}

// ---- extenders ----

void CheckManagedResource(const std::string& name, const FieldPath& path, std::set<std::string_view>& seen,
                          FieldErrors& errors) {
  const api::Messages wrong = api::CheckLabelKey(name);
  for (const std::string& message : wrong) errors.push_back(Invalid(path, BadValue::Named(name), message));
  if (wrong.empty() && !api::IsExtendedResource(name)) {
    errors.push_back(Invalid(path, name, "is an invalid extended resource name"));
  }
  if (!seen.insert(name).second) errors.push_back(Invalid(path, name, "duplicate extender managed resource name"));
}

void CheckExtenders(const std::vector<Extender>& extenders, const FieldPath& path, FieldErrors& errors) {
  size_t binders = 0;
  std::set<std::string_view> managed;
  for (size_t i = 0; i < extenders.size(); ++i) {
    const Extender& extender = extenders[i];
    const FieldPath entry = path.Index(i), resources = entry.Child("managedResources");
    if (!extender.prioritize_verb.empty() && extender.weight <= 0) {
      errors.push_back(Invalid(entry.Child("weight"), extender.weight, "must have a positive weight applied to it"));
    }
    if (!extender.bind_verb.empty()) ++binders;
    for (size_t j = 0; j < extender.managed_resources.size(); ++j) {
      const FieldPath resource = resources.Index(j);
      CheckManagedResource(extender.managed_resources[j].name, resource.Child("name"), managed, errors);
    }
  }
  if (binders > 1) {
    errors.push_back(Invalid(path, "found " + std::to_string(binders) + " extenders implementing bind",
                             "only one extender can implement bind"));
  }
}

}  // namespace

FieldErrors ValidatePercentageOfNodesToScore(const std::optional<int32_t>& percentage, const FieldPath& path) {
  if (!percentage || (*percentage >= 0 && *percentage <= 100)) return {};
  return {Invalid(path, *percentage, "not in valid range [0-100]")};
}

FieldErrors ValidateConfiguration(const SchedulerConfiguration& configuration, const FeatureGates& gates) {
  FieldErrors errors;
  const FieldPath root, connection = root.Child("clientConnection");
  if (configuration.client_connection.burst < 0) {
    errors.push_back(Invalid(connection.Child("burst"), configuration.client_connection.burst, "must be non-negative"));
  }
  CheckLeaderElection(configuration.leader_election, root.Child("leaderElection"), errors);
  if (configuration.parallelism <= 0) {
    errors.push_back(
        Invalid(root.Child("parallelism"), configuration.parallelism, "should be an integer value greater than zero"));
  }
  CheckProfiles(configuration, gates, errors);
  Append(errors, ValidatePercentageOfNodesToScore(configuration.percentage_of_nodes_to_score,
                                                  root.Child("percentageOfNodesToScore")));
  if (configuration.pod_initial_backoff_seconds <= 0) {
    errors.push_back(Invalid(root.Child("podInitialBackoffSeconds"), configuration.pod_initial_backoff_seconds,
                             "must be greater than 0"));
  }
  if (configuration.pod_max_backoff_seconds < configuration.pod_initial_backoff_seconds) {
    errors.push_back(Invalid(root.Child("podMaxBackoffSeconds"), configuration.pod_max_backoff_seconds,
                             "must be greater than or equal to PodInitialBackoffSeconds"));
  }
  CheckExtenders(configuration.extenders, root.Child("extenders"), errors);
  return errors;
}

}  // namespace ksched::config
