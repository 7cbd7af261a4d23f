// What it means for a run that the cluster could not, or would not, list some kinds.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "admission/plugins.h"
#include "api/types_policy.h"
#include "api/types_workload.h"

namespace ksched {

// What is to be scheduled, as far as a kind that is not known can matter to it.
class NewObjects {
 public:
  void Add(const api::Pod& pod);
  void Add(const api::Workload& workload);

  bool any() const { return any_; }
  // Whether all of them are in these namespaces.
  bool AllIn(const std::vector<std::string>& namespaces) const;
  bool any_without_class() const { return any_without_class_; }
  bool any_claim_templates() const { return any_claim_templates_; }  // of StatefulSets
  bool any_claims() const { return any_claims_; }                    // volumes of claims, of whatever origin
  const std::set<std::string>& priority_classes() const { return priority_classes_; }  // named; without system-*
  const std::set<std::string>& runtime_classes() const { return runtime_classes_; }
  bool has_kind(const std::string& kind) const { return kinds_.contains(kind); }  // a workload of this kind
  bool any_spread_by_default() const { return any_spread_by_default_; }           // a pod without spread constraints
  // A pod without spread constraints that says it is controlled by an object of this kind.
  bool has_controller(const std::string& kind) const { return controllers_.contains(kind); }

 private:
  void AddSpec(const api::PodSpec& spec);

  bool any_ = false, any_without_class_ = false, any_claim_templates_ = false, any_claims_ = false;
  bool any_spread_by_default_ = false;
  std::set<std::string> priority_classes_, runtime_classes_, kinds_, controllers_, namespaces_;
};

struct MissingKinds {
  std::vector<std::string> errors;    // the answer would be worth nothing
  std::vector<std::string> warnings;  // it cannot matter, or only as said
};

MissingKinds JudgeMissingKinds(const std::vector<api::ClusterSnapshot::Absent>& absent, const NewObjects& objects,
                               const AdmissionPlugins& admission, bool fresh);

}  // namespace ksched
