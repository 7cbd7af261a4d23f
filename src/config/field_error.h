// What validation finds, in the words of apimachinery's field.Error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_path.h"

namespace ksched::config {

struct FieldError {
  std::string field;    // "profiles[0].plugins"
  std::string message;  // with the field in front: "profiles[0].plugins: Required value"
  bool operator==(const FieldError&) const = default;
};
using FieldErrors = std::vector<FieldError>;

// A value inside a message: a number, a string as %q writes it, or anything else as JSON.
class BadValue {
 public:
  BadValue(int64_t number) : text_(std::to_string(number)) {}              // NOLINT(google-explicit-constructor)
  BadValue(std::string_view text);                                         // NOLINT(google-explicit-constructor)
  BadValue(const std::string& text) : BadValue(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  static BadValue Json(std::string json);
  // A string of a named Go type goes through JSON, which escapes more.
  static BadValue Named(std::string_view text);
  static BadValue List(const std::vector<std::string>& values);  // an empty one is null

  const std::string& text() const { return text_; }

 private:
  BadValue() = default;
  std::string text_;
};

FieldError Invalid(const api::FieldPath& path, const BadValue& value, std::string_view detail);
FieldError Required(const api::FieldPath& path, std::string_view detail);
FieldError Forbidden(const api::FieldPath& path, std::string_view detail);
FieldError Duplicate(const api::FieldPath& path, const BadValue& value);
FieldError NotSupported(const api::FieldPath& path, const BadValue& value, const std::vector<std::string_view>& valid);

// One error alone, several as "[a, b]", each text once. Not for none.
std::string Aggregate(const FieldErrors& errors);

}  // namespace ksched::config
