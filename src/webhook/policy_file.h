// An AdmissionPolicy as its file says it: names and values are not looked at yet.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/fields.h"
#include "api/fields_meta.h"
#include "api/fields_node.h"
#include "api/reporter.h"
#include "api/types.h"
#include "webhook/policy.h"

namespace ksched::webhook {

inline constexpr char kPolicyVersion[] = "ksched.dev/v1alpha1", kPolicyKind[] = "AdmissionPolicy";

struct ActionsInFile {
  std::optional<std::string> impossible, no_room;
};
struct RuleInFile {
  std::string name;
  SubjectMatch match;
  std::vector<std::string> plugins;
  std::optional<std::string> impossible, no_room;
};
struct ExemptionInFile {
  std::string name;
  SubjectMatch match;
};
struct ShapeInFile {
  std::string name;
  api::StringMap labels;
  std::vector<api::Taint> taints;
  api::ResourceList allocatable;
};
struct PolicyFile {
  std::string api_version, kind;
  bool fail_closed = false, judge_gated = false;
  std::optional<std::string> max_staleness;
  ActionsInFile defaults;
  std::vector<RuleInFile> rules;
  std::vector<ExemptionInFile> exemptions;
  std::vector<ShapeInFile> node_shapes;
  std::vector<std::string> transient_taints;
};

// Nothing: no action is called so.
std::optional<Action> ActionNamed(std::string_view name);

// Reports what is wrong with the values of a file.
void CheckPolicyFile(const PolicyFile& file, api::ProblemReporter& reporter);

}  // namespace ksched::webhook

namespace ksched::api {

template <>
struct Fields<webhook::SubjectMatch> {
  using T = webhook::SubjectMatch;
  static constexpr auto kTable =
      std::tuple(Field{"namespaces", 1, At(&T::namespaces)}, Field{"namespaceSelector", 2, At(&T::namespace_selector)},
                 Field{"objectSelector", 3, At(&T::object_selector)}, Field{"users", 4, At(&T::users)},
                 Field{"groups", 5, At(&T::groups)});
};
template <>
struct Fields<webhook::ActionsInFile> {
  using T = webhook::ActionsInFile;
  static constexpr auto kTable =
      std::tuple(Field{"impossible", 1, At(&T::impossible)}, Field{"noRoom", 2, At(&T::no_room)});
};
template <>
struct Fields<webhook::RuleInFile> {
  using T = webhook::RuleInFile;
  static constexpr auto kTable =
      std::tuple(Field{"name", 1, At(&T::name)}, Field{"match", 2, At(&T::match)}, Field{"plugins", 3, At(&T::plugins)},
                 Field{"impossible", 4, At(&T::impossible)}, Field{"noRoom", 5, At(&T::no_room)});
};
template <>
struct Fields<webhook::ExemptionInFile> {
  using T = webhook::ExemptionInFile;
  static constexpr auto kTable = std::tuple(Field{"name", 1, At(&T::name)}, Field{"match", 2, At(&T::match)});
};
template <>
struct Fields<webhook::ShapeInFile> {
  using T = webhook::ShapeInFile;
  static constexpr auto kTable =
      std::tuple(Field{"name", 1, At(&T::name)}, Field{"labels", 2, At(&T::labels)}, Field{"taints", 3, At(&T::taints)},
                 Field{"allocatable", 4, At(&T::allocatable)});
};
template <>
struct Fields<webhook::PolicyFile> {
  using T = webhook::PolicyFile;
  static constexpr auto kTable =
      std::tuple(Field{"apiVersion", 1, At(&T::api_version)}, Field{"kind", 2, At(&T::kind)},
                 Field{"failClosed", 3, At(&T::fail_closed)}, Field{"judgeGated", 4, At(&T::judge_gated)},
                 Field{"maxStaleness", 5, At(&T::max_staleness)}, Field{"defaults", 6, At(&T::defaults)},
                 Field{"rules", 7, At(&T::rules)}, Field{"exemptions", 8, At(&T::exemptions)},
                 Field{"nodeShapes", 9, At(&T::node_shapes)}, Field{"transientTaints", 10, At(&T::transient_taints)});
};

}  // namespace ksched::api
