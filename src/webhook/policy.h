// Policy: what is done about pods that can never be scheduled, and about those that have no room now: by namespace,
// labels, user and plugin. From a file of kind AdmissionPolicy (ksched.dev/v1alpha1; docs/admission-policy.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/types.h"
#include "base/result.h"

namespace ksched::webhook {

enum class Question : uint8_t { kImpossible, kNoRoom };
enum class Action : uint8_t { kDeny, kWarn, kAudit, kIgnore };

// Nodes of this kind may come: a pool that scales.
struct NodeShape {
  std::string name;
  // Named like the shape, in its label kubernetes.io/hostname too. Labels, taints, allocatable; capacity is the same.
  api::Node node;
};

// Whose object it is. All borrowed.
struct Subject {
  std::string_view ns;
  const api::StringMap* ns_labels = nullptr;  // null: not known
  const api::StringMap& labels;               // of the object
  std::string_view user;
  std::span<const std::string> groups;
};

struct SubjectMatch {
  std::vector<std::string> namespaces;  // names; empty: any
  std::optional<api::LabelSelector> namespace_selector, object_selector;
  std::vector<std::string> users, groups;  // the user is one of these, or in one of these; both empty: any
  // A namespace whose labels are not known is matched by no namespaceSelector.
  bool Matches(const Subject& subject) const;
};

struct PolicyRule {
  std::string name;
  SubjectMatch match;
  std::set<std::string, std::less<>> plugins;  // one of those that turned the pod down is among them; empty: any
  std::optional<Action> impossible, no_room;   // absent: the next rule that matches says it
};

class Policy {
 public:
  // Denies the impossible, warns where there is no room.
  Policy();
  // All findings of the file, with file, line and field, a line each.
  static Result<Policy> Load(const std::string& file);
  static Result<Policy> Read(std::string text, const std::string& name);

  // Of the first rule that matches and says something about the question; else the default.
  Action ActionFor(Question question, const Subject& subject, std::span<const std::string_view> plugins) const;
  // The name of the exemption that takes the subject out of all judging; nothing: none does.
  const std::string* ExemptionOf(const Subject& subject) const;
  // A taint that comes and goes by itself, so that it makes nothing impossible: node.kubernetes.io/*,
  // node.cloudprovider.kubernetes.io/*, ToBeDeletedByClusterAutoscaler, and what the policy adds (transientTaints:
  // keys, or prefixes that end in "*").
  bool IsTransient(std::string_view taint_key) const;

  std::span<const NodeShape> node_shapes() const { return node_shapes_; }
  bool fail_closed() const { return fail_closed_; }
  bool judge_gated() const { return judge_gated_; }  // pods with scheduling gates, as if they had none
  std::chrono::milliseconds max_staleness() const { return max_staleness_; }  // 5 minutes

 private:
  friend class PolicyReader;

  struct Exemption {
    std::string name;
    SubjectMatch match;
  };
  Action default_impossible_ = Action::kDeny, default_no_room_ = Action::kWarn;
  std::vector<PolicyRule> rules_;
  std::vector<Exemption> exemptions_;
  std::vector<NodeShape> node_shapes_;
  std::vector<std::string> transient_taints_;
  bool fail_closed_ = false, judge_gated_ = false;
  std::chrono::milliseconds max_staleness_{300'000};
};

}  // namespace ksched::webhook
