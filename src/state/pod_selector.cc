#include "state/pod_selector.h"

#include <algorithm>

#include "api/label_selector.h"

namespace ksched {
namespace {

void AppendText(std::string_view text, std::string& out) {
  const auto size = static_cast<uint32_t>(text.size());
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out.append(text);
}

void AppendTexts(const std::vector<std::string>& texts, std::string& out) {
  AppendText(std::to_string(texts.size()), out);
  for (const std::string& text : texts) AppendText(text, out);
}

void AppendSelector(const std::optional<api::LabelSelector>& selector, std::string& out) {
  out += selector ? '+' : '-';
  if (!selector) return;
  AppendText(std::to_string(selector->match_labels.size()), out);
  for (const auto& [key, value] : selector->match_labels) {
    AppendText(key, out);
    AppendText(value, out);
  }
  AppendText(std::to_string(selector->match_expressions.size()), out);
  for (const api::LabelSelectorRequirement& requirement : selector->match_expressions) {
    AppendText(requirement.key, out);
    AppendText(requirement.op, out);
    AppendTexts(requirement.values, out);
  }
}

}  // namespace

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
  AppendTexts(selector.namespaces, out);
  AppendSelector(selector.namespace_selector, out);
  AppendSelector(selector.selector, out);
  out += selector.listed_namespaces ? 'l' : 'a';
}

}  // namespace ksched
