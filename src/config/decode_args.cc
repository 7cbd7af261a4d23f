#include "config/decode_args.h"

#include "api/field_errors.h"
#include "api/raw_object.h"

namespace ksched::config {

// ---- tables of the API's types ----

template <>
struct GoStruct<api::NodeSelectorRequirement> {
  using T = api::NodeSelectorRequirement;
  static constexpr std::string_view kName = "v1.NodeSelectorRequirement";
  static constexpr FieldOf<T> kFields[] = {
      {"key", Read<&T::key>}, {"operator", Read<&T::op>, "v1.NodeSelectorOperator"}, {"values", Read<&T::values>}};
};
template <>
struct GoStruct<api::NodeSelectorTerm> {
  using T = api::NodeSelectorTerm;
  static constexpr std::string_view kName = "v1.NodeSelectorTerm";
  static constexpr FieldOf<T> kFields[] = {{"matchExpressions", Read<&T::match_expressions>},
                                           {"matchFields", Read<&T::match_fields>}};
};
template <>
struct GoStruct<api::NodeSelector> {
  static constexpr std::string_view kName = "v1.NodeSelector";
  static constexpr FieldOf<api::NodeSelector> kFields[] = {{"nodeSelectorTerms", Read<&api::NodeSelector::terms>}};
};
template <>
struct GoStruct<api::PreferredSchedulingTerm> {
  using T = api::PreferredSchedulingTerm;
  static constexpr std::string_view kName = "v1.PreferredSchedulingTerm";
  static constexpr FieldOf<T> kFields[] = {{"weight", Read<&T::weight>}, {"preference", Read<&T::preference>}};
};
template <>
struct GoStruct<api::NodeAffinity> {
  using T = api::NodeAffinity;
  static constexpr std::string_view kName = "v1.NodeAffinity";
  static constexpr FieldOf<T> kFields[] = {{"requiredDuringSchedulingIgnoredDuringExecution", Read<&T::required>},
                                           {"preferredDuringSchedulingIgnoredDuringExecution", Read<&T::preferred>}};
};
template <>
struct GoStruct<api::LabelSelectorRequirement> {
  using T = api::LabelSelectorRequirement;
  static constexpr std::string_view kName = "v1.LabelSelectorRequirement";
  static constexpr FieldOf<T> kFields[] = {
      {"key", Read<&T::key>}, {"operator", Read<&T::op>, "v1.LabelSelectorOperator"}, {"values", Read<&T::values>}};
};
template <>
struct GoStruct<api::LabelSelector> {
  using T = api::LabelSelector;
  static constexpr std::string_view kName = "v1.LabelSelector";
  static constexpr FieldOf<T> kFields[] = {{"matchLabels", Read<&T::match_labels>},
                                           {"matchExpressions", Read<&T::match_expressions>}};
};
template <>
struct GoStruct<api::TopologySpreadConstraint> {
  using T = api::TopologySpreadConstraint;
  static constexpr std::string_view kName = "v1.TopologySpreadConstraint";
  static constexpr FieldOf<T> kFields[] = {
      {"maxSkew", Read<&T::max_skew>},
      {"topologyKey", Read<&T::topology_key>},
      {"whenUnsatisfiable", Read<&T::when_unsatisfiable>, "v1.UnsatisfiableConstraintAction"},
      {"labelSelector", Read<&T::label_selector>},
      {"minDomains", Read<&T::min_domains>},
      {"nodeAffinityPolicy", Read<&T::node_affinity_policy>, "v1.NodeInclusionPolicy"},
      {"nodeTaintsPolicy", Read<&T::node_taints_policy>, "v1.NodeInclusionPolicy"},
      {"matchLabelKeys", Read<&T::match_label_keys>},
  };
};

// ---- tables of the arguments ----

template <>
struct GoStruct<ResourceSpec> {
  using T = ResourceSpec;
  static constexpr std::string_view kName = "v1.ResourceSpec";
  static constexpr FieldOf<T> kFields[] = {{"name", Read<&T::name>}, {"weight", Read<&T::weight>}};
};
template <>
struct GoStruct<UtilizationShapePoint> {
  using T = UtilizationShapePoint;
  static constexpr std::string_view kName = "v1.UtilizationShapePoint";
  static constexpr FieldOf<T> kFields[] = {{"utilization", Read<&T::utilization>}, {"score", Read<&T::score>}};
};
template <>
struct GoStruct<RequestedToCapacityRatioParam> {
  using T = RequestedToCapacityRatioParam;
  static constexpr std::string_view kName = "v1.RequestedToCapacityRatioParam";
  static constexpr FieldOf<T> kFields[] = {{"shape", Read<&T::shape>}};
};
template <>
struct GoStruct<ScoringStrategy> {
  using T = ScoringStrategy;
  static constexpr std::string_view kName = "v1.ScoringStrategy";
  static constexpr FieldOf<T> kFields[] = {{"type", Read<&T::type>, "v1.ScoringStrategyType"},
                                           {"resources", Read<&T::resources>},
                                           {"requestedToCapacityRatio", Read<&T::requested_to_capacity_ratio>}};
};
template <>
struct GoStruct<NodeResourcesFitArgs> {
  using T = NodeResourcesFitArgs;
  static constexpr std::string_view kName = "v1.NodeResourcesFitArgs";
  static constexpr FieldOf<T> kFields[] = {{"kind", nullptr},
                                           {"apiVersion", nullptr},
                                           {"ignoredResources", Read<&T::ignored_resources>},
                                           {"ignoredResourceGroups", Read<&T::ignored_resource_groups>},
                                           {"scoringStrategy", Read<&T::scoring_strategy>}};
};
template <>
struct GoStruct<NodeResourcesBalancedAllocationArgs> {
  using T = NodeResourcesBalancedAllocationArgs;
  static constexpr std::string_view kName = "v1.NodeResourcesBalancedAllocationArgs";
  static constexpr FieldOf<T> kFields[] = {
      {"kind", nullptr}, {"apiVersion", nullptr}, {"resources", Read<&T::resources>}};
};
template <>
struct GoStruct<NodeAffinityArgs> {
  using T = NodeAffinityArgs;
  static constexpr std::string_view kName = "v1.NodeAffinityArgs";
  static constexpr FieldOf<T> kFields[] = {
      {"kind", nullptr}, {"apiVersion", nullptr}, {"addedAffinity", Read<&T::added_affinity>}};
};
template <>
struct GoStruct<PodTopologySpreadArgs> {
  using T = PodTopologySpreadArgs;
  static constexpr std::string_view kName = "v1.PodTopologySpreadArgs";
  static constexpr FieldOf<T> kFields[] = {
      {"kind", nullptr},
      {"apiVersion", nullptr},
      {"defaultConstraints", Read<&T::default_constraints>},
      {"defaultingType", Read<&T::defaulting_type>, "v1.PodTopologySpreadConstraintsDefaulting"}};
};
template <>
struct GoStruct<VolumeBindingArgs> {
  using T = VolumeBindingArgs;
  static constexpr std::string_view kName = "v1.VolumeBindingArgs";
  static constexpr FieldOf<T> kFields[] = {{"kind", nullptr},
                                           {"apiVersion", nullptr},
                                           {"bindTimeoutSeconds", Read<&T::bind_timeout_seconds>},
                                           {"shape", Read<&T::shape>}};
};
template <>
struct GoStruct<DynamicResourcesArgs> {
  using T = DynamicResourcesArgs;
  static constexpr std::string_view kName = "v1.DynamicResourcesArgs";
  static constexpr FieldOf<T> kFields[] = {{"kind", nullptr},
                                           {"apiVersion", nullptr},
                                           {"filterTimeout", ReadDuration<&T::filter_timeout>},
                                           {"bindingTimeout", ReadDuration<&T::binding_timeout>}};
};
template <>
struct GoStruct<InterPodAffinityArgs> {
  using T = InterPodAffinityArgs;
  static constexpr std::string_view kName = "v1.InterPodAffinityArgs";
  static constexpr FieldOf<T> kFields[] = {
      {"kind", nullptr},
      {"apiVersion", nullptr},
      {"hardPodAffinityWeight", Read<&T::hard_pod_affinity_weight>},
      {"ignorePreferredTermsOfExistingPods", Read<&T::ignore_preferred_terms_of_existing_pods>}};
};
template <>
struct GoStruct<DefaultPreemptionArgs> {
  using T = DefaultPreemptionArgs;
  static constexpr std::string_view kName = "v1.DefaultPreemptionArgs";
  static constexpr FieldOf<T> kFields[] = {{"kind", nullptr},
                                           {"apiVersion", nullptr},
                                           {"minCandidateNodesPercentage", Read<&T::min_candidate_nodes_percentage>},
                                           {"minCandidateNodesAbsolute", Read<&T::min_candidate_nodes_absolute>}};
};

namespace {

// Go's encoding/json describes the struct it could not read into.
constexpr std::string_view kTypeMetaStruct =
    R"(struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" })";

