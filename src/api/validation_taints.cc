// Taints and tolerations.
#include <algorithm>

#include "api/field_errors.h"
#include "api/validation_parts.h"

namespace ksched::api {
namespace {

void ValidateEffect(const std::string& effect, const FieldPath& path, const Validation& v) {
  if (effect == "NoSchedule" || effect == "PreferNoSchedule" || effect == "NoExecute") return;
  v.reporter.Add(path, NotSupported(effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"}));
}

std::string Join(const Messages& messages) {
  std::string joined;
  for (const std::string& message : messages) joined += (joined.empty() ? "" : ";") + message;
  return joined;
}

std::string TaintJson(const Taint& taint) {
  std::string json = "{\"key\":" + Quote(taint.key);
  if (!taint.value.empty()) json += ",\"value\":" + Quote(taint.value);
  return json + ",\"effect\":" + Quote(taint.effect) + "}";
}

void ValidateOperator(const Toleration& toleration, const FieldPath& path, const Validation& v) {
  const FieldPath op = path.Child("operator");
  if (toleration.op.empty() || toleration.op == "Equal") {
    if (v.user() && !IsLabelValue(toleration.value)) {
      v.reporter.Add(op, path.Child("value"), Invalid(toleration.value, Join(CheckLabelValue(toleration.value))));
    }
  } else if (toleration.op == "Exists") {
    if (v.user() && !toleration.value.empty()) {
      v.reporter.Add(op, Invalid(toleration.value, "value must be empty when `operator` is 'Exists'"));
    }
  } else if (toleration.op == "Lt" || toleration.op == "Gt") {
    // Needs the gate TaintTolerationComparisonOperators, alpha and off in 1.37.
    if (v.user()) v.reporter.Add(op, NotSupported(toleration.op, {"Equal", "Exists", "Lt", "Gt"}));
  } else {
    v.reporter.Add(op, NotSupported(toleration.op, {"Equal", "Exists"}));
  }
}

}  // namespace

void ValidateTaints(const std::vector<Taint>& taints, const FieldPath& path, const Validation& v) {
  for (size_t i = 0; i < taints.size(); ++i) {
    const Taint& taint = taints[i];
    const FieldPath taint_path = path.Index(i);
    ValidateLabelKey(taint.key, taint_path.Child("key"), v);
    if (taint.effect.empty()) {
      v.reporter.Add(taint_path.Child("effect"), Required());
    } else {
      ValidateEffect(taint.effect, taint_path.Child("effect"), v);
    }
    if (!v.user()) continue;
    if (!IsLabelValue(taint.value)) {
      v.reporter.Add(taint_path.Child("value"), Invalid(taint.value, Join(CheckLabelValue(taint.value))));
    }
    const bool seen = std::any_of(taints.begin(), taints.begin() + static_cast<ptrdiff_t>(i), [&](const Taint& other) {
      return other.key == taint.key && other.effect == taint.effect;
    });
    if (seen) {
      v.reporter.Add(taint_path,
                     "Duplicate value: " + TaintJson(taint) + ": taints must be unique by key and effect pair");
    }
  }
}

void ValidateTolerations(const std::vector<Toleration>& tolerations, const FieldPath& path, const Validation& v) {
  for (size_t i = 0; i < tolerations.size(); ++i) {
    const Toleration& toleration = tolerations[i];
    const FieldPath toleration_path = path.Index(i);
    if (v.user() && !toleration.key.empty()) ValidateLabelKey(toleration.key, toleration_path.Child("key"), v);
    if (toleration.key.empty() && toleration.op != "Exists") {
      v.reporter.Add(
          toleration_path.Child("operator"),
          Invalid(toleration.op,
                  "operator must be Exists when `key` is empty, which means \"match all values and all keys\""));
    }
    if (v.user() && toleration.toleration_seconds && toleration.effect != "NoExecute") {
      v.reporter.Add(toleration_path.Child("effect"),
                     Invalid(toleration.effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    ValidateOperator(toleration, toleration_path, v);
    if (!toleration.effect.empty()) ValidateEffect(toleration.effect, toleration_path.Child("effect"), v);
  }
}

}  // namespace ksched::api
