#include "api/reporter.h"

#include "api/json_values.h"

namespace ksched::api {
namespace {

constexpr size_t kMaxProblems = 100;

// "Pod default/web", as far as the document says it: it may be invalid anywhere.
std::string NameOf(const rapidjson::Value& root) {
  std::string text = TextAt(root, {"kind"});
  std::string name = TextAt(root, {"metadata", "name"});
  if (name.empty()) name = TextAt(root, {"metadata", "generateName"});
  if (name.empty()) return text;
  const std::string ns = TextAt(root, {"metadata", "namespace"});
  if (!text.empty()) text += ' ';
  return text + (ns.empty() ? name : ns + "/" + name);
}

std::string_view TypeName(const rapidjson::Value& json) {
  switch (json.GetType()) {
    case rapidjson::kNullType:
      return "null";
    case rapidjson::kFalseType:
    case rapidjson::kTrueType:
      return "a boolean";
    case rapidjson::kObjectType:
      return "an object";
    case rapidjson::kArrayType:
      return "a list";
    case rapidjson::kStringType:
      return "a string";
    case rapidjson::kNumberType:
      return "a number";
  }
  return "something else";
}

}  // namespace

void ProblemReporter::Add(const FieldPath& path, const FieldPath& at, std::string message) {
  if (++count_ > kMaxProblems) return;
  Problem problem;
  problem.file = document_.file();
  problem.position = document_.Locate(at);
  problem.object = NameOf(document_.root());
  problem.field = path.ToString();
  problem.message = std::move(message);
  problems_.push_back(std::move(problem));
}

void ProblemReporter::WrongType(const FieldPath& path, std::string_view expected, const rapidjson::Value& found) {
  std::string message = "expected ";
  message.append(expected).append(", found ").append(TypeName(found));
  Add(path, std::move(message));
}

bool ProblemReporter::Finish() {
  if (count_ > kMaxProblems) {
    const size_t more = count_ - kMaxProblems;
    count_ = 0;
    Add(FieldPath(), std::to_string(more) + " more problems in this object");
  }
  return count_ != 0;
}

}  // namespace ksched::api
