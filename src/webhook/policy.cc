#include "webhook/policy.h"

#include <algorithm>
#include <utility>

#include "api/document.h"
#include "api/label_selector.h"
#include "webhook/policy_reader.h"

namespace ksched::webhook {
namespace {

// Set and taken away by node lifecycle, cloud controllers and the cluster autoscaler.
constexpr std::string_view kTransientTaints[] = {"node.kubernetes.io/*", "node.cloudprovider.kubernetes.io/*",
                                                 "ToBeDeletedByClusterAutoscaler"};

bool Contains(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

// The pattern is a key, or the beginning of one and a "*".
bool MatchesPattern(std::string_view pattern, std::string_view key) {
  if (!pattern.ends_with('*')) return key == pattern;
  pattern.remove_suffix(1);
  return key.starts_with(pattern);
}

}  // namespace

bool SubjectMatch::Matches(const Subject& subject) const {
  if (!namespaces.empty() && !Contains(namespaces, subject.ns)) return false;
  if (namespace_selector) {
    if (subject.ns_labels == nullptr || !api::Matches(*namespace_selector, *subject.ns_labels)) return false;
  }
  if (object_selector && !api::Matches(*object_selector, subject.labels)) return false;
  if (users.empty() && groups.empty()) return true;
  return Contains(users, subject.user) ||
         std::any_of(subject.groups.begin(), subject.groups.end(),
                     [&](const std::string& group) { return Contains(groups, group); });
}

Policy::Policy() = default;

Result<Policy> Policy::Load(const std::string& file) {
  PolicyReader reader;
  api::Problems problems;
  Result<void> read = api::ReadDocuments(
      file, [&](const api::Document& document) { reader.Visit(document); }, problems);
  if (!read) return std::move(read).error();
  return std::move(reader).Finish(file, std::move(problems));
}

Result<Policy> Policy::Read(std::string text, const std::string& name) {
  PolicyReader reader;
  api::Problems problems;
  api::ReadDocumentsFromText(
      std::move(text), name, [&](const api::Document& document) { reader.Visit(document); }, problems);
  return std::move(reader).Finish(name, std::move(problems));
}

Action Policy::ActionFor(Question question, const Subject& subject, std::span<const std::string_view> plugins) const {
  for (const PolicyRule& rule : rules_) {
    const std::optional<Action>& action = question == Question::kImpossible ? rule.impossible : rule.no_room;
    if (!action || !rule.match.Matches(subject)) continue;
    const bool concerned =
        rule.plugins.empty() || std::any_of(plugins.begin(), plugins.end(),
                                            [&](std::string_view plugin) { return rule.plugins.contains(plugin); });
    if (concerned) return *action;
  }
  return question == Question::kImpossible ? default_impossible_ : default_no_room_;
}

const std::string* Policy::ExemptionOf(const Subject& subject) const {
  const auto found = std::find_if(exemptions_.begin(), exemptions_.end(),
                                  [&](const Exemption& exemption) { return exemption.match.Matches(subject); });
  return found == exemptions_.end() ? nullptr : &found->name;
}

bool Policy::IsTransient(std::string_view taint_key) const {
  const auto matches = [&](std::string_view pattern) { return MatchesPattern(pattern, taint_key); };
  return std::any_of(std::begin(kTransientTaints), std::end(kTransientTaints), matches) ||
         std::any_of(transient_taints_.begin(), transient_taints_.end(), matches);
}

}  // namespace ksched::webhook
