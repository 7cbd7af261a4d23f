#include <array>
#include <charconv>
#include <set>

#include "api/field_errors.h"
#include "api/names.h"
#include "config/go_text.h"
#include "config/validate.h"

namespace ksched::config {
namespace {

using api::FieldPath;

void CheckLabelKey(const std::string& key, const FieldPath& path, FieldErrors& errors) {
  for (const std::string& message : api::CheckLabelKey(key)) errors.push_back(Invalid(path, key, message));
}

std::string JoinMessages(const std::vector<std::string>& messages) {
  std::string text;
  for (const std::string& message : messages) text += (text.empty() ? "" : "; ") + message;
  return text;
}

std::string JsonOf(const std::vector<UtilizationShapePoint>& shape) {
  std::string json;
  for (const UtilizationShapePoint& point : shape) {
    json += (json.empty() ? "{\"Utilization\":" : ",{\"Utilization\":") + std::to_string(point.utilization) +
            ",\"Score\":" + std::to_string(point.score) + "}";
  }
  return "[" + json + "]";
}

void CheckShape(const std::vector<UtilizationShapePoint>& shape, const FieldPath& path, FieldErrors& errors) {
  if (shape.empty()) {
    errors.push_back(Required(path, "at least one point must be specified"));
    return;
  }
  for (size_t i = 1; i < shape.size(); ++i) {
    if (shape[i - 1].utilization < shape[i].utilization) continue;
    errors.push_back(
        Invalid(path.Index(i).Child("utilization"), shape[i].utilization, "values must be sorted in increasing order"));
    break;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto [utilization, score] = shape[i];
    const FieldPath point = path.Index(i);
    if (utilization < 0 || utilization > 100) {
      errors.push_back(Invalid(point.Child("utilization"), utilization, "not in valid range [0, 100]"));
    }
    if (score < 0 || score > 10) errors.push_back(Invalid(point.Child("score"), score, "not in valid range [0, 10]"));
  }
}

// ---- node affinity: what cannot be compiled into selectors ----

void CheckRequirement(const api::NodeSelectorRequirement& requirement, const FieldPath& path, FieldErrors& errors) {
  const std::string& op = requirement.op;
  const std::vector<std::string>& values = requirement.values;
  const bool compares = op == "Gt" || op == "Lt";
  if (op != "In" && op != "NotIn" && op != "Exists" && op != "DoesNotExist" && !compares) {
    errors.push_back(NotSupported(path.Child("operator"), BadValue::Named(op),
                                  {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}));
    return;
  }
  if (const api::Messages wrong = api::CheckLabelKey(requirement.key); !wrong.empty()) {
    errors.push_back(Invalid(path.Child("key"), requirement.key, JoinMessages(wrong)));
  }
  const FieldPath values_path = path.Child("values");
  const auto wrong_count = [&](std::string_view detail) {
    errors.push_back(Invalid(values_path, BadValue::List(values), detail));
  };
  if (op == "In" || op == "NotIn") {
    if (values.empty()) wrong_count("for 'in', 'notin' operators, values set can't be empty");
  } else if (!compares) {
    if (!values.empty()) wrong_count("values set must be empty for exists and does not exist");
  } else if (values.size() != 1) {
    wrong_count("for 'Gt', 'Lt' operators, exactly one value is required");
  }
  for (size_t i = 0; compares && i < values.size(); ++i) {
    // A sign is fine; from_chars reads only a minus.
    std::string_view text = values[i];
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) continue;
    errors.push_back(
        Invalid(values_path.Index(i), values[i], "for 'Gt', 'Lt' operators, the value must be an integer"));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const api::Messages wrong = api::CheckLabelValue(values[i]);
    if (wrong.empty()) continue;
    const FieldPath value_path = values_path.Index(i);
    errors.push_back(Invalid(value_path.Key(requirement.key), values[i], JoinMessages(wrong)));
  }
}

void CheckFieldRequirement(const api::NodeSelectorRequirement& requirement, const FieldPath& path,
                           FieldErrors& errors) {
  if (requirement.op != "In" && requirement.op != "NotIn") {
    errors.push_back(NotSupported(path.Child("operator"), BadValue::Named(requirement.op), {"In", "NotIn"}));
  } else if (requirement.values.size() != 1) {
    errors.push_back(Invalid(path.Child("values"), BadValue::List(requirement.values), "must have one element"));
  }
}

void CheckTerm(const api::NodeSelectorTerm& term, const FieldPath& path, FieldErrors& errors) {
  const FieldPath expressions = path.Child("matchExpressions"), fields = path.Child("matchFields");
  for (size_t i = 0; i < term.match_expressions.size(); ++i) {
    CheckRequirement(term.match_expressions[i], expressions.Index(i), errors);
  }
  for (size_t i = 0; i < term.match_fields.size(); ++i) {
    CheckFieldRequirement(term.match_fields[i], fields.Index(i), errors);
  }
}

// ---- one function per type ----

void Check(const UnknownArgs&, const FieldPath&, const FeatureGates&, FieldErrors&) {}

void Check(const DefaultPreemptionArgs& args, const FieldPath& path, const FeatureGates&, FieldErrors& errors) {
  const FieldPath percentage_path = path.Child("minCandidateNodesPercentage");
  const FieldPath absolute_path = path.Child("minCandidateNodesAbsolute");
  const int32_t percentage = args.min_candidate_nodes_percentage, absolute = args.min_candidate_nodes_absolute;
  if (percentage < 0 || percentage > 100) {
    errors.push_back(Invalid(percentage_path, percentage, "not in valid range [0, 100]"));
  }
  if (absolute < 0) errors.push_back(Invalid(absolute_path, absolute, "not in valid range [0, inf)"));
  if (percentage == 0 && absolute == 0) {
    errors.push_back(
        Invalid(percentage_path, percentage, "cannot be zero at the same time as minCandidateNodesAbsolute"));
    errors.push_back(
        Invalid(absolute_path, absolute, "cannot be zero at the same time as minCandidateNodesPercentage"));
  }
}

void Check(const InterPodAffinityArgs& args, const FieldPath& path, const FeatureGates&, FieldErrors& errors) {
  const int32_t weight = args.hard_pod_affinity_weight;
  if (weight >= 0 && weight <= 100) return;
  errors.push_back(Invalid(path.Child("hardPodAffinityWeight"), weight, "not in valid range [0, 100]"));
}

void Check(const NodeResourcesFitArgs& args, const FieldPath& path, const FeatureGates&, FieldErrors& errors) {
  for (FieldError& error : ValidateNodeResourcesFitArgs(args, path)) errors.push_back(std::move(error));
}

void Check(const NodeResourcesBalancedAllocationArgs& args, const FieldPath& path, const FeatureGates&,
           FieldErrors& errors) {
  const FieldPath resources = path.Child("resources");
  std::set<std::string_view> seen;
  for (size_t i = 0; i < args.resources.size(); ++i) {
    const ResourceSpec& resource = args.resources[i];
    const FieldPath entry = resources.Index(i);
    if (!seen.insert(resource.name).second) errors.push_back(Duplicate(entry.Child("name"), resource.name));
    if (resource.weight != 1) errors.push_back(Invalid(entry.Child("weight"), resource.weight, "must be 1"));
  }
}

void Check(const NodeAffinityArgs& args, const FieldPath& path, const FeatureGates&, FieldErrors& errors) {
  if (!args.added_affinity) return;
  const FieldPath affinity = path.Child("addedAffinity");
  if (args.added_affinity->required) {
    const FieldPath required = affinity.Child("requiredDuringSchedulingIgnoredDuringExecution");
    const FieldPath terms = required.Child("nodeSelectorTerms");
    for (size_t i = 0; i < args.added_affinity->required->terms.size(); ++i) {
      CheckTerm(args.added_affinity->required->terms[i], terms.Index(i), errors);
    }
  }
  const FieldPath preferred = affinity.Child("preferredDuringSchedulingIgnoredDuringExecution");
  for (size_t i = 0; i < args.added_affinity->preferred.size(); ++i) {
    const api::PreferredSchedulingTerm& term = args.added_affinity->preferred[i];
    // The reference does not look at a term without weight, and leaves `preference` out of the path.
    if (term.weight != 0) CheckTerm(term.preference, preferred.Index(i), errors);
  }
}

void CheckConstraint(const std::vector<api::TopologySpreadConstraint>& constraints, size_t index, const FieldPath& path,
                     FieldErrors& errors) {
  const api::TopologySpreadConstraint& constraint = constraints[index];
  if (constraint.max_skew <= 0) {
    errors.push_back(Invalid(path.Child("maxSkew"), constraint.max_skew, "not in valid range (0, inf)"));
  }
  const FieldPath key_path = path.Child("topologyKey"), when_path = path.Child("whenUnsatisfiable");
  if (constraint.topology_key.empty()) {
    errors.push_back(Required(key_path, "can not be empty"));
  } else {
    CheckLabelKey(constraint.topology_key, key_path, errors);
  }
  const std::string& when = constraint.when_unsatisfiable;
  if (when.empty()) {
    errors.push_back(Required(when_path, "can not be empty"));
  } else if (when != "DoNotSchedule" && when != "ScheduleAnyway") {
    errors.push_back(NotSupported(when_path, BadValue::Named(when), {"DoNotSchedule", "ScheduleAnyway"}));
  }
  if (constraint.label_selector) {
    errors.push_back(
        Forbidden(path.Child("labelSelector"), "constraint must not define a selector, as they deduced for each pod"));
  }
  for (size_t i = 0; i < index; ++i) {
    if (constraints[i].topology_key != constraint.topology_key || constraints[i].when_unsatisfiable != when) continue;
    errors.push_back(Duplicate(path, "{" + constraint.topology_key + ", " + when + "}"));
    break;
  }
}

void Check(const PodTopologySpreadArgs& args, const FieldPath& path, const FeatureGates&, FieldErrors& errors) {
  const FieldPath type_path = path.Child("defaultingType"), constraints_path = path.Child("defaultConstraints");
  const BadValue type = BadValue::Named(args.defaulting_type);
  if (args.defaulting_type != "System" && args.defaulting_type != "List") {
    errors.push_back(NotSupported(type_path, type, {"System", "List"}));
  } else if (args.defaulting_type == "System" && !args.default_constraints.empty()) {
    errors.push_back(Invalid(type_path, type, "when .defaultConstraints are not empty"));
  }
  for (size_t i = 0; i < args.default_constraints.size(); ++i) {
    CheckConstraint(args.default_constraints, i, constraints_path.Index(i), errors);
  }
}

void Check(const VolumeBindingArgs& args, const FieldPath& path, const FeatureGates& gates, FieldErrors& errors) {
  if (args.bind_timeout_seconds < 0) {
    errors.push_back(Invalid(path.Child("bindTimeoutSeconds"), args.bind_timeout_seconds,
                             "invalid BindTimeoutSeconds, should not be a negative value"));
  }
  const FieldPath shape = path.Child("shape");
  if (gates.Enabled(Gate::kStorageCapacityScoring)) {
    CheckShape(args.shape.value_or(std::vector<UtilizationShapePoint>()), shape, errors);
  } else if (args.shape) {
    errors.push_back(Invalid(shape, BadValue::Json(JsonOf(*args.shape)),
                             "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"));
  }
}

void Check(const DynamicResourcesArgs& args, const FieldPath& path, const FeatureGates& gates, FieldErrors& errors) {
  constexpr DurationNs kSecond = 1'000'000'000;
  const auto json = [](DurationNs duration) { return BadValue::Named(FormatDuration(duration)); };
  const FieldPath filter = path.Child("filterTimeout"), binding = path.Child("bindingTimeout");
  if (args.filter_timeout) {
    if (!gates.Enabled(Gate::kDRASchedulerFilterTimeout)) {
      errors.push_back(Forbidden(filter, "DRASchedulingFilterTimeout feature gate is disabled"));
    } else if (*args.filter_timeout < 0) {
      errors.push_back(Invalid(filter, json(*args.filter_timeout), "must be zero or positive"));
    }
  }
  if (args.binding_timeout) {
    if (!gates.Enabled(Gate::kDRADeviceBindingConditions) || !gates.Enabled(Gate::kDRAResourceClaimDeviceStatus)) {
      errors.push_back(
          Forbidden(binding, "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled"));
    } else if (*args.binding_timeout < kSecond) {
      errors.push_back(Invalid(binding, json(*args.binding_timeout), "must be at least 1 second"));
    }
  }
}

void CheckStrategy(const ScoringStrategy& strategy, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kRatio = "RequestedToCapacityRatio";
  if (strategy.type != "LeastAllocated" && strategy.type != "MostAllocated" && strategy.type != kRatio) {
    errors.push_back(
        NotSupported(path.Child("type"), BadValue::Named(strategy.type), {"LeastAllocated", "MostAllocated", kRatio}));
  }
  const FieldPath resources = path.Child("resources"), ratio = path.Child("requestedToCapacityRatio");
  for (size_t i = 0; i < strategy.resources.size(); ++i) {
    const ResourceSpec& resource = strategy.resources[i];
    if (resource.weight > 0 && resource.weight <= 100) continue;
    const FieldPath entry = resources.Index(i);
    errors.push_back(Invalid(entry.Child("weight"), resource.weight,
                             "resource weight of " + resource.name + " not in valid range (0, 100]"));
  }
  if (strategy.type != kRatio) {
    if (strategy.requested_to_capacity_ratio) {
      errors.push_back(Forbidden(ratio, "must be nil when type is not RequestedToCapacityRatio"));
    }
  } else if (!strategy.requested_to_capacity_ratio) {
    errors.push_back(Required(ratio, "must be specified when type is RequestedToCapacityRatio"));
  } else {
    CheckShape(strategy.requested_to_capacity_ratio->shape, ratio.Child("shape"), errors);
  }
}

}  // namespace