std::string GoKind(const rapidjson::Value& json) {
  if (json.IsString()) return "string";
  if (json.IsBool()) return "bool";
  if (json.IsNumber()) return "number";
  return json.IsArray() ? "array" : "object";
}

// The arguments' apiVersion and kind have to be this plugin's, when they are given. Returns what is wrong.
std::string CheckArgsType(const std::string& name, const rapidjson::Value& json) {
  std::string api_version, kind;
  const std::string decoding = "decoding args for plugin " + name + ": ";
  std::string wrong = ReadTypeMeta(json, api_version, kind);
  if (!wrong.empty()) return decoding + wrong;
  const std::string expected = name + "Args";
  if (kind.empty()) kind = expected;
  wrong = CheckRegistered(api_version.empty() ? kGroupVersion : api_version, kind);
  if (!wrong.empty()) return decoding + wrong;
  if (kind == expected) return {};
  constexpr std::string_view kGroup = ".kubescheduler.config.k8s.io";
  wrong = "args for plugin " + name + " were not of type " + expected;
  return wrong.append(kGroup).append(", got ").append(kind).append(kGroup);
}

// Prefixes what was found inside of the arguments with where they are.
void AddWithin(const std::string& place, const std::string& prefix, const std::vector<DecodeError>& found,
               std::vector<DecodeError>& out) {
  for (const DecodeError& error : found) {
    out.push_back({error.field.empty() ? place : place + "." + error.field, prefix + error.message});
  }
}

}  // namespace

