#include "webhook/policy_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "api/field_errors.h"
#include "api/field_reader.h"
#include "api/unknown_fields.h"
#include "config/go_text.h"
#include "webhook/policy_file.h"

namespace ksched::webhook {
namespace {

constexpr int64_t kDefaultPods = 110;  // a kubelet's

// False, and reported, unless the document says that it is what is read here.
bool CheckType(const api::Document& document, api::ProblemReporter& reporter) {
  const api::FieldPath root;
  const auto check = [&](const char* field, const char* expected) {
    const api::FieldPath path = root.Child(field);
    const rapidjson::Value* value = api::FindField(document.root(), {field});
    if (value == nullptr) return reporter.Add(path, api::Required(expected));
    if (!value->IsString()) return reporter.WrongType(path, "a string", *value);
    const std::string_view text(value->GetString(), value->GetStringLength());
    if (text != expected) reporter.Add(path, api::NotSupported(text, {expected}));
  };
  check("apiVersion", kPolicyVersion);
  check("kind", kPolicyKind);
  return !reporter.Finish();
}

// Whether `field` is `outer` or lies in it.
bool LiesIn(std::string_view field, std::string_view outer) {
  return field.starts_with(outer) &&
         (field.size() == outer.size() || field[outer.size()] == '.' || field[outer.size()] == '[');
}

// What could not be read has no value: what is found wrong with that says nothing new.
void AddChecks(api::Problems& problems, const api::Problems& checks) {
  const size_t read = problems.size();
  for (const api::Problem& check : checks) {
    const bool known = std::any_of(problems.begin(), problems.begin() + static_cast<ptrdiff_t>(read),
                                   [&](const api::Problem& problem) {
                                     return LiesIn(check.field, problem.field) || LiesIn(problem.field, check.field);
                                   });
    if (!known || check.field.empty()) problems.push_back(check);
  }
}

// In the order of the file; what is of no field last.
void Sort(api::Problems& problems) {
  const auto line = [](const api::Problem& problem) {
    return problem.field.empty() ? std::numeric_limits<int>::max() : problem.position.line;
  };
  std::stable_sort(problems.begin(), problems.end(), [&](const auto& a, const auto& b) { return line(a) < line(b); });
}

std::optional<Action> ActionOf(const std::optional<std::string>& name) {
  return name ? ActionNamed(*name) : std::nullopt;
}

NodeShape MakeShape(ShapeInFile& shape) {
  NodeShape made{.name = std::move(shape.name), .node = {}};
  api::Node& node = made.node;
  node.metadata.name = made.name;
  node.metadata.labels = std::move(shape.labels);
  node.metadata.labels.emplace("kubernetes.io/hostname", made.name);  // every kubelet sets it
  node.spec.taints = std::move(shape.taints);
  node.status.allocatable = std::move(shape.allocatable);
  node.status.allocatable.emplace("pods", api::Quantity::FromUnits(kDefaultPods));
  for (auto& [resource, quantity] : node.status.allocatable) quantity.RoundUpToMilli();
  node.status.has_allocatable = true;
  node.status.capacity = node.status.allocatable;
  return made;
}

}  // namespace

void PolicyReader::Visit(const api::Document& document) {
  api::Problems reading, checks;
  api::ProblemReporter reporter(document, reading), check_reporter(document, checks);
  if (documents_++ > 0) {
    reporter.Add(api::FieldPath(), "a second document: a policy file has one");
  } else if (CheckType(document, reporter)) {
    PolicyFile file;
    api::ReadJson(document.root(), file, api::FieldPath(), reporter);
    api::ReportUnknownFields<PolicyFile>(document.root(), api::FieldPath(), reporter);
    CheckPolicyFile(file, check_reporter);
    check_reporter.Finish();
    reporter.Finish();
    if (reading.empty() && checks.empty()) policy_ = Build(std::move(file));
  }
  AddChecks(reading, checks);
  Sort(reading);
  problems_.insert(problems_.end(), reading.begin(), reading.end());
}

Policy PolicyReader::Build(PolicyFile file) {
  Policy policy;
  policy.fail_closed_ = file.fail_closed;
  policy.judge_gated_ = file.judge_gated;
  if (file.max_staleness) {
    const std::chrono::nanoseconds staleness(config::ParseDuration(*file.max_staleness).value());
    policy.max_staleness_ = std::chrono::duration_cast<std::chrono::milliseconds>(staleness);
  }
  policy.default_impossible_ = ActionOf(file.defaults.impossible).value_or(policy.default_impossible_);
  policy.default_no_room_ = ActionOf(file.defaults.no_room).value_or(policy.default_no_room_);
  for (RuleInFile& rule : file.rules) {
    policy.rules_.push_back({.name = std::move(rule.name),
                             .match = std::move(rule.match),
                             .plugins = {rule.plugins.begin(), rule.plugins.end()},
                             .impossible = ActionOf(rule.impossible),
                             .no_room = ActionOf(rule.no_room)});
  }
  for (ExemptionInFile& exemption : file.exemptions) {
    policy.exemptions_.push_back({.name = std::move(exemption.name), .match = std::move(exemption.match)});
  }
  for (ShapeInFile& shape : file.node_shapes) policy.node_shapes_.push_back(MakeShape(shape));
  policy.transient_taints_ = std::move(file.transient_taints);
  return policy;
}

Result<Policy> PolicyReader::Finish(const std::string& name, api::Problems problems) && {
  problems_.insert(problems_.end(), problems.begin(), problems.end());
  if (problems_.empty() && policy_) return *std::move(policy_);
  if (problems_.empty()) return Error{(name == "-" ? "<stdin>" : name) + ": there is no " + kPolicyKind + " in it"};
  std::string message;
  for (api::Problem& problem : problems_) {
    problem.object.clear();  // there is one only
    message += (message.empty() ? "" : "\n") + problem.ToString();
  }
  return Error{std::move(message)};
}

}  // namespace ksched::webhook