FieldErrors ValidateNodeResourcesFitArgs(const NodeResourcesFitArgs& args, const FieldPath& path) {
  FieldErrors errors;
  const FieldPath resources = path.Child("ignoredResources"), groups = path.Child("ignoredResourceGroups");
  for (size_t i = 0; i < args.ignored_resources.size(); ++i) {
    CheckLabelKey(args.ignored_resources[i], resources.Index(i), errors);
  }
  for (size_t i = 0; i < args.ignored_resource_groups.size(); ++i) {
    const std::string& group = args.ignored_resource_groups[i];
    if (group.find('/') != std::string::npos) {
      errors.push_back(Invalid(groups.Index(i), group, "resource group name can't contain '/'"));
    }
    CheckLabelKey(group, groups.Index(i), errors);
  }
  const FieldPath strategy = path.Child("scoringStrategy");
  if (args.scoring_strategy) {
    CheckStrategy(*args.scoring_strategy, strategy, errors);
  } else {
    errors.push_back(Required(strategy, "ScoringStrategy field is required"));
  }
  return errors;
}

FieldErrors ValidatePluginArgs(const PluginArgs& args, const FieldPath& path, const FeatureGates& gates) {
  FieldErrors errors;
  std::visit([&](const auto& typed) { Check(typed, path, gates, errors); }, args);
  return errors;
}

}  // namespace ksched::config
