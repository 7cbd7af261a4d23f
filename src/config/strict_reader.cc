#include "config/strict_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "api/field_errors.h"

namespace ksched::config {
namespace {

// As many as the reference collects.
constexpr size_t kMaxErrors = 100;

// "profiles.plugins.score": fields without the positions in lists.
std::string FieldsOnly(const api::FieldPath& path) {
  if (path.kind() == api::FieldPath::Kind::kRoot) return {};
  std::string parent = FieldsOnly(*path.parent());
  if (path.kind() == api::FieldPath::Kind::kIndex) return parent;
  if (!parent.empty()) parent += '.';
  return parent.append(path.name());
}

std::string NumberText(const rapidjson::Value& json) {
  if (json.IsInt64()) return std::to_string(json.GetInt64());
  if (json.IsUint64()) return std::to_string(json.GetUint64());
  return fmt::format("{}", json.GetDouble());
}

// A whole number. YAML's 1.0 is one, too: the reference sees it after its way through JSON, as 1.
std::optional<int64_t> WholeNumber(const rapidjson::Value& json) {
  if (json.IsInt64()) return json.GetInt64();
  if (!json.IsDouble()) return std::nullopt;
  const double number = json.GetDouble();
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!(std::abs(number) <= kExact) || number != std::trunc(number)) return std::nullopt;
  return static_cast<int64_t>(number);
}

}  // namespace

void StrictReader::WrongType(const rapidjson::Value& json, const api::FieldPath& path, const std::string& go_type) {
  if (type_errors_.size() >= kMaxErrors) return;
  std::string what = "object";
  if (json.IsString()) what = "string";
  if (json.IsBool()) what = "bool";
  if (json.IsArray()) what = "array";
  if (json.IsNumber()) {
    what = "number";
    // Of numbers that do not fit into a number the value matters.
    if (go_type.starts_with("int") || go_type.starts_with("float")) what += " " + NumberText(json);
  }
  std::string message = "json: cannot unmarshal " + what + " into Go ";
  const std::string fields = FieldsOnly(path);
  if (fields.empty()) {
    message += "value";
  } else {
    const std::string_view name = struct_name.substr(struct_name.find('.') + 1);
    message.append("struct field ").append(name).append(".").append(fields);
  }
  type_errors_.push_back({path.ToString(), message + " of type " + go_type});
}

void StrictReader::Unknown(const api::FieldPath& path) {
  if (unknown_fields_.size() >= kMaxErrors) return;
  std::string field = path.ToString();
  std::string message = "unknown field " + api::Quote(field);
  unknown_fields_.push_back({std::move(field), std::move(message)});
}

void StrictReader::Malformed(const api::FieldPath& path, std::string message) {
  if (type_errors_.size() < kMaxErrors) type_errors_.push_back({path.ToString(), std::move(message)});
}

std::vector<const rapidjson::Value::Member*> SortedMembers(const rapidjson::Value& object) {
  std::vector<const rapidjson::Value::Member*> members;
  members.reserve(object.MemberCount());
  for (const rapidjson::Value::Member& member : object.GetObject()) members.push_back(&member);
  const auto name = [](const rapidjson::Value::Member* member) {
    return std::string_view(member->name.GetString(), member->name.GetStringLength());
  };
  std::stable_sort(members.begin(), members.end(), [&](const auto* a, const auto* b) { return name(a) < name(b); });
  return members;
}

void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, std::string& out) {
  if (!json.IsString()) {
    return reader.WrongType(json, path, reader.field_type.empty() ? "string" : std::string(reader.field_type));
  }
  out.assign(json.GetString(), json.GetStringLength());
}

void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, bool& out) {
  if (!json.IsBool()) return reader.WrongType(json, path, "bool");
  out = json.GetBool();
}

void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, int32_t& out) {
  const std::optional<int64_t> number = WholeNumber(json);
  if (!number || *number < std::numeric_limits<int32_t>::min() || *number > std::numeric_limits<int32_t>::max()) {
    return reader.WrongType(json, path, "int32");
  }
  out = static_cast<int32_t>(*number);
}

void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, int64_t& out) {
  const std::optional<int64_t> number = WholeNumber(json);
  if (!number) return reader.WrongType(json, path, "int64");
  out = *number;
}

void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, float& out) {
  if (!json.IsNumber() || !(std::abs(json.GetDouble()) <= std::numeric_limits<float>::max())) {
    return reader.WrongType(json, path, "float32");
  }
  out = static_cast<float>(json.GetDouble());
}

void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, api::StringMap& out) {
  if (!json.IsObject()) return reader.WrongType(json, path, "map[string]string");
  reader.field_type = {};
  for (const rapidjson::Value::Member* member : SortedMembers(json)) {
    std::string& value = out[std::string(member->name.GetString(), member->name.GetStringLength())];
    // The reference's path ends at the map.
    if (!member->value.IsNull()) ReadValue(member->value, path, reader, value);
  }
}

void ReadDurationValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader,
                       DurationNs& out) {
  std::string text;
  if (!json.IsString()) return reader.WrongType(json, path, "string");
  ReadValue(json, path, reader, text);
  Result<DurationNs> duration = ParseDuration(text);
  if (!duration) return reader.Malformed(path, duration.error().message);
  out = *duration;
}

}  // namespace ksched::config
