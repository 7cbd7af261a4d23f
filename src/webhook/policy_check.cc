// What is wrong with the values of a policy file.
#include <algorithm>
#include <set>

#include "api/field_errors.h"
#include "api/label_selector.h"
#include "api/validation_parts.h"
#include "config/defaults.h"
#include "config/go_text.h"
#include "webhook/policy_file.h"

namespace ksched::webhook {
namespace {

using api::FieldPath;
using api::Validation;

constexpr std::string_view kActionNames[] = {"deny", "warn", "audit", "ignore"};  // in the order of Action
constexpr int64_t kNsPerMs = 1'000'000;

void CheckAction(const std::optional<std::string>& action, const FieldPath& path, const Validation& v) {
  if (!action || ActionNamed(*action)) return;
  v.reporter.Add(path, api::NotSupported(*action, {"deny", "warn", "audit", "ignore"}));
}

// Names are there, unique within their list, and may be those of objects: a shape's is its node's.
void CheckName(const std::string& name, const FieldPath& path, std::set<std::string>& seen, const Validation& v) {
  if (name.empty()) return v.reporter.Add(path, api::Required());
  v.AddInvalid(path, name, api::CheckDns1123Subdomain(name));
  if (!seen.insert(name).second) v.reporter.Add(path, api::Duplicate(name));
}

void CheckTexts(const std::vector<std::string>& texts, const FieldPath& path, const Validation& v) {
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) v.reporter.Add(path.Index(i), api::Required());
  }
}

void CheckMatch(const SubjectMatch& match, const FieldPath& path, const Validation& v) {
  const FieldPath namespaces = path.Child("namespaces");
  for (size_t i = 0; i < match.namespaces.size(); ++i) {
    v.AddInvalid(namespaces.Index(i), match.namespaces[i], api::CheckDns1123Label(match.namespaces[i]));
  }
  api::ValidateLabelSelector(match.namespace_selector, path.Child("namespaceSelector"), v);
  api::ValidateLabelSelector(match.object_selector, path.Child("objectSelector"), v);
  CheckTexts(match.users, path.Child("users"), v);
  CheckTexts(match.groups, path.Child("groups"), v);
}

bool HasCondition(const SubjectMatch& match) {
  const auto selects = [](const std::optional<api::LabelSelector>& s) { return s && !api::MatchesEverything(*s); };
  return !match.namespaces.empty() || selects(match.namespace_selector) || selects(match.object_selector) ||
         !match.users.empty() || !match.groups.empty();
}

void CheckPlugins(const std::vector<std::string>& plugins, const FieldPath& path, const Validation& v) {
  const std::vector<config::Plugin> known = config::DefaultPlugins(config::FeatureGates()).multi_point.enabled;
  for (size_t i = 0; i < plugins.size(); ++i) {
    const std::string& name = plugins[i];
    if (std::none_of(known.begin(), known.end(), [&](const config::Plugin& plugin) { return plugin.name == name; })) {
      v.reporter.Add(path.Index(i), api::Invalid(name, "kube-scheduler has no such plugin by default"));
    }
  }
}

void CheckRules(const std::vector<RuleInFile>& rules, const FieldPath& path, const Validation& v) {
  std::set<std::string> seen;
  for (size_t i = 0; i < rules.size(); ++i) {
    const RuleInFile& rule = rules[i];
    const FieldPath at = path.Index(i);
    CheckName(rule.name, at.Child("name"), seen, v);
    CheckMatch(rule.match, at.Child("match"), v);
    CheckPlugins(rule.plugins, at.Child("plugins"), v);
    CheckAction(rule.impossible, at.Child("impossible"), v);
    CheckAction(rule.no_room, at.Child("noRoom"), v);
    if (!rule.impossible && !rule.no_room) v.reporter.Add(at, api::Required("one of impossible and noRoom, or both"));
  }
}

