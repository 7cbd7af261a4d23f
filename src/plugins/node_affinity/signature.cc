#include "plugins/node_affinity/signature.h"

#include <utility>
#include <vector>

#include "plugins/common/signature.h"

namespace ksched {
namespace {

std::string Signed(const api::NodeSelectorRequirement& requirement) {
  std::string text;
  AppendSigned(requirement.key, text);
  AppendSigned(requirement.op, text);
  AppendSignedSorted(requirement.values, text);
  return text;
}

std::string Signed(const api::NodeSelectorTerm& term) {
  std::string text;
  for (const auto* requirements : {&term.match_expressions, &term.match_fields}) {
    std::vector<std::string> texts;
    texts.reserve(requirements->size());
    for (const api::NodeSelectorRequirement& requirement : *requirements) texts.push_back(Signed(requirement));
    AppendSignedSorted(std::move(texts), text);
  }
  return text;
}

std::string Signed(const api::PreferredSchedulingTerm& term) {
  std::string text;
  AppendSigned(int64_t{term.weight}, text);
  return text + Signed(term.preference);
}

template <typename Term>
void AppendSignedTerms(const std::vector<Term>& terms, std::string& signature) {
  std::vector<std::string> texts;
  texts.reserve(terms.size());
  for (const Term& term : terms) texts.push_back(Signed(term));
  AppendSignedSorted(std::move(texts), signature);
}

}  // namespace

void AppendSignedNodeAffinity(const api::PodSpec& spec, std::string& signature) {
  AppendSigned("v1.Pod.Spec.Affinity.NodeAffinity", signature);
  if (spec.affinity && spec.affinity->node_affinity) {
    const api::NodeAffinity& affinity = *spec.affinity->node_affinity;
    // Required terms that are absent and an empty list of them sign alike, as in the reference.
    AppendSignedTerms(affinity.required ? affinity.required->terms : std::vector<api::NodeSelectorTerm>(), signature);
    AppendSignedTerms(affinity.preferred, signature);
  } else {
    AppendSigned(int64_t{-1}, signature);
  }
  AppendSigned("v1.Pod.Spec.Affinity.NodeSelector", signature);
  AppendSigned(static_cast<int64_t>(spec.node_selector.size()), signature);
  for (const auto& [key, value] : spec.node_selector) {
    AppendSigned(key, signature);
    AppendSigned(value, signature);
  }
}

}  // namespace ksched
