#include "api/label_selector.h"

#include <algorithm>

namespace ksched::api {

bool Matches(const LabelSelectorRequirement& requirement, const StringMap& labels) {
  const auto label = labels.find(requirement.key);
  const bool exists = label != labels.end();
  if (requirement.op == "Exists") return exists;
  if (requirement.op == "DoesNotExist") return !exists;
  const auto among_values = [&] {
    return std::find(requirement.values.begin(), requirement.values.end(), label->second) != requirement.values.end();
  };
  if (requirement.op == "In") return exists && among_values();
  if (requirement.op == "NotIn") return !exists || !among_values();
  return false;
}

bool Matches(const LabelSelector& selector, const StringMap& labels) {
  return MatchesLabels(selector.match_labels, labels) &&
         std::all_of(selector.match_expressions.begin(), selector.match_expressions.end(),
                     [&](const LabelSelectorRequirement& requirement) { return Matches(requirement, labels); });
}

bool Matches(const std::optional<LabelSelector>& selector, const StringMap& labels) {
  return selector && Matches(*selector, labels);
}

bool MatchesLabels(const StringMap& selector, const StringMap& labels) {
  return std::all_of(selector.begin(), selector.end(), [&](const auto& wanted) {
    const auto label = labels.find(wanted.first);
    return label != labels.end() && label->second == wanted.second;
  });
}

}  // namespace ksched::api
