#include "config/field_error.h"

#include <set>

#include "api/field_errors.h"
#include "config/go_text.h"

namespace ksched::config {
namespace {

FieldError Make(const api::FieldPath& path, std::string_view kind, const std::string* value, std::string_view detail) {
  FieldError error{path.ToString(), {}};
  error.message = error.field + ": ";
  error.message += kind;
  if (value != nullptr) error.message += ": " + *value;
  if (!detail.empty()) error.message.append(": ").append(detail);
  return error;
}

}  // namespace

BadValue::BadValue(std::string_view text) : text_(api::Quote(text)) {}

BadValue BadValue::Json(std::string json) {
  BadValue value;
  value.text_ = std::move(json);
  return value;
}

BadValue BadValue::Named(std::string_view text) { return Json(JsonQuote(text)); }

BadValue BadValue::List(const std::vector<std::string>& values) {
  if (values.empty()) return Json("null");
  std::string json;
  for (const std::string& value : values) json += (json.empty() ? "[" : ",") + JsonQuote(value);
  return Json(json + "]");
}

FieldError Invalid(const api::FieldPath& path, const BadValue& value, std::string_view detail) {
  return Make(path, "Invalid value", &value.text(), detail);
}
FieldError Required(const api::FieldPath& path, std::string_view detail) {
  return Make(path, "Required value", nullptr, detail);
}
FieldError Forbidden(const api::FieldPath& path, std::string_view detail) {
  return Make(path, "Forbidden", nullptr, detail);
}
FieldError Duplicate(const api::FieldPath& path, const BadValue& value) {
  return Make(path, "Duplicate value", &value.text(), {});
}
FieldError NotSupported(const api::FieldPath& path, const BadValue& value, const std::vector<std::string_view>& valid) {
  std::string detail;
  for (const std::string_view text : valid) detail += (detail.empty() ? "supported values: " : ", ") + api::Quote(text);
  return Make(path, "Unsupported value", &value.text(), detail);
}

std::string Aggregate(const FieldErrors& errors) {
  std::set<std::string_view> seen;
  std::string text;
  for (const FieldError& error : errors) {
    if (!seen.insert(error.message).second) continue;
    if (!text.empty()) text += ", ";
    text += error.message;
  }
  return seen.size() == 1 ? text : "[" + text + "]";
}

}  // namespace ksched::config
