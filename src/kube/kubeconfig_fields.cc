#include "kube/kubeconfig_fields.h"

#include "kube/kubeconfig_base64.h"

namespace ksched::kube {
namespace {

using api::FieldPath;
using rapidjson::Value;

const char* TypeName(const Value& json) {
  switch (json.GetType()) {
    case rapidjson::kNullType:
      return "null";
    case rapidjson::kFalseType:
    case rapidjson::kTrueType:
      return "a bool";
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

void WrongType(const char* wanted, const Value& json, const FieldPath& path, FieldProblem& problem) {
  problem.Say(path, std::string("must be ") + wanted + ", not " + TypeName(json));
}

std::string_view Text(const Value& json) { return {json.GetString(), json.GetStringLength()}; }

void ReadString(const Value& json, std::string& out, const FieldPath& path, FieldProblem& problem) {
  if (json.IsString()) {
    out = Text(json);
  } else if (!json.IsNull()) {
    WrongType("a string", json, path, problem);
  }
}

void ReadStrings(const Value& json, std::vector<std::string>& out, const FieldPath& path, FieldProblem& problem) {
  if (json.IsNull()) return;
  if (!json.IsArray()) return WrongType("a list of strings", json, path, problem);
  out.clear();
  for (const Value& item : json.GetArray()) {
    const FieldPath at = path.Index(out.size());
    ReadString(item, out.emplace_back(), at, problem);
  }
}

}  // namespace

void FieldProblem::Say(const FieldPath& path, const std::string& what) {
  if (!message.empty()) return;
  if (const int line = line_of ? line_of(path) : 0; line > 0) message = "line " + std::to_string(line) + ": ";
  if (const std::string field = path.ToString(); !field.empty()) message += field + ": ";
  message += what;
}

ObjectFields::ObjectFields(const Value& json, const FieldPath& path, FieldProblem& problem)
    : json_(json), path_(path), problem_(problem) {
  if (!json.IsObject() && !json.IsNull()) WrongType("an object", json, path, problem);
}

const Value* ObjectFields::Find(const char* name) const {
  if (!json_.IsObject()) return nullptr;
  const auto member = json_.FindMember(name);
  return member == json_.MemberEnd() || member->value.IsNull() ? nullptr : &member->value;
}

void ObjectFields::Read(const char* name, std::string& out) const {
  if (const Value* json = Find(name); json != nullptr) ReadString(*json, out, path_.Child(name), problem_);
}

void ObjectFields::Read(const char* name, bool& out) const {
  const Value* json = Find(name);
  if (json == nullptr) return;
  if (!json->IsBool()) return WrongType("a bool", *json, path_.Child(name), problem_);
  out = json->GetBool();
}

void ObjectFields::Read(const char* name, std::vector<std::string>& out) const {
  if (const Value* json = Find(name); json != nullptr) ReadStrings(*json, out, path_.Child(name), problem_);
}

void ObjectFields::Read(const char* name, std::map<std::string, std::string>& out) const {
  const Value* json = Find(name);
  if (json == nullptr) return;
  const FieldPath path = path_.Child(name);
  if (!json->IsObject()) return WrongType("an object", *json, path, problem_);
  for (const auto& member : json->GetObject()) {
    ReadString(member.value, out[std::string(Text(member.name))], path.Key(Text(member.name)), problem_);
  }
}

void ObjectFields::Read(const char* name, std::map<std::string, std::vector<std::string>>& out) const {
  const Value* json = Find(name);
  if (json == nullptr) return;
  const FieldPath path = path_.Child(name);
  if (!json->IsObject()) return WrongType("an object", *json, path, problem_);
  for (const auto& member : json->GetObject()) {
    ReadStrings(member.value, out[std::string(Text(member.name))], path.Key(Text(member.name)), problem_);
  }
}

void ObjectFields::ReadBase64(const char* name, std::string& out) const {
  std::string text;
  Read(name, text);
  Result<std::string> bytes = DecodeBase64(text);
  if (bytes) {
    out = std::move(*bytes);
  } else {
    problem_.Say(path_.Child(name), bytes.error().message);
  }
}

void ObjectFields::Object(const char* name, const Visit& visit) const {
  const Value* json = Find(name);
  if (json == nullptr) return;
  const FieldPath path = path_.Child(name);
  visit(ObjectFields(*json, path, problem_));
}

void ObjectFields::List(const char* name, const Visit& visit) const {
  const Value* json = Find(name);
  if (json == nullptr) return;
  const FieldPath list = path_.Child(name);
  if (!json->IsArray()) return WrongType("a list", *json, list, problem_);
  size_t index = 0;
  for (const Value& item : json->GetArray()) {
    const FieldPath path = list.Index(index++);
    visit(ObjectFields(item, path, problem_));
  }
}

}  // namespace ksched::kube
