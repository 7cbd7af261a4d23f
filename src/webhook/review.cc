#include "webhook/review.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <utility>

#include "api/field_errors.h"
#include "api/json_window.h"

namespace ksched::webhook {
namespace {

using api::Json;

constexpr std::string_view kVersion = "admission.k8s.io/v1", kKind = "AdmissionReview";
constexpr std::string_view kOperations[] = {"CREATE", "UPDATE", "DELETE", "CONNECT"};  // in the order of Operation
constexpr size_t kMaxQuotedBytes = 64;

std::string_view TextOf(const Json& json) { return {json.GetString(), json.GetStringLength()}; }

std::string Quoted(std::string_view text) { return api::Quote(Shortened(std::string(text), kMaxQuotedBytes)); }

// Reads members of one object. The first thing that is wrong is kept; a member that is null is absent.
class Members {
 public:
  Members(const Json& object, std::string_view path, std::string& wrong)
      : object_(object), path_(path), wrong_(wrong) {}

  const Json* Find(const char* name) const {
    const auto member = object_.FindMember(name);
    return member == object_.MemberEnd() || member->value.IsNull() ? nullptr : &member->value;
  }
  const Json* Object(const char* name) const {
    const Json* value = Find(name);
    return value != nullptr && Is(value->IsObject(), name, "an object", *value) ? value : nullptr;
  }
  const Json* NeededObject(const char* name) const {
    const Json* value = Object(name);
    if (value == nullptr) Missing(name);
    return value;
  }
  std::string Text(const char* name) const {
    const Json* value = Find(name);
    if (value == nullptr || !Is(value->IsString(), name, "a string", *value)) return {};
    return std::string(TextOf(*value));
  }
  std::string NeededText(const char* name) const {
    std::string text = Text(name);
    if (text.empty()) Missing(name);
    return text;
  }
  bool Flag(const char* name) const {
    const Json* value = Find(name);
    return value != nullptr && Is(value->IsBool(), name, "a boolean", *value) && value->GetBool();
  }
  std::vector<std::string> Texts(const char* name) const {
    std::vector<std::string> texts;
    const Json* value = Find(name);
    if (value == nullptr || !Is(value->IsArray(), name, "an array", *value)) return texts;
    for (const Json& element : value->GetArray()) {
      const std::string at = fmt::format("{}[{}]", name, texts.size());
      if (!Is(element.IsString(), at, "a string", element)) return texts;
      texts.emplace_back(TextOf(element));
    }
    return texts;
  }

  void Wrong(std::string_view name, std::string_view what) const {
    if (wrong_.empty()) wrong_ = fmt::format("{}{}: {}", path_, name, what);
  }

 private:
  void Missing(const char* name) const { Wrong(name, "is missing"); }
  bool Is(bool fits, std::string_view name, std::string_view expected, const Json& value) const {
    if (!fits) Wrong(name, fmt::format("expected {}, found {}", expected, api::DescribeType(value)));
    return fits;
  }

  const Json& object_;
  std::string_view path_;  // "request."
  std::string& wrong_;
};

std::optional<Error> Parse(api::JsonParser& parser, std::string& body) {
  bool valid = true;
  const size_t good = api::Utf8Prefix(body, /*more=*/false, valid);
  if (good != body.size()) return Error{fmt::format("the body is no UTF-8, at byte {}", good)};
  const api::JsonOutcome outcome = parser.Parse(body.data(), body.size(), /*last=*/true);
  switch (outcome.kind) {
    case api::JsonOutcome::Kind::kValue:
      break;
    case api::JsonOutcome::Kind::kIncomplete:
      return Error{"the body is no JSON: it ends too early"};
    case api::JsonOutcome::Kind::kSyntax:
      return Error{fmt::format("the body is no JSON, at byte {}: {}", outcome.end, outcome.message)};
    case api::JsonOutcome::Kind::kDuplicate:
      return Error{fmt::format("duplicate key {}, at byte {}", Quoted(outcome.message), outcome.end)};
    case api::JsonOutcome::Kind::kLimit:
      return Error{fmt::format("the body is too much, at byte {}: {}", outcome.end, outcome.message)};
  }
  const size_t more = body.find_first_not_of(" \t\r\n", outcome.end);
  if (more != std::string::npos) return Error{fmt::format("the body goes on after its JSON, at byte {}", more)};
  if (!parser.root().IsObject()) return Error{"expected an object, found " + api::DescribeType(parser.root())};
  return std::nullopt;
}

void CheckType(const Members& review) {
  const std::string version = review.NeededText("apiVersion"), kind = review.NeededText("kind");
  if (version != kVersion) review.Wrong("apiVersion", fmt::format("{}: only {} is spoken", Quoted(version), kVersion));
  if (kind != kKind) review.Wrong("kind", fmt::format("{}: expected {}", Quoted(kind), kKind));
}

Operation ReadOperation(const Members& request) {
  const std::string name = request.NeededText("operation");
  for (size_t i = 0; i < std::size(kOperations); ++i) {
    if (kOperations[i] == name) return static_cast<Operation>(i);
  }
  request.Wrong("operation", Quoted(name) + " is none of CREATE, UPDATE, DELETE, CONNECT");
  return Operation::kCreate;
}

}  // namespace

Result<std::unique_ptr<Review>> Review::Read(std::string body) {
  std::unique_ptr<Review> review(new Review(std::move(body)));  // the constructor is private
  if (std::optional<Error> error = Parse(review->parser_, review->body_)) return *std::move(error);
  std::string wrong;
  const Members top(review->parser_.root(), "", wrong);
  CheckType(top);
  if (const Json* request = top.NeededObject("request")) review->ReadRequest(*request, wrong);
  if (!wrong.empty()) return Error{std::move(wrong)};
  return review;
}

void Review::ReadRequest(const Json& json, std::string& wrong) {
  const Members request(json, "request.", wrong);
  uid = request.NeededText("uid");
  if (const Json* value = request.NeededObject("kind")) {
    const Members of_kind(*value, "request.kind.", wrong);
    group = of_kind.Text("group");
    version = of_kind.NeededText("version");
    kind = of_kind.NeededText("kind");
  }
  if (const Json* value = request.NeededObject("resource")) {
    const Members of_resource(*value, "request.resource.", wrong);
    resource_group = of_resource.Text("group");
    of_resource.Text("version");
    resource = of_resource.NeededText("resource");
  }
  subresource = request.Text("subResource");
  operation = ReadOperation(request);
  ns = request.Text("namespace");
  name = request.Text("name");
  if (const Json* value = request.Object("userInfo")) {
    const Members info(*value, "request.userInfo.", wrong);
    user = info.Text("username");
    groups = info.Texts("groups");
  }
  dry_run = request.Flag("dryRun");
  object = request.Object("object");
  old_object = request.Object("oldObject");
}

}  // namespace ksched::webhook