void CheckExemptions(const std::vector<ExemptionInFile>& exemptions, const FieldPath& path, const Validation& v) {
  std::set<std::string> seen;
  for (size_t i = 0; i < exemptions.size(); ++i) {
    const FieldPath at = path.Index(i);
    const FieldPath match = at.Child("match");
    CheckName(exemptions[i].name, at.Child("name"), seen, v);
    CheckMatch(exemptions[i].match, match, v);
    if (HasCondition(exemptions[i].match)) continue;
    v.reporter.Add(match, api::Required("without a condition everything would be exempt"));
  }
}

void CheckAllocatable(const api::ResourceList& allocatable, const FieldPath& path, const Validation& v) {
  for (const auto& [name, quantity] : allocatable) {
    const FieldPath at = path.Key(name);
    v.AddInvalid(at, name, api::CheckLabelKey(name));
    if (api::IsLabelKey(name) && name.find('/') == std::string::npos && !api::IsStandardResource(name)) {
      v.reporter.Add(at, api::Invalid(name, "must be a standard resource type or fully qualified"));
    }
    api::ValidateQuantity(name, quantity, at, v);
  }
  for (const char* needed : {"cpu", "memory"}) {
    if (!allocatable.contains(needed)) v.reporter.Add(path.Key(needed), api::Required());
  }
}

void CheckShapes(const std::vector<ShapeInFile>& shapes, const FieldPath& path, const Validation& v) {
  std::set<std::string> seen;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const FieldPath at = path.Index(i);
    CheckName(shapes[i].name, at.Child("name"), seen, v);
    api::ValidateLabels(shapes[i].labels, at.Child("labels"), v);
    api::ValidateTaints(shapes[i].taints, at.Child("taints"), v);
    CheckAllocatable(shapes[i].allocatable, at.Child("allocatable"), v);
  }
}

void CheckTransientTaints(const std::vector<std::string>& taints, const FieldPath& path, const Validation& v) {
  for (size_t i = 0; i < taints.size(); ++i) {
    const std::string& taint = taints[i];
    if (taint == "*") {
      v.reporter.Add(path.Index(i), api::Invalid(taint, "every taint would be transient"));
      continue;
    }
    // A prefix is fine if a key can begin so.
    const std::string key = taint.ends_with('*') ? taint.substr(0, taint.size() - 1) + "a" : taint;
    v.AddInvalid(path.Index(i), taint, api::CheckLabelKey(key));
  }
}

void CheckStaleness(const std::optional<std::string>& text, const FieldPath& path, const Validation& v) {
  if (!text) return;
  const Result<config::DurationNs> duration = config::ParseDuration(*text);
  if (!duration) return v.reporter.Add(path, api::Invalid(*text, duration.error().message));
  if (*duration < kNsPerMs) v.reporter.Add(path, api::Invalid(*text, "must be at least 1ms"));
}

}  // namespace

std::optional<Action> ActionNamed(std::string_view name) {
  const auto* const found = std::find(std::begin(kActionNames), std::end(kActionNames), name);
  if (found == std::end(kActionNames)) return std::nullopt;
  return static_cast<Action>(found - std::begin(kActionNames));
}

void CheckPolicyFile(const PolicyFile& file, api::ProblemReporter& reporter) {
  const Validation v{.reporter = reporter};
  const FieldPath root;
  const FieldPath defaults = root.Child("defaults");
  CheckStaleness(file.max_staleness, root.Child("maxStaleness"), v);
  CheckAction(file.defaults.impossible, defaults.Child("impossible"), v);
  CheckAction(file.defaults.no_room, defaults.Child("noRoom"), v);
  CheckRules(file.rules, root.Child("rules"), v);
  CheckExemptions(file.exemptions, root.Child("exemptions"), v);
  CheckShapes(file.node_shapes, root.Child("nodeShapes"), v);
  CheckTransientTaints(file.transient_taints, root.Child("transientTaints"), v);
}

}  // namespace ksched::webhook
