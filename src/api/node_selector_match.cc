#include "api/node_selector_match.h"

#include <algorithm>
#include <charconv>

#include "api/label_selector.h"
#include "api/names.h"

namespace ksched::api {
namespace {

// As strconv.ParseInt reads it.
std::optional<int64_t> ParseInteger(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool IsValid(const NodeSelectorRequirement& requirement) {
  const std::vector<std::string>& values = requirement.values;
  if (!IsLabelKey(requirement.key) || !std::all_of(values.begin(), values.end(), IsLabelValue)) return false;
  if (requirement.op == "In" || requirement.op == "NotIn") return !values.empty();
  if (requirement.op == "Exists" || requirement.op == "DoesNotExist") return values.empty();
  if (requirement.op == "Gt" || requirement.op == "Lt") return values.size() == 1 && ParseInteger(values.front());
  return false;
}

bool IsValidField(const NodeSelectorRequirement& field) {
  return (field.op == "In" || field.op == "NotIn") && field.values.size() == 1;
}

bool MatchesLabel(const NodeSelectorRequirement& requirement, const StringMap& labels) {
  const auto label = labels.find(requirement.key);
  const bool exists = label != labels.end();
  if (requirement.op == "Exists") return exists;
  if (requirement.op == "DoesNotExist") return !exists;
  if (requirement.op == "Gt" || requirement.op == "Lt") {
    const std::optional<int64_t> value = exists ? ParseInteger(label->second) : std::nullopt;
    const int64_t bound = ParseInteger(requirement.values.front()).value_or(0);
    return value && (requirement.op == "Gt" ? *value > bound : *value < bound);
  }
  const auto& values = requirement.values;
  const bool listed = exists && std::find(values.begin(), values.end(), label->second) != values.end();
  return listed == (requirement.op == "In");
}

// A node has one field, its name; any other is empty.
bool MatchesField(const NodeSelectorRequirement& field, const std::string& node_name) {
  const std::string value = field.key == "metadata.name" ? node_name : std::string();
  return (field.values.front() == value) == (field.op == "In");
}

}  // namespace

bool Matches(const NodeSelectorTerm& term, const std::string& node_name, const StringMap& node_labels) {
  const auto &labels = term.match_expressions, &fields = term.match_fields;
  if (labels.empty() && fields.empty()) return false;
  return std::all_of(labels.begin(), labels.end(), IsValid) &&
         std::all_of(fields.begin(), fields.end(), IsValidField) &&
         std::all_of(labels.begin(), labels.end(),
                     [&](const auto& label) { return MatchesLabel(label, node_labels); }) &&
         std::all_of(fields.begin(), fields.end(), [&](const auto& field) { return MatchesField(field, node_name); });
}

bool Matches(const NodeSelector& selector, const std::string& node_name, const StringMap& node_labels) {
  return std::any_of(selector.terms.begin(), selector.terms.end(),
                     [&](const NodeSelectorTerm& term) { return Matches(term, node_name, node_labels); });
}

bool MatchesRequired(const PodSpec& spec, const std::string& node_name, const StringMap& node_labels) {
  if (!MatchesLabels(spec.node_selector, node_labels)) return false;
  if (!spec.affinity || !spec.affinity->node_affinity || !spec.affinity->node_affinity->required) return true;
  return Matches(*spec.affinity->node_affinity->required, node_name, node_labels);
}

}  // namespace ksched::api
