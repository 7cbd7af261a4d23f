// Node affinity, pod affinity and topology spread constraints.
#include <algorithm>
#include <set>
#include <string_view>

#include "api/field_errors.h"
#include "api/validation_parts.h"

namespace ksched::api {
namespace {

enum class Values { kChecked, kAny };

void ValidateNodeRequirement(const NodeSelectorRequirement& requirement, Values check_values, const FieldPath& path,
                             const Validation& v) {
  const std::string& op = requirement.op;
  const FieldPath values = path.Child("values");
  if (op == "In" || op == "NotIn") {
    if (requirement.values.empty()) {
      v.reporter.Add(values, Required("must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!requirement.values.empty()) {
      v.reporter.Add(values, Forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else if (op == "Gt" || op == "Lt") {
    if (requirement.values.size() != 1) {
      v.reporter.Add(values, Required("must be specified single value when `operator` is 'Lt' or 'Gt'"));
    }
  } else {
    v.reporter.Add(path.Child("operator"), Invalid(op, "not a valid selector operator"));
  }
  ValidateLabelKey(requirement.key, path.Child("key"), v);
  if (!v.user() || check_values == Values::kAny) return;
  for (size_t i = 0; i < requirement.values.size(); ++i) ValidateLabelValue(requirement.values[i], values.Index(i), v);
}

void ValidateNodeField(const NodeSelectorRequirement& requirement, const FieldPath& path, const Validation& v) {
  const FieldPath values = path.Child("values");
  if (requirement.op != "In" && requirement.op != "NotIn") {
    v.reporter.Add(path.Child("operator"), Invalid(requirement.op, "not a valid selector operator"));
  } else if (requirement.values.size() != 1) {
    v.reporter.Add(values,
                   Required("must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  }
  if (requirement.key != "metadata.name") {
    v.reporter.Add(path.Child("key"), Invalid(requirement.key, "not a valid field selector key"));
    return;
  }
  if (!v.user()) return;
  for (size_t i = 0; i < requirement.values.size(); ++i) {
    v.AddInvalid(values.Index(i), requirement.values[i], CheckDns1123Subdomain(requirement.values[i]));
  }
}

void ValidateNodeTerm(const NodeSelectorTerm& term, Values check_values, const FieldPath& path, const Validation& v) {
  const FieldPath expressions = path.Child("matchExpressions"), fields = path.Child("matchFields");
  for (size_t i = 0; i < term.match_expressions.size(); ++i) {
    ValidateNodeRequirement(term.match_expressions[i], check_values, expressions.Index(i), v);
  }
  for (size_t i = 0; i < term.match_fields.size(); ++i) ValidateNodeField(term.match_fields[i], fields.Index(i), v);
}

void ValidateWeight(int32_t weight, const FieldPath& path, const Validation& v) {
  if (v.user() && (weight < 1 || weight > 100)) {
    v.reporter.Add(path.Child("weight"), Invalid(weight, "must be in the range 1-100"));
  }
}

void ValidateNodeAffinity(const NodeAffinity& affinity, const FieldPath& path, const Validation& v) {
  const FieldPath required = path.Child("requiredDuringSchedulingIgnoredDuringExecution");
  const FieldPath preferred = path.Child("preferredDuringSchedulingIgnoredDuringExecution");
  if (affinity.required) {
    const FieldPath terms = required.Child("nodeSelectorTerms");
    if (affinity.required->terms.empty()) {
      v.reporter.Add(terms, Required("must have at least one node selector term"));
    }
    for (size_t i = 0; i < affinity.required->terms.size(); ++i) {
      ValidateNodeTerm(affinity.required->terms[i], Values::kChecked, terms.Index(i), v);
    }
  }
  for (size_t i = 0; i < affinity.preferred.size(); ++i) {
    const FieldPath term = preferred.Index(i);
    ValidateWeight(affinity.preferred[i].weight, term, v);
    // The API lets any value pass here.
    ValidateNodeTerm(affinity.preferred[i].preference, Values::kAny, term.Child("preference"), v);
  }
}

void ValidatePodTerm(const PodAffinityTerm& term, const FieldPath& path, const Validation& v) {
  ValidateLabelSelector(term.label_selector, path.Child("labelSelector"), v);
  ValidateLabelSelector(term.namespace_selector, path.Child("namespaceSelector"), v);
  const FieldPath key = path.Child("topologyKey");
  if (term.topology_key.empty()) {
    v.reporter.Add(key, Required("can not be empty"));
  } else {
    ValidateLabelKey(term.topology_key, key, v);
  }
  if (!v.user()) return;
  const FieldPath namespaces = path.Child("namespaces");
  for (size_t i = 0; i < term.namespaces.size(); ++i) {
    v.AddInvalid(namespaces.Index(i), term.namespaces[i], CheckDns1123Label(term.namespaces[i]));
  }
  ValidateLabelKeyLists(term.match_label_keys, term.mismatch_label_keys, term.label_selector, path, v);
}

void ValidatePodAffinity(const std::optional<PodAffinity>& affinity, const FieldPath& path, const Validation& v) {
  if (!affinity) return;
  const FieldPath required = path.Child("requiredDuringSchedulingIgnoredDuringExecution");
  const FieldPath preferred = path.Child("preferredDuringSchedulingIgnoredDuringExecution");
  for (size_t i = 0; i < affinity->required.size(); ++i) ValidatePodTerm(affinity->required[i], required.Index(i), v);
  for (size_t i = 0; i < affinity->preferred.size(); ++i) {
    const FieldPath term = preferred.Index(i);
    ValidateWeight(affinity->preferred[i].weight, term, v);
    ValidatePodTerm(affinity->preferred[i].term, term.Child("podAffinityTerm"), v);
  }
}

void ValidateKeyList(const std::vector<std::string>& keys, bool has_selector, const FieldPath& path,
                     const Validation& v) {
  if (keys.empty()) return;
  if (!has_selector) return v.reporter.Add(path, Forbidden("must not be specified when labelSelector is not set"));
  for (size_t i = 0; i < keys.size(); ++i) ValidateLabelKey(keys[i], path.Index(i), v);
}

void ValidateInclusionPolicy(const std::string& policy, const FieldPath& path, const Validation& v) {
  if (policy.empty() || policy == "Honor" || policy == "Ignore") return;
  v.reporter.Add(path, NotSupported(policy, {"Honor", "Ignore"}));
}

void ValidateMinDomains(const TopologySpreadConstraint& constraint, const FieldPath& path, const Validation& v) {
  if (!constraint.min_domains) return;
  const int32_t domains = *constraint.min_domains;
  if (domains <= 0) v.reporter.Add(path, Invalid(domains, "must be greater than zero"));
  if (constraint.when_unsatisfiable != "DoNotSchedule") {
    v.reporter.Add(path, Invalid(domains, "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " +
                                              constraint.when_unsatisfiable));
  }
}

// Keys that the selector had before the API server put them there, at the end of its expressions.
void ValidateMergedKeys(const std::vector<std::string>& match_keys, const LabelSelector& selector,
                        const FieldPath& path, const Validation& v) {
  std::set<std::string_view> seen;
  for (const auto& [key, value] : selector.match_labels) seen.insert(key);
  for (const LabelSelectorRequirement& one : selector.match_expressions) {
    const auto last = std::find(match_keys.rbegin(), match_keys.rend(), one.key);
    if (!seen.insert(one.key).second && last != match_keys.rend()) {
      v.reporter.Add(path.Index(static_cast<size_t>(match_keys.rend() - last) - 1),
                     Invalid(one.key, "exists in both matchLabelKeys and labelSelector"));
    }
  }
}

}  // namespace

void ValidateAffinity(const Affinity& affinity, const FieldPath& path, const Validation& v) {
  if (affinity.node_affinity) ValidateNodeAffinity(*affinity.node_affinity, path.Child("nodeAffinity"), v);
  ValidatePodAffinity(affinity.pod_affinity, path.Child("podAffinity"), v);
  ValidatePodAffinity(affinity.pod_anti_affinity, path.Child("podAntiAffinity"), v);
}

void ValidateLabelKeyLists(const std::vector<std::string>& match_keys, const std::vector<std::string>& mismatch_keys,
                           const std::optional<LabelSelector>& selector, const FieldPath& path, const Validation& v) {
  const FieldPath match = path.Child("matchLabelKeys");
  ValidateKeyList(match_keys, selector.has_value(), match, v);
  ValidateKeyList(mismatch_keys, selector.has_value(), path.Child("mismatchLabelKeys"), v);
  // A key may stand in the selector once: the API server puts it there before it validates the pod.
  if (v.user() && selector) ValidateMergedKeys(match_keys, *selector, path, v);
  for (size_t i = 0; i < match_keys.size(); ++i) {
    const std::string& key = match_keys[i];
    if (std::find(mismatch_keys.begin(), mismatch_keys.end(), key) != mismatch_keys.end()) {
      v.reporter.Add(match.Index(i), Invalid(key, "exists in both matchLabelKeys and mismatchLabelKeys"));
    }
  }
}

void ValidateSpreadConstraints(const std::vector<TopologySpreadConstraint>& constraints, const FieldPath& path,
                               const Validation& v) {
  for (size_t i = 0; i < constraints.size(); ++i) {
    const TopologySpreadConstraint& constraint = constraints[i];
    const FieldPath at = path.Index(i);
    const std::string& when = constraint.when_unsatisfiable;
    if (constraint.max_skew <= 0) {
      v.reporter.Add(at.Child("maxSkew"), Invalid(constraint.max_skew, "must be greater than zero"));
    }
    if (constraint.topology_key.empty()) v.reporter.Add(at.Child("topologyKey"), Required("can not be empty"));
    if (when != "DoNotSchedule" && when != "ScheduleAnyway") {
      v.reporter.Add(at.Child("whenUnsatisfiable"), NotSupported(when, {"DoNotSchedule", "ScheduleAnyway"}));
    }
    ValidateLabelSelector(constraint.label_selector, at.Child("labelSelector"), v);
    ValidateInclusionPolicy(constraint.node_affinity_policy, at.Child("nodeAffinityPolicy"), v);
    ValidateInclusionPolicy(constraint.node_taints_policy, at.Child("nodeTaintsPolicy"), v);
    if (!v.user()) continue;
    const bool repeated =
        std::any_of(constraints.begin() + static_cast<ptrdiff_t>(i) + 1, constraints.end(),
                    [&](const TopologySpreadConstraint& other) {
                      return other.topology_key == constraint.topology_key && other.when_unsatisfiable == when;
                    });
    if (repeated) {
      v.reporter.Add(at.Child("{topologyKey, whenUnsatisfiable}"), at,
                     Duplicate("{" + constraint.topology_key + ", " + when + "}"));
    }
    ValidateMinDomains(constraint, at.Child("minDomains"), v);
    ValidateLabelKeyLists(constraint.match_label_keys, {}, constraint.label_selector, at, v);
  }
}

}  // namespace ksched::api
