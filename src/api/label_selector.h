// Matching labels against a metav1.LabelSelector, as LabelSelectorAsSelector does.
#pragma once

#include <optional>

#include "api/types.h"

namespace ksched::api {

// An empty selector matches everything. A requirement with an unknown operator matches nothing (validation refuses it).
bool Matches(const LabelSelector& selector, const StringMap& labels);
bool Matches(const LabelSelectorRequirement& requirement, const StringMap& labels);
// No selector matches nothing.
bool Matches(const std::optional<LabelSelector>& selector, const StringMap& labels);
// Whether it is empty.
inline bool MatchesEverything(const LabelSelector& selector) {
  return selector.match_labels.empty() && selector.match_expressions.empty();
}
// Each of `selector` is among `labels`: spec.nodeSelector, the selector of a Service. Empty matches everything.
bool MatchesLabels(const StringMap& selector, const StringMap& labels);

}  // namespace ksched::api
