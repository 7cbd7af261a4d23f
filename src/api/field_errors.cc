#include "api/field_errors.h"

namespace ksched::api {
namespace {

std::string WithDetail(std::string text, std::string_view detail) {
  if (!detail.empty()) text.append(": ").append(detail);
  return text;
}

}  // namespace

std::string Quote(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted.append({'\\', c});
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted.append({'\\', 'x', kHex[byte >> 4], kHex[byte & 15]});
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string Invalid(std::string_view value, std::string_view detail) { return InvalidJson(Quote(value), detail); }
std::string Invalid(int64_t value, std::string_view detail) { return InvalidJson(std::to_string(value), detail); }
std::string InvalidJson(std::string_view json, std::string_view detail) {
  return WithDetail("Invalid value: " + std::string(json), detail);
}
std::string Required(std::string_view detail) { return WithDetail("Required value", detail); }
std::string Forbidden(std::string_view detail) { return WithDetail("Forbidden", detail); }
std::string Duplicate(std::string_view value) { return "Duplicate value: " + Quote(value); }

std::string NotSupported(std::string_view value, std::initializer_list<std::string_view> supported) {
  return NotSupportedJson(Quote(value), supported);
}
std::string NotSupportedJson(std::string_view json, std::initializer_list<std::string_view> supported) {
  std::string text = "Unsupported value: " + std::string(json) + ": supported values: ";
  bool first = true;
  for (const std::string_view one : supported) {
    if (!first) text += ", ";
    first = false;
    text += Quote(one);
  }
  return text;
}

}  // namespace ksched::api
