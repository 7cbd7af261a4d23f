// Numbers as go-yaml v2 reads them, which is mostly as Go writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "api/input_sink.h"

namespace ksched::api {

using YamlNumber = std::variant<int64_t, uint64_t, double>;  // uint64_t only beyond int64_t; never infinite or NaN

// Of a scalar that begins with a digit, a sign or a point. Nothing if it is no number: then it is a string.
std::optional<YamlNumber> ParseYamlNumber(std::string_view text);

// The number that a JSON parser reads from what Go's JSON encoder writes for `value`: 8.0 and 1e3 are integers.
Json JsonNumber(double value);

// A float as the key of a mapping, in the digits that single precision needs: 1.5, 1e+06, .inf.
std::string FloatKey(double value);

}  // namespace ksched::api
