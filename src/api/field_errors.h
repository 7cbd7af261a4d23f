// The texts of the API's field errors, without the field. Reference: apimachinery pkg/util/validation/field.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace ksched::api {

// In double quotes, escaped as Go's %q does.
std::string Quote(std::string_view text);

std::string Invalid(std::string_view value, std::string_view detail);
std::string Invalid(int64_t value, std::string_view detail);
std::string InvalidJson(std::string_view json, std::string_view detail);  // a value that is not a string or number
std::string Required(std::string_view detail = {});
std::string Forbidden(std::string_view detail);
std::string Duplicate(std::string_view value);
std::string NotSupported(std::string_view value, std::initializer_list<std::string_view> supported);
std::string NotSupportedJson(std::string_view json, std::initializer_list<std::string_view> supported);

inline constexpr char kNegative[] = "must be greater than or equal to 0";

}  // namespace ksched::api
