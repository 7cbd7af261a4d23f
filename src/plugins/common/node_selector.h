// Node selectors and node affinity, compiled for matching. Reference:
// k8s.io/component-helpers/scheduling/corev1/nodeaffinity, v0.37.2, with the selectors of apimachinery pkg/labels.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/types.h"

namespace ksched {

// Terms of a node selector (any of them has to match), or preferred terms (the weights of those that match add up).
// Borrows keys and values from the API objects, which have to live longer. Compiling again reuses the memory.
class NodeSelectorTerms {
 public:
  void Compile(const api::NodeSelector& selector);
  void Compile(std::span<const api::PreferredSchedulingTerm> terms);
  void Clear();

  // A term that is empty or invalid matches nothing.
  bool MatchesAny(const api::Node& node) const { return MatchesAny(node.metadata.name, node.metadata.labels); }
  // "" for a name: the node has none, and requirements on it need only be well-formed.
  bool MatchesAny(const std::string& node_name, const api::StringMap& labels) const;
  int64_t WeightOfMatching(const api::Node& node) const;
  bool has_invalid() const { return has_invalid_; }
  // Whether a node's name decides, and not only its labels.
  bool reads_names() const { return reads_names_; }

  template <typename F>
  void ForEachLabelKey(F&& visit) const {  // visit(const std::string&); a key may come more than once
    for (const Requirement& requirement : requirements_) {
      if (requirement.is_label) visit(*requirement.key);
    }
  }

 private:
  enum class Op : uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };
  struct Requirement {
    const std::string* key = nullptr;
    std::span<const std::string> values;
    int64_t bound = 0;  // of kGt and kLt
    Op op = Op::kIn;
    bool is_label = true;  // else a field of the node
  };
  struct Term {
    uint32_t first = 0, end = 0;  // its requirements
    int32_t weight = 0;
  };

  void Add(const api::NodeSelectorTerm& term, int32_t weight);
  void Add(const api::NodeSelectorRequirement& requirement, bool is_label);
  bool Matches(const Term& term, const std::string& node_name, const api::StringMap& labels) const;
  static bool MatchesLabel(const Requirement& requirement, const api::StringMap& labels);
  static bool MatchesField(const Requirement& requirement, const std::string& node_name);

  std::vector<Requirement> requirements_;
  std::vector<Term> terms_;
  bool has_invalid_ = false, reads_names_ = false;
};

// What a pod requires of its node's labels and name: spec.nodeSelector and required node affinity, both.
class RequiredNodeAffinity {
 public:
  // Borrows from `spec`, as above.
  void Compile(const api::PodSpec& spec);
  bool Matches(const api::Node& node) const;
  // Why the answer "does not match" is in doubt: the problems of invalid terms; empty if there are none, or if
  // spec.nodeSelector does not match.
  std::string ProblemsIfUnmatched(const api::Node& node) const;

  template <typename F>
  void ForEachLabelKey(F&& visit) const {  // visit(const std::string&); a key may come more than once
    for (const auto& label : *labels_) visit(label.first);
    terms_.ForEachLabelKey(visit);
  }

 private:
  const api::StringMap* labels_ = nullptr;
  const api::NodeSelector* selector_ = nullptr;  // null: no required node affinity
  NodeSelectorTerms terms_;
};

}  // namespace ksched
