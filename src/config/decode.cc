#include "config/decode.h"

#include <utility>

#include "config/decode_args.h"

namespace ksched::config {
namespace {

struct RawPluginConfig {
  std::string name;
  const rapidjson::Value* args = nullptr;
};
struct RawProfile {
  std::optional<std::string> scheduler_name;
  std::optional<int32_t> percentage_of_nodes_to_score;
  Plugins plugins;
  std::vector<RawPluginConfig> plugin_config;
};
struct RawConfiguration : SchedulerConfiguration {
  std::vector<RawProfile> raw_profiles;
};
// Read for its errors only.
struct TlsConfig {
  bool insecure = false;
  std::string text;
};

void ReadArgs(const rapidjson::Value& json, const api::FieldPath&, StrictReader&, RawPluginConfig& out) {
  out.args = &json;
}

void ReadTls(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, Extender&);

}  // namespace

template <>
struct GoStruct<Plugin> {
  static constexpr std::string_view kName = "v1.Plugin";
  static constexpr FieldOf<Plugin> kFields[] = {{"name", Read<&Plugin::name>}, {"weight", Read<&Plugin::weight>}};
};
template <>
struct GoStruct<PluginSet> {
  static constexpr std::string_view kName = "v1.PluginSet";
  static constexpr FieldOf<PluginSet> kFields[] = {{"enabled", Read<&PluginSet::enabled>},
                                                   {"disabled", Read<&PluginSet::disabled>}};
};
namespace {
template <ExtensionPoint kPoint>
void ReadPoint(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, Plugins& out) {
  ReadValue(json, path, reader, out.At(kPoint));
}
}  // namespace

template <>
struct GoStruct<Plugins> {
  static constexpr std::string_view kName = "v1.Plugins";
  static constexpr FieldOf<Plugins> kFields[] = {
      {"multiPoint", Read<&Plugins::multi_point>},
      {"preEnqueue", ReadPoint<ExtensionPoint::kPreEnqueue>},
      {"queueSort", ReadPoint<ExtensionPoint::kQueueSort>},
      {"preFilter", ReadPoint<ExtensionPoint::kPreFilter>},
      {"filter", ReadPoint<ExtensionPoint::kFilter>},
      {"postFilter", ReadPoint<ExtensionPoint::kPostFilter>},
      {"preScore", ReadPoint<ExtensionPoint::kPreScore>},
      {"score", ReadPoint<ExtensionPoint::kScore>},
      {"reserve", ReadPoint<ExtensionPoint::kReserve>},
      {"permit", ReadPoint<ExtensionPoint::kPermit>},
      {"preBind", ReadPoint<ExtensionPoint::kPreBind>},
      {"bind", ReadPoint<ExtensionPoint::kBind>},
      {"postBind", ReadPoint<ExtensionPoint::kPostBind>},
      {"placementGenerate", ReadPoint<ExtensionPoint::kPlacementGenerate>},
      {"placementScore", ReadPoint<ExtensionPoint::kPlacementScore>},
      {"podGroupPostFilter", ReadPoint<ExtensionPoint::kPodGroupPostFilter>},
  };
};
template <>
struct GoStruct<RawPluginConfig> {
  static constexpr std::string_view kName = "v1.PluginConfig";
  static constexpr FieldOf<RawPluginConfig> kFields[] = {{"name", Read<&RawPluginConfig::name>}, {"args", ReadArgs}};
};
template <>
struct GoStruct<RawProfile> {
  static constexpr std::string_view kName = "v1.KubeSchedulerProfile";
  static constexpr FieldOf<RawProfile> kFields[] = {
      {"schedulerName", Read<&RawProfile::scheduler_name>},
      {"percentageOfNodesToScore", Read<&RawProfile::percentage_of_nodes_to_score>},
      {"plugins", Read<&RawProfile::plugins>},
      {"pluginConfig", Read<&RawProfile::plugin_config>},
  };
};
template <>
struct GoStruct<ExtenderManagedResource> {
  using T = ExtenderManagedResource;
  static constexpr std::string_view kName = "v1.ExtenderManagedResource";
  static constexpr FieldOf<T> kFields[] = {{"name", Read<&T::name>},
                                           {"ignoredByScheduler", Read<&T::ignored_by_scheduler>}};
};
template <>
struct GoStruct<TlsConfig> {
  using T = TlsConfig;
  static constexpr std::string_view kName = "v1.ExtenderTLSConfig";
  static constexpr FieldOf<T> kFields[] = {
      {"insecure", Read<&T::insecure>},
      {"serverName", Read<&T::text>},
      {"certFile", Read<&T::text>},
      {"keyFile", Read<&T::text>},
      {"caFile", Read<&T::text>},
      {"certData", Read<&T::text>, "[]uint8"},
      {"keyData", Read<&T::text>, "[]uint8"},
      {"caData", Read<&T::text>, "[]uint8"},
  };
};
template <>
struct GoStruct<Extender> {
  using T = Extender;
  static constexpr std::string_view kName = "v1.Extender";
  static constexpr FieldOf<T> kFields[] = {
      {"urlPrefix", Read<&T::url_prefix>},
      {"filterVerb", Read<&T::filter_verb>},
      {"preemptVerb", Read<&T::preempt_verb>},
      {"prioritizeVerb", Read<&T::prioritize_verb>},
      {"weight", Read<&T::weight>},
      {"bindVerb", Read<&T::bind_verb>},
      {"enableHTTPS", Read<&T::enable_https>},
      {"tlsConfig", ReadTls},
      {"httpTimeout", ReadDuration<&T::http_timeout>},
      {"nodeCacheCapable", Read<&T::node_cache_capable>},
      {"managedResources", Read<&T::managed_resources>},
      {"ignorable", Read<&T::ignorable>},
  };
};
template <>
struct GoStruct<LeaderElection> {
  using T = LeaderElection;
  static constexpr std::string_view kName = "v1alpha1.LeaderElectionConfiguration";
  static constexpr FieldOf<T> kFields[] = {
      {"leaderElect", Read<&T::leader_elect>},
      {"leaseDuration", ReadDuration<&T::lease_duration>},
      {"renewDeadline", ReadDuration<&T::renew_deadline>},
      {"retryPeriod", ReadDuration<&T::retry_period>},
      {"resourceLock", Read<&T::resource_lock>},
      {"resourceName", Read<&T::resource_name>},
      {"resourceNamespace", Read<&T::resource_namespace>},
  };
};
template <>
struct GoStruct<ClientConnection> {
  using T = ClientConnection;
  static constexpr std::string_view kName = "v1alpha1.ClientConnectionConfiguration";
  static constexpr FieldOf<T> kFields[] = {
      {"kubeconfig", Read<&T::kubeconfig>},
      {"acceptContentTypes", Read<&T::accept_content_types>},
      {"contentType", Read<&T::content_type>},
      {"qps", Read<&T::qps>},
      {"burst", Read<&T::burst>},
  };
};

namespace {
template <auto kMember>
void ReadTop(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, RawConfiguration& out) {
  ReadValue(json, path, reader, out.*kMember);
}
}  // namespace

template <>
struct GoStruct<RawConfiguration> {
  using T = RawConfiguration;
  static constexpr std::string_view kName = "v1.KubeSchedulerConfiguration";
  static constexpr FieldOf<T> kFields[] = {
      {"kind", nullptr},
      {"apiVersion", nullptr},
      {"parallelism", ReadTop<&T::parallelism>},
      {"leaderElection", ReadTop<&T::leader_election>},
      {"clientConnection", ReadTop<&T::client_connection>},
      {"enableProfiling", ReadTop<&T::enable_profiling>},
      {"enableContentionProfiling", ReadTop<&T::enable_contention_profiling>},
      {"percentageOfNodesToScore", ReadTop<&T::percentage_of_nodes_to_score>},
      {"podInitialBackoffSeconds", ReadTop<&T::pod_initial_backoff_seconds>},
      {"podMaxBackoffSeconds", ReadTop<&T::pod_max_backoff_seconds>},
      {"profiles", ReadTop<&T::raw_profiles>},
      {"extenders", ReadTop<&T::extenders>},
      {"delayCacheUntilActive", ReadTop<&T::delay_cache_until_active>},
  };
};

namespace {

void ReadTls(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, Extender&) {
  TlsConfig ignored;
  ReadValue(json, path, reader, ignored);
}

Decoded Failed(std::string field, std::string message) {
  Decoded decoded;
  decoded.errors.push_back({std::move(field), std::move(message)});
  return decoded;
}

// Which type the document says it is. Returns what is wrong; the field is where.
DecodeError CheckType(const rapidjson::Value& root, std::string& api_version) {
  const std::string expected =
      ": expected kind " + std::string(kConfigurationKind) + ", apiVersion " + std::string(kGroupVersion);
  std::string kind;
  if (root.IsNull()) return {"", "Object 'Kind' is missing" + expected};
  std::string wrong = ReadTypeMeta(root, api_version, kind);
  if (!wrong.empty()) return {"kind", wrong};
  if (kind.empty()) return {"", "Object 'Kind' is missing" + expected};
  if (api_version.empty()) return {"", "Object 'apiVersion' is missing" + expected};
  wrong = CheckRegistered(api_version, kind);
  if (!wrong.empty()) return {"apiVersion", wrong + expected};
  if (kind == kConfigurationKind) return {};
  return {"kind", "couldn't decode as KubeSchedulerConfiguration, got " + api_version + ", Kind=" + kind};
}

Profile MakeProfile(RawProfile& raw, size_t index, std::vector<DecodeError>& errors,
                    std::vector<DecodeError>& unknown) {
  Profile profile;
  profile.scheduler_name = raw.scheduler_name.value_or("");
  profile.percentage_of_nodes_to_score = raw.percentage_of_nodes_to_score;
  profile.plugins = std::move(raw.plugins);
  for (RawPluginConfig& config : raw.plugin_config) {
    profile.plugin_config.push_back(
        DecodePluginConfig(std::move(config.name), config.args, index, profile.plugin_config.size(), errors, unknown));
  }
  return profile;
}

}  // namespace

Decoded DecodeConfiguration(const rapidjson::Value& root) {
  std::string api_version;
  if (DecodeError wrong = CheckType(root, api_version); !wrong.message.empty())
    return Failed(wrong.field, wrong.message);

  RawConfiguration raw;
  StrictReader reader;
  ReadValue(root, api::FieldPath(), reader, raw);
  Decoded decoded;
  if (!reader.type_errors().empty()) {
    decoded.errors = reader.type_errors();
    return decoded;
  }
  std::vector<DecodeError> unknown = reader.unknown_fields();
  // A profile without a name is the default one, if it is alone.
  if (raw.raw_profiles.empty()) raw.raw_profiles.emplace_back();
  if (raw.raw_profiles.size() == 1 && !raw.raw_profiles[0].scheduler_name) {
    raw.raw_profiles[0].scheduler_name = "default-scheduler";
  }
  for (size_t i = 0; i < raw.raw_profiles.size(); ++i) {
    raw.profiles.push_back(MakeProfile(raw.raw_profiles[i], i, decoded.errors, unknown));
  }
  if (decoded.errors.empty() && !unknown.empty()) {
    // One error for all of them, found where the first is.
    DecodeError strict{unknown[0].field, "strict decoding error: " + unknown[0].message};
    for (size_t i = 1; i < unknown.size(); ++i) strict.message += ", " + unknown[i].message;
    decoded.errors.push_back(std::move(strict));
  }
  decoded.configuration = static_cast<SchedulerConfiguration&&>(raw);
  decoded.configuration.api_version = std::move(api_version);
  return decoded;
}

}  // namespace ksched::config
