// How workloads replace their pods: strategy of a Deployment, updateStrategy of a DaemonSet and of a StatefulSet.
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "api/field_errors.h"
#include "api/validation_parts.h"

namespace ksched::api {
namespace {

std::string ValueJson(const IntOrString& value) {
  return value.is_text ? Quote(value.text) : std::to_string(value.number);
}

bool IsDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The number before the percent sign; nothing if it is no percentage. What fits no number is the largest.
std::optional<int64_t> PercentOf(const IntOrString& value) {
  const std::string_view text = value.text;
  if (!value.is_text || !text.ends_with('%') || !IsDigits(text.substr(0, text.size() - 1))) return std::nullopt;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size() - 1, number);
  return error == std::errc() ? number : INT64_MAX;
}

// Whether it is nothing at all, in numbers or in percent; text that is neither counts as nothing.
bool IsZero(const IntOrString& value) {
  if (!value.is_text) return value.number == 0;
  if (const auto percent = PercentOf(value)) return *percent == 0;
  int64_t number = 0;
  const std::string_view text = value.text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error != std::errc() || end != text.data() + text.size() || number == 0;
}

void ValidateIntOrPercent(const IntOrString& value, const FieldPath& path, const Validation& v) {
  if (!value.is_text) return ValidateNonNegative(value.number, path, v);
  if (PercentOf(value)) return;
  v.reporter.Add(path, Invalid(value.text,
                               "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%', "
                               " or '93%', regex used for validation is '[0-9]+%')"));
}

void ValidateAtMostAll(const IntOrString& value, const FieldPath& path, const Validation& v) {
  if (PercentOf(value).value_or(0) > 100) v.reporter.Add(path, Invalid(value.text, "must not be greater than 100%"));
}

// The strategy as the API server prints it: the fields of its internal type.
std::string RollingUpdateJson(const Workload& workload) {
  if (!workload.has_rolling_update) return "null";
  const std::string unavailable = workload.max_unavailable ? ValueJson(*workload.max_unavailable) : "";
  if (workload.kind == "StatefulSet") {
    return "{\"Partition\":" + std::to_string(workload.partition.value_or(0)) +
           ",\"MaxUnavailable\":" + (unavailable.empty() ? "null" : unavailable) + "}";
  }
  return "{\"MaxUnavailable\":" + (unavailable.empty() ? "0" : unavailable) +
         ",\"MaxSurge\":" + (workload.max_surge ? ValueJson(*workload.max_surge) : "0") + "}";
}
std::string StrategyJson(const Workload& workload) {
  return "{\"Type\":" + Quote(workload.strategy) + ",\"RollingUpdate\":" + RollingUpdateJson(workload) + "}";
}

void ValidateDeploymentUpdate(const Workload& deployment, const FieldPath& path, const Validation& v) {
  const FieldPath unavailable_path = path.Child("maxUnavailable"), surge_path = path.Child("maxSurge");
  const IntOrString unavailable = deployment.max_unavailable.value_or(IntOrString());
  const IntOrString surge = deployment.max_surge.value_or(IntOrString());
  ValidateIntOrPercent(unavailable, unavailable_path, v);
  ValidateIntOrPercent(surge, surge_path, v);
  if (IsZero(unavailable) && IsZero(surge)) {
    v.reporter.Add(unavailable_path, InvalidJson(ValueJson(unavailable), "may not be 0 when `maxSurge` is 0"));
  }
  ValidateAtMostAll(unavailable, unavailable_path, v);
}

void ValidateDaemonSetUpdate(const Workload& set, const FieldPath& path, const Validation& v) {
  const FieldPath unavailable_path = path.Child("maxUnavailable"), surge_path = path.Child("maxSurge");
  const IntOrString unavailable = set.max_unavailable.value_or(IntOrString());
  const IntOrString surge = set.max_surge.value_or(IntOrString());
  ValidateIntOrPercent(unavailable, unavailable_path, v);
  ValidateIntOrPercent(surge, surge_path, v);
  ValidateAtMostAll(unavailable, unavailable_path, v);
  ValidateAtMostAll(surge, surge_path, v);
  if (!IsZero(unavailable) && !IsZero(surge)) {
    v.reporter.Add(surge_path, InvalidJson(ValueJson(surge), "may not be set when maxUnavailable is non-zero"));
  } else if (IsZero(unavailable) && IsZero(surge)) {
    v.reporter.Add(unavailable_path, Required("cannot be 0 when maxSurge is 0"));
  }
}

void ValidateStatefulSetUpdate(const Workload& set, const FieldPath& path, const Validation& v) {
  ValidateNonNegative(set.partition.value_or(0), path.Child("partition"), v);
  if (!set.max_unavailable) return;
  const FieldPath unavailable = path.Child("maxUnavailable");
  ValidateIntOrPercent(*set.max_unavailable, unavailable, v);
  if (IsZero(*set.max_unavailable)) {
    v.reporter.Add(unavailable, InvalidJson(ValueJson(*set.max_unavailable), "cannot be 0"));
  }
  ValidateAtMostAll(*set.max_unavailable, unavailable, v);
}

void ValidateDeploymentStrategy(const Workload& deployment, const FieldPath& path, const Validation& v) {
  const FieldPath rolling = path.Child("rollingUpdate");
  if (deployment.strategy == "RollingUpdate") return ValidateDeploymentUpdate(deployment, rolling, v);
  if (deployment.strategy != "Recreate") {
    v.reporter.Add(path, NotSupportedJson(StrategyJson(deployment), {"Recreate", "RollingUpdate"}));
  } else if (deployment.has_rolling_update) {
    v.reporter.Add(rolling, Forbidden("may not be specified when strategy `type` is 'Recreate'"));
  }
}

void ValidateDaemonSetStrategy(const Workload& set, const FieldPath& path, const Validation& v) {
  if (set.strategy == "OnDelete") return;
  if (set.strategy == "RollingUpdate") return ValidateDaemonSetUpdate(set, path.Child("rollingUpdate"), v);
  v.reporter.Add(path, NotSupportedJson(StrategyJson(set), {"RollingUpdate", "OnDelete"}));
}

void ValidateStatefulSetStrategy(const Workload& set, const FieldPath& path, const Validation& v) {
  const FieldPath rolling = path.Child("rollingUpdate");
  if (set.strategy == "RollingUpdate") {
    if (set.has_rolling_update) ValidateStatefulSetUpdate(set, rolling, v);
  } else if (set.strategy != "OnDelete") {
    v.reporter.Add(path, InvalidJson(StrategyJson(set), "must be 'RollingUpdate' or 'OnDelete'"));
  } else if (set.has_rolling_update) {
    v.reporter.Add(rolling, InvalidJson(RollingUpdateJson(set), "only allowed for updateStrategy 'RollingUpdate'"));
  }
}

}  // namespace

void ValidateStrategy(const Workload& workload, const FieldPath& spec, const Validation& v) {
  if (workload.kind == "Deployment") ValidateDeploymentStrategy(workload, spec.Child("strategy"), v);
  if (workload.kind == "DaemonSet") ValidateDaemonSetStrategy(workload, spec.Child("updateStrategy"), v);
  if (workload.kind == "StatefulSet") ValidateStatefulSetStrategy(workload, spec.Child("updateStrategy"), v);
}

}  // namespace ksched::api
