// Metadata, labels and selectors.
#include <algorithm>
#include <cctype>

#include "api/field_errors.h"
#include "api/validation_parts.h"

namespace ksched::api {
namespace {

constexpr size_t kMaxAnnotations = 256 * 1024;

enum class NameStyle { kSubdomain, kLabel, kAny };

NameStyle StyleOf(std::string_view kind) {
  if (kind == "Namespace" || kind == "StatefulSet") return NameStyle::kLabel;
  // Kinds that are known by name only have rules of their own, which do not matter here.
  constexpr std::string_view kSubdomains[] = {"Pod",           "Node",         "Deployment", "ReplicaSet",
                                              "DaemonSet",     "Job",          "CronJob",    "PodTemplate",
                                              "PriorityClass", "RuntimeClass", "DeviceClass"};
  const bool known = kind == "ReplicationController" ||
                     std::find(std::begin(kSubdomains), std::end(kSubdomains), kind) != std::end(kSubdomains);
  return known ? NameStyle::kSubdomain : NameStyle::kAny;
}

Messages CheckName(std::string_view name, NameStyle style) {
  if (style == NameStyle::kAny) return {};
  return style == NameStyle::kLabel ? CheckDns1123Label(name) : CheckDns1123Subdomain(name);
}

// A prefix may end in a dash, for what is appended ends in something else.
std::string MaskTrailingDash(std::string prefix) {
  if (prefix.size() > 1 && prefix.back() == '-') prefix.replace(prefix.size() - 2, 2, "a");
  return prefix;
}

void ValidateNames(const ObjectMeta& metadata, std::string_view kind, bool namespaced, const FieldPath& path,
                   const Validation& v) {
  if (!v.user()) return;
  const NameStyle style = StyleOf(kind);
  if (!metadata.generate_name.empty()) {
    v.AddInvalid(path.Child("generateName"), metadata.generate_name,
                 CheckName(MaskTrailingDash(metadata.generate_name), style));
  }
  if (!metadata.name.empty()) v.AddInvalid(path.Child("name"), metadata.name, CheckName(metadata.name, style));
  if (namespaced) v.AddInvalid(path.Child("namespace"), metadata.ns, CheckDns1123Label(metadata.ns));
}

void ValidateRequirement(const LabelSelectorRequirement& requirement, const FieldPath& path, const Validation& v) {
  const std::string& op = requirement.op;
  if (op == "In" || op == "NotIn") {
    if (requirement.values.empty()) {
      v.reporter.Add(path.Child("values"), Required("must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!requirement.values.empty()) {
      v.reporter.Add(path.Child("values"),
                     Forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else {
    v.reporter.Add(path.Child("operator"), Invalid(op, "not a valid selector operator"));
  }
  ValidateLabelKey(requirement.key, path.Child("key"), v);
  if (!v.user()) return;
  const FieldPath values = path.Child("values");
  for (size_t i = 0; i < requirement.values.size(); ++i) ValidateLabelValue(requirement.values[i], values.Index(i), v);
}

}  // namespace

void Validation::AddInvalid(const FieldPath& path, std::string_view value, const Messages& messages) const {
  for (const std::string& message : messages) reporter.Add(path, Invalid(value, message));
}

void ValidateMetadata(const ObjectMeta& metadata, std::string_view kind, bool namespaced, const Validation& v) {
  const FieldPath root;
  const FieldPath path = root.Child("metadata");
  // Something with a generateName is named later.
  if (metadata.name.empty() && (metadata.generate_name.empty() || !v.user())) {
    v.reporter.Add(path.Child("name"), Required("name or generateName is required"));
  }
  if (!v.user()) return;
  ValidateNames(metadata, kind, namespaced, path, v);
  ValidateLabels(metadata.labels, path.Child("labels"), v);
  ValidateAnnotations(metadata.annotations, path.Child("annotations"), v);
}

void ValidateLabelKey(std::string_view key, const FieldPath& path, const Validation& v) {
  if (!IsLabelKey(key)) v.AddInvalid(path, key, CheckLabelKey(key));
}

void ValidateLabelValue(std::string_view value, const FieldPath& path, const Validation& v) {
  if (!IsLabelValue(value)) v.AddInvalid(path, value, CheckLabelValue(value));
}

void ValidateLabels(const StringMap& labels, const FieldPath& path, const Validation& v) {
  for (const auto& [key, value] : labels) {
    const FieldPath at = path.Key(key);
    for (const std::string& message : CheckLabelKey(key)) v.reporter.Add(path, at, Invalid(key, message));
    for (const std::string& message : CheckLabelValue(value)) v.reporter.Add(path, at, Invalid(value, message));
  }
}

void ValidateAnnotations(const StringMap& annotations, const FieldPath& path, const Validation& v) {
  size_t size = 0;
  for (const auto& [key, value] : annotations) {
    size += key.size() + value.size();
    std::string lower = key;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const std::string& message : CheckLabelKey(lower)) v.reporter.Add(path, path.Key(key), Invalid(key, message));
  }
  if (size > kMaxAnnotations) {
    v.reporter.Add(path, "Too long: may not be more than " + std::to_string(kMaxAnnotations) + " bytes");
  }
}

void ValidateLabelSelector(const std::optional<LabelSelector>& selector, const FieldPath& path, const Validation& v) {
  if (!selector) return;
  if (v.user()) ValidateLabels(selector->match_labels, path.Child("matchLabels"), v);
  const FieldPath expressions = path.Child("matchExpressions");
  for (size_t i = 0; i < selector->match_expressions.size(); ++i) {
    ValidateRequirement(selector->match_expressions[i], expressions.Index(i), v);
  }
}

void ValidateReference(std::string_view name, const FieldPath& path, const Validation& v) {
  if (!name.empty() && !IsDns1123Subdomain(name)) v.AddInvalid(path, name, CheckDns1123Subdomain(name));
}

void ValidateNonNegative(int64_t value, const FieldPath& path, const Validation& v) {
  if (value < 0) v.reporter.Add(path, Invalid(value, kNegative));
}

}  // namespace ksched::api
