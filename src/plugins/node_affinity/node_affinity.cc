#include "plugins/node_affinity/node_affinity.h"

#include <algorithm>
#include <iterator>

#include "plugins/common/node_selector_errors.h"
#include "plugins/common/normalize_score.h"
#include "plugins/node_affinity/signature.h"

namespace ksched {
namespace {

using NodeNames = std::vector<std::string>;  // sorted, unique

const api::NodeAffinity* NodeAffinityOf(const PodClass& pod) {
  const auto& affinity = pod.spec.affinity;
  return affinity && affinity->node_affinity ? &*affinity->node_affinity : nullptr;
}

const api::NodeSelector* RequiredOf(const PodClass& pod) {
  const api::NodeAffinity* affinity = NodeAffinityOf(pod);
  return affinity != nullptr && affinity->required ? &*affinity->required : nullptr;
}

std::span<const api::PreferredSchedulingTerm> PreferredOf(const PodClass& pod) {
  const api::NodeAffinity* affinity = NodeAffinityOf(pod);
  if (affinity == nullptr) return {};
  return affinity->preferred;
}

NodeNames Sorted(NodeNames names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// The nodes that a term names: those in all of its lists of names. Absent: it has none, and may match any node.
std::optional<NodeNames> NamesIn(const api::NodeSelectorTerm& term) {
  std::optional<NodeNames> names;
  for (const api::NodeSelectorRequirement& field : term.match_fields) {
    if (field.key != "metadata.name" || field.op != "In") continue;
    NodeNames listed = Sorted(field.values);
    if (names) {
      NodeNames both;
      std::set_intersection(names->begin(), names->end(), listed.begin(), listed.end(), std::back_inserter(both));
      listed = std::move(both);
    }
    names = std::move(listed);
  }
  return names;
}

// The nodes that any of the terms names. Absent: there are no terms, or one that may match any node.
std::optional<NodeNames> NamesIn(const api::NodeSelector& selector) {
  if (selector.terms.empty()) return std::nullopt;
  NodeNames all;
  for (const api::NodeSelectorTerm& term : selector.terms) {
    std::optional<NodeNames> names = NamesIn(term);
    if (!names) return std::nullopt;
    all.insert(all.end(), names->begin(), names->end());
  }
  return Sorted(std::move(all));
}

}  // namespace

Result<std::unique_ptr<Plugin>> NodeAffinity::Create(const config::PluginArgs& args, const PluginContext& context) {
  const auto* given = std::get_if<config::NodeAffinityArgs>(&args);
  if (given == nullptr) return Error{"args are not of type NodeAffinityArgs"};
  api::NodeAffinity added = given->added_affinity.value_or(api::NodeAffinity());
  const api::FieldPath root, path = root.Child("addedAffinity");
  config::FieldErrors errors;
  if (added.required) {
    AppendErrors(*added.required, path.Child("requiredDuringSchedulingIgnoredDuringExecution"), errors);
  }
  AppendErrors(added.preferred, path.Child("preferredDuringSchedulingIgnoredDuringExecution"), errors);
  if (!errors.empty()) return Error{Aggregate(errors)};
  return std::unique_ptr<Plugin>(std::make_unique<NodeAffinity>(std::move(added), context));
}

NodeAffinity::NodeAffinity(api::NodeAffinity added, const PluginContext& context)
    : id_(context.id),
      state_(context.state),
      reasons_(context.reasons),
      added_(std::move(added)),
      other_node_(reasons_.Intern("node(s) didn't match Pod's node affinity/selector")),
      enforced_(reasons_.Intern("node(s) didn't match scheduler-enforced node affinity")),
      conflict_(reasons_.Intern("pod affinity terms conflict")) {
  if (added_.required) added_required_.Compile(*added_.required);
  added_preferred_.Compile(added_.preferred);
  for (const NodeSelectorTerms* terms : {&added_required_, &added_preferred_}) {
    terms->ForEachLabelKey([this](const std::string& key) { state_.UseLabelKey(key); });
  }
}

// addedAffinity by metadata.name tells nodes of one class apart: then answers are kept for each node.
Dependencies NodeAffinity::dependencies() const {
  const auto of = [](const NodeSelectorTerms& added) {
    return added.reads_names() ? kNodeClassChanged | kNodeObjectChanged : kNodeClassChanged;
  };
  return {
      .filter = of(added_required_), .score = of(added_preferred_), .cacheable_filter = true, .cacheable_score = true};
}

Status NodeAffinity::PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const {
  const api::NodeSelector* required = RequiredOf(*pod.pod_class);
  if (required == nullptr && !added_.required && pod.pod_class->spec.node_selector.empty()) return Status::Skip();
  auto& programs = cycle.Write<Programs>(id_);
  if (programs.required_serial != pod.pod_class->serial) {
    CompileRequired(*pod.pod_class, programs);
  }
  if (required == nullptr) return {};
  std::optional<NodeNames> names = NamesIn(*required);
  if (!names) return {};
  // Terms that all contradict themselves: no node can match.
  if (names->empty()) return Status::UnschedulableAndUnresolvable(conflict_);
  result.node_names = std::move(names);
  return {};
}

Status NodeAffinity::Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const {
  if (!MatchesAdded(node.node())) return Status::UnschedulableAndUnresolvable(enforced_);
  bool matches = false;
  if (cycle.pre_filtered.Has(id_)) {
    matches = cycle.Read<Programs>(id_).required.Matches(node.node());
  } else {  // the profile has no PreFilter of this plugin
    Programs own;
    CompileRequired(*pod.pod_class, own);
    matches = own.required.Matches(node.node());
  }
  return matches ? Status() : Status::UnschedulableAndUnresolvable(other_node_);
}

Status NodeAffinity::PreScore(CycleState& cycle, const PodInfo& pod, std::span<const NodeId>) const {
  if (PreferredOf(*pod.pod_class).empty() && added_.preferred.empty()) return Status::Skip();
  auto& programs = cycle.Write<Programs>(id_);
  if (programs.preferred_serial != pod.pod_class->serial) CompilePreferred(*pod.pod_class, programs);
  if (programs.preferred_problems.empty()) return {};
  return {Code::kError, reasons_.Intern(programs.preferred_problems)};
}

Status NodeAffinity::Score(const CycleState& cycle, const PodInfo& pod, const NodeView& node, int64_t& score) const {
  score = added_preferred_.WeightOfMatching(node.node());
  if (cycle.pre_scored.Has(id_)) {
    score += cycle.Read<Programs>(id_).preferred.WeightOfMatching(node.node());
    return {};
  }
  Programs own;  // the profile has no PreScore of this plugin
  CompilePreferred(*pod.pod_class, own);
  if (!own.preferred_problems.empty()) return {Code::kError, reasons_.Intern(own.preferred_problems)};
  score += own.preferred.WeightOfMatching(node.node());
  return {};
}

Status NodeAffinity::NormalizeScore(const CycleState&, const PodInfo&, std::span<int64_t> scores) const {
  DefaultNormalizeScore(kMaxNodeScore, /*reverse=*/false, scores);
  return {};
}

std::vector<ClusterEventWithHint> NodeAffinity::EventsToRegister() const {
  return {{{EventResource::kNode, kAdd | kUpdateNodeLabel},
           [this](const PodInfo& pod, const EventObjects& objects) { return AfterNodeChange(pod, objects); }}};
}

bool NodeAffinity::SignPod(const PodInfo& pod, std::string& signature) const {
  AppendSignedNodeAffinity(pod.pod_class->spec, signature);
  return true;
}

void NodeAffinity::CompileRequired(const PodClass& pod, Programs& programs) const {
  programs.required.Compile(pod.spec);
  programs.required.ForEachLabelKey([this](const std::string& key) { state_.UseLabelKey(key); });
  programs.required_serial = pod.serial;
}

void NodeAffinity::CompilePreferred(const PodClass& pod, Programs& programs) const {
  const std::span<const api::PreferredSchedulingTerm> terms = PreferredOf(pod);
  programs.preferred.Compile(terms);
  programs.preferred.ForEachLabelKey([this](const std::string& key) { state_.UseLabelKey(key); });
  programs.preferred_problems = programs.preferred.has_invalid() ? Problems(terms) : std::string();
  programs.preferred_serial = pod.serial;
}

// An error only where an invalid term leaves the answer open.
Result<bool> NodeAffinity::MatchesRequired(const PodInfo& pod, const api::Node& node) const {
  RequiredNodeAffinity required;
  required.Compile(pod.pod_class->spec);
  if (required.Matches(node)) return true;
  std::string problems = required.ProblemsIfUnmatched(node);
  if (!problems.empty()) return Error{std::move(problems)};
  return false;
}

// A node that matches now: one that came, or one that did not match before.
Result<QueueingHint> NodeAffinity::AfterNodeChange(const PodInfo& pod, const EventObjects& objects) const {
  if (!MatchesAdded(*objects.new_node)) return QueueingHint::kSkip;
  const Result<bool> matches = MatchesRequired(pod, *objects.new_node);
  if (!matches) return matches.error();
  if (!*matches) return QueueingHint::kSkip;
  if (objects.old_node == nullptr) return QueueingHint::kQueue;
  const Result<bool> matched = MatchesRequired(pod, *objects.old_node);
  if (!matched) return matched.error();
  return *matched ? QueueingHint::kSkip : QueueingHint::kQueue;
}

}  // namespace ksched
