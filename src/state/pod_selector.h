// PodSelector: which pods a term of (anti-)affinity or a spread constraint means, as a value that can be compared.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/types.h"

namespace ksched {

class NamespaceLabels {
 public:
  virtual ~NamespaceLabels() = default;
  // The labels of the namespace; null if there is no such namespace.
  virtual const api::StringMap* LabelsOf(std::string_view ns) const = 0;
};

// Pods in one of the namespaces, or in one that the selector matches (absent: none more), whose labels match
// (absent: none).
struct PodSelector {
  std::vector<std::string> namespaces;  // sorted, unique
  std::optional<api::LabelSelector> namespace_selector;
  std::optional<api::LabelSelector> selector;
  // A namespace that is not there is in only if namespace_selector is empty. So it is with the terms of a pod that is
  // to be placed, whose namespaces the reference lists.
  bool listed_namespaces = false;
  bool operator==(const PodSelector&) const = default;

  // Otherwise a namespace that is not there has no labels.
  bool Matches(std::string_view ns, const api::StringMap& labels, const NamespaceLabels& all) const;
};

// The term of a pod in `ns`: without namespaces and without a selector of them it means the pod's own.
// matchLabelKeys and mismatchLabelKeys are in the selector already (the API server puts them there).
PodSelector MakePodSelector(const api::PodAffinityTerm& term, const std::string& ns);

// Bytes that are equal for equal selectors only.
void AppendKey(const PodSelector& selector, std::string& out);

}  // namespace ksched
