#include "plugins/common/node_selector.h"

#include <algorithm>

#include "api/label_selector.h"
#include "plugins/common/go_integer.h"
#include "plugins/common/node_selector_errors.h"

namespace ksched {
namespace {

bool IsEmpty(const api::NodeSelectorTerm& term) { return term.match_expressions.empty() && term.match_fields.empty(); }

bool Contains(std::span<const std::string> values, std::string_view value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

void NodeSelectorTerms::Compile(const api::NodeSelector& selector) {
  Clear();
  for (const api::NodeSelectorTerm& term : selector.terms) Add(term, 0);
}

void NodeSelectorTerms::Compile(std::span<const api::PreferredSchedulingTerm> terms) {
  Clear();
  for (const api::PreferredSchedulingTerm& term : terms) {
    if (term.weight != 0) Add(term.preference, term.weight);
  }
}

void NodeSelectorTerms::Clear() {
  requirements_.clear();
  terms_.clear();
  has_invalid_ = reads_names_ = false;
}

void NodeSelectorTerms::Add(const api::NodeSelectorTerm& term, int32_t weight) {
  if (IsEmpty(term)) return;
  config::FieldErrors errors;
  AppendErrors(term, {}, errors);
  if (!errors.empty()) {
    has_invalid_ = true;
    return;
  }
  Term added{.first = static_cast<uint32_t>(requirements_.size()), .weight = weight};
  for (const api::NodeSelectorRequirement& requirement : term.match_expressions) Add(requirement, true);
  for (const api::NodeSelectorRequirement& requirement : term.match_fields) Add(requirement, false);
  added.end = static_cast<uint32_t>(requirements_.size());
  terms_.push_back(added);
}

void NodeSelectorTerms::Add(const api::NodeSelectorRequirement& requirement, bool is_label) {
  Requirement added{.key = &requirement.key, .values = requirement.values, .is_label = is_label};
  if (requirement.op == "NotIn") added.op = Op::kNotIn;
  if (requirement.op == "Exists") added.op = Op::kExists;
  if (requirement.op == "DoesNotExist") added.op = Op::kDoesNotExist;
  if (requirement.op == "Gt") added.op = Op::kGt;
  if (requirement.op == "Lt") added.op = Op::kLt;
  if (added.op == Op::kGt || added.op == Op::kLt) added.bound = *ParseGoInteger(requirement.values.front());
  if (!is_label) reads_names_ = true;
  requirements_.push_back(added);
}

bool NodeSelectorTerms::MatchesAny(const std::string& node_name, const api::StringMap& labels) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const Term& term) { return Matches(term, node_name, labels); });
}

int64_t NodeSelectorTerms::WeightOfMatching(const api::Node& node) const {
  int64_t sum = 0;
  for (const Term& term : terms_) {
    if (Matches(term, node.metadata.name, node.metadata.labels)) sum += term.weight;
  }
  return sum;
}

bool NodeSelectorTerms::Matches(const Term& term, const std::string& node_name, const api::StringMap& labels) const {
  for (uint32_t i = term.first; i < term.end; ++i) {
    const Requirement& requirement = requirements_[i];
    if (!(requirement.is_label ? MatchesLabel(requirement, labels) : MatchesField(requirement, node_name))) {
      return false;
    }
  }
  return true;
}

bool NodeSelectorTerms::MatchesLabel(const Requirement& requirement, const api::StringMap& labels) {
  const auto label = labels.find(*requirement.key);
  const bool exists = label != labels.end();
  switch (requirement.op) {
    case Op::kIn:
      return exists && Contains(requirement.values, label->second);
    case Op::kNotIn:
      return !exists || !Contains(requirement.values, label->second);
    case Op::kExists:
      return exists;
    case Op::kDoesNotExist:
      return !exists;
    case Op::kGt:
    case Op::kLt:
      break;
  }
  if (!exists) return false;
  const std::optional<int64_t> value = ParseGoInteger(label->second);
  if (!value) return false;
  return requirement.op == Op::kGt ? *value > requirement.bound : *value < requirement.bound;
}

// A node has one field, its name; any other is empty. A node without a name has none, and then nothing is asked.
bool NodeSelectorTerms::MatchesField(const Requirement& requirement, const std::string& node_name) {
  if (node_name.empty()) return true;
  const std::string_view value = *requirement.key == "metadata.name" ? std::string_view(node_name) : std::string_view();
  return (requirement.values.front() == value) == (requirement.op == Op::kIn);
}

void RequiredNodeAffinity::Compile(const api::PodSpec& spec) {
  labels_ = &spec.node_selector;
  selector_ = nullptr;
  terms_.Clear();
  if (!spec.affinity || !spec.affinity->node_affinity || !spec.affinity->node_affinity->required) return;
  selector_ = &*spec.affinity->node_affinity->required;
  terms_.Compile(*selector_);
}

bool RequiredNodeAffinity::Matches(const api::Node& node) const {
  return api::MatchesLabels(*labels_, node.metadata.labels) && (selector_ == nullptr || terms_.MatchesAny(node));
}

std::string RequiredNodeAffinity::ProblemsIfUnmatched(const api::Node& node) const {
  if (selector_ == nullptr || !terms_.has_invalid()) return {};
  if (!api::MatchesLabels(*labels_, node.metadata.labels)) return {};
  return Problems(*selector_);
}

}  // namespace ksched