std::optional<PluginArgs> NewPluginArgs(std::string_view plugin) {
  if (plugin == "DefaultPreemption") return DefaultPreemptionArgs{};
  if (plugin == "InterPodAffinity") return InterPodAffinityArgs{};
  if (plugin == "NodeResourcesFit") return NodeResourcesFitArgs{};
  if (plugin == "NodeResourcesBalancedAllocation") return NodeResourcesBalancedAllocationArgs{};
  if (plugin == "NodeAffinity") return NodeAffinityArgs{};
  if (plugin == "PodTopologySpread") return PodTopologySpreadArgs{};
  if (plugin == "VolumeBinding") return VolumeBindingArgs{};
  if (plugin == "DynamicResources") return DynamicResourcesArgs{};
  return std::nullopt;
}

std::string ReadTypeMeta(const rapidjson::Value& json, std::string& api_version, std::string& kind) {
  const std::string failed = "couldn't get version/kind; json parse error: json: cannot unmarshal ";
  if (!json.IsObject()) return failed + GoKind(json) + " into Go value of type " + std::string(kTypeMetaStruct);
  for (const auto& [name, out] : {std::pair{"apiVersion", &api_version}, std::pair{"kind", &kind}}) {
    const auto member = json.FindMember(name);
    if (member == json.MemberEnd() || member->value.IsNull()) continue;
    if (!member->value.IsString()) {
      return failed + GoKind(member->value) + " into Go struct field ." + name + " of type string";
    }
    out->assign(member->value.GetString(), member->value.GetStringLength());
  }
  const size_t slash = api_version.find('/');
  if (slash != std::string::npos && api_version.find('/', slash + 1) != std::string::npos) {
    return "unexpected GroupVersion string: " + api_version;
  }
  return {};
}

std::string CheckRegistered(std::string_view api_version, std::string_view kind) {
  const bool args = kind.ends_with("Args") && NewPluginArgs(kind.substr(0, kind.size() - 4)).has_value();
  if (api_version == kGroupVersion && (args || kind == kConfigurationKind)) return {};
  return "no kind " + api::Quote(kind) + " is registered for version " + api::Quote(api_version);
}

PluginConfig DecodePluginConfig(std::string name, const rapidjson::Value* json, size_t profile, size_t index,
                                std::vector<DecodeError>& errors, std::vector<DecodeError>& unknown) {
  PluginConfig config;
  config.name = std::move(name);
  std::optional<PluginArgs> args = NewPluginArgs(config.name);
  if (json != nullptr && json->IsNull()) json = nullptr;
  if (!args) {
    config.args = UnknownArgs{json != nullptr ? api::ToJson(*json) : std::string()};
    return config;
  }
  if (json != nullptr) {
    const std::string entry = "profiles[" + std::to_string(profile) + "].pluginConfig[" + std::to_string(index) + "]";
    const std::string place = entry + ".args", decoding = "decoding ." + entry + ": ";
    if (std::string wrong = CheckArgsType(config.name, *json); !wrong.empty()) {
      errors.push_back({place, decoding + wrong});
      return config;
    }
    StrictReader reader;
    std::visit(
        [&]<typename T>(T& typed) {
          if constexpr (IsGoStruct<T>) ReadValue(*json, api::FieldPath(), reader, typed);
        },
        *args);
    AddWithin(place, decoding + "decoding args for plugin " + config.name + ": ", reader.type_errors(), errors);
    std::vector<DecodeError> joined = reader.unknown_fields();
    for (size_t i = 1; i < joined.size(); ++i) joined[0].message += ", " + joined[i].message;
    joined.resize(std::min<size_t>(joined.size(), 1));
    AddWithin(place,
              decoding + "strict decoding error: decoding args for plugin " + config.name + ": strict decoding error: ",
              joined, unknown);
  }
  config.args = std::move(*args);
  return config;
}

}  // namespace ksched::config
