#include "plugins/common/node_selector_errors.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "api/names.h"
#include "plugins/common/go_integer.h"

namespace ksched {
namespace {

using Requirement = api::NodeSelectorRequirement;

void AppendInvalid(const api::FieldPath& path, const std::string& value, const api::Messages& messages,
                   config::FieldErrors& errors) {
  if (messages.empty()) return;
  std::string detail;
  for (const std::string& message : messages) detail += (detail.empty() ? "" : "; ") + message;
  errors.push_back(config::Invalid(path, value, detail));
}

void AppendValueCountErrors(const Requirement& requirement, const api::FieldPath& path, config::FieldErrors& errors) {
  const std::vector<std::string>& values = requirement.values;
  const auto wrong_count = [&](std::string_view detail) {
    errors.push_back(config::Invalid(path, config::BadValue::List(values), detail));
  };
  if (requirement.op == "In" || requirement.op == "NotIn") {
    if (values.empty()) wrong_count("for 'in', 'notin' operators, values set can't be empty");
  } else if (requirement.op == "Exists" || requirement.op == "DoesNotExist") {
    if (!values.empty()) wrong_count("values set must be empty for exists and does not exist");
  } else {  // Gt, Lt
    if (values.size() != 1) wrong_count("for 'Gt', 'Lt' operators, exactly one value is required");
    for (size_t i = 0; i < values.size(); ++i) {
      if (ParseGoInteger(values[i])) continue;
      errors.push_back(
          config::Invalid(path.Index(i), values[i], "for 'Gt', 'Lt' operators, the value must be an integer"));
    }
  }
}

void AppendLabelErrors(const Requirement& requirement, const api::FieldPath& path, config::FieldErrors& errors) {
  static constexpr std::string_view kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
  if (std::find(std::begin(kOperators), std::end(kOperators), requirement.op) == std::end(kOperators)) {
    errors.push_back(config::NotSupported(path.Child("operator"), config::BadValue::Named(requirement.op),
                                          {std::begin(kOperators), std::end(kOperators)}));
    return;
  }
  if (!api::IsLabelKey(requirement.key)) {
    AppendInvalid(path.Child("key"), requirement.key, api::CheckLabelKey(requirement.key), errors);
  }
  const api::FieldPath values = path.Child("values");
  AppendValueCountErrors(requirement, values, errors);
  for (size_t i = 0; i < requirement.values.size(); ++i) {
    const std::string& value = requirement.values[i];
    if (api::IsLabelValue(value)) continue;
    const api::FieldPath index = values.Index(i);
    AppendInvalid(index.Key(requirement.key), value, api::CheckLabelValue(value), errors);
  }
}

void AppendFieldErrors(const Requirement& requirement, const api::FieldPath& path, config::FieldErrors& errors) {
  if (requirement.op != "In" && requirement.op != "NotIn") {
    errors.push_back(
        config::NotSupported(path.Child("operator"), config::BadValue::Named(requirement.op), {"In", "NotIn"}));
  } else if (requirement.values.size() != 1) {
    errors.push_back(
        config::Invalid(path.Child("values"), config::BadValue::List(requirement.values), "must have one element"));
  }
}

std::string Join(const config::FieldErrors& errors) { return errors.empty() ? std::string() : Aggregate(errors); }

}  // namespace

void AppendErrors(const api::NodeSelectorTerm& term, const api::FieldPath& path, config::FieldErrors& errors) {
  const api::FieldPath expressions = path.Child("matchExpressions"), fields = path.Child("matchFields");
  for (size_t i = 0; i < term.match_expressions.size(); ++i) {
    AppendLabelErrors(term.match_expressions[i], expressions.Index(i), errors);
  }
  for (size_t i = 0; i < term.match_fields.size(); ++i) {
    AppendFieldErrors(term.match_fields[i], fields.Index(i), errors);
  }
}

void AppendErrors(const api::NodeSelector& selector, const api::FieldPath& path, config::FieldErrors& errors) {
  const api::FieldPath terms = path.Child("nodeSelectorTerms");
  for (size_t i = 0; i < selector.terms.size(); ++i) AppendErrors(selector.terms[i], terms.Index(i), errors);
}

void AppendErrors(std::span<const api::PreferredSchedulingTerm> terms, const api::FieldPath& path,
                  config::FieldErrors& errors) {
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].weight != 0) AppendErrors(terms[i].preference, path.Index(i), errors);
  }
}

std::string Problems(const api::NodeSelector& selector) {
  config::FieldErrors errors;
  AppendErrors(selector, {}, errors);
  return Join(errors);
}

std::string Problems(std::span<const api::PreferredSchedulingTerm> terms) {
  config::FieldErrors errors;
  AppendErrors(terms, {}, errors);
  return Join(errors);
}

}  // namespace ksched
