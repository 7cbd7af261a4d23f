// Whole numbers as Go's strconv.ParseInt(text, 10, 64) reads them.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ksched {

// A sign, + or -, may come first; anything but digits after it, or a number out of range, is none.
inline std::optional<int64_t> ParseGoInteger(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, 10);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

}  // namespace ksched
