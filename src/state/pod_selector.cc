#include "state/pod_selector.h"

#include <algorithm>

#include "api/label_selector.h"
#include "state/key_writer.h"

namespace ksched {
bool PodSelector::Matches(std::string_view ns, const api::StringMap& labels, const NamespaceLabels& all) const {
  if (!selector) return false;
  if (!std::binary_search(namespaces.begin(), namespaces.end(), ns, std::less<>())) {
    if (!namespace_selector) return false;
    static const api::StringMap kNone;
    const api::StringMap* const found = all.LabelsOf(ns);
    if (found == nullptr && listed_namespaces && !api::MatchesEverything(*namespace_selector)) return false;
    if (!api::Matches(*namespace_selector, found == nullptr ? kNone : *found)) return false;
  }
  return api::Matches(*selector, labels);
}

PodSelector MakePodSelector(const api::PodAffinityTerm& term, const std::string& ns) {
  PodSelector made{term.namespaces, term.namespace_selector, term.label_selector, /*listed_namespaces=*/false};
  if (made.namespaces.empty() && !made.namespace_selector) made.namespaces.push_back(ns);
  std::sort(made.namespaces.begin(), made.namespaces.end());
  made.namespaces.erase(std::unique(made.namespaces.begin(), made.namespaces.end()), made.namespaces.end());
  return made;
}

void AppendKey(const PodSelector& selector, std::string& out) {
  KeyWriter(out).All(selector.namespaces, selector.namespace_selector, selector.selector, selector.listed_namespaces);
}

}  // namespace ksched
