// Values of flags as kube-scheduler reads them.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/flags.h"
#include "config/go_text.h"

namespace ksched::daemon {

inline Result<void> ReadDuration(const cxxopts::ParseResult& parsed, const std::string& flag,
                                 std::optional<config::DurationNs>& out) {
  if (parsed.count(flag) == 0) return {};
  const auto duration = config::ParseDuration(parsed[flag].as<std::string>());
  if (!duration) return Error{"--" + flag + ": " + duration.error().message};
  out = *duration;
  return {};
}

template <typename T>
Result<void> ReadNumber(const cxxopts::ParseResult& parsed, const std::string& flag, std::optional<T>& out) {
  if (parsed.count(flag) == 0) return {};
  const std::string text = parsed[flag].as<std::string>();
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Error{"--" + flag + ": \"" + text + "\" is no number"};
  }
  out = value;
  return {};
}

inline Result<void> ReadBool(const cxxopts::ParseResult& parsed, const std::string& flag, std::optional<bool>& out) {
  if (parsed.count(flag) == 0) return {};
  const std::string text = parsed[flag].as<std::string>();
  // strconv.ParseBool's words.
  for (const char* yes : {"true", "True", "TRUE", "t", "T", "1"}) {
    if (text == yes) return out = true, Result<void>();
  }
  for (const char* no : {"false", "False", "FALSE", "f", "F", "0"}) {
    if (text == no) return out = false, Result<void>();
  }
  return Error{"--" + flag + ": \"" + text + "\" is neither true nor false"};
}

inline void ReadText(const cxxopts::ParseResult& parsed, const std::string& flag, std::optional<std::string>& out) {
  if (parsed.count(flag) != 0) out = parsed[flag].as<std::string>();
}

// A list, with commas or as several flags.
inline void ReadList(const cxxopts::ParseResult& parsed, const std::string& flag, std::vector<std::string>& out) {
  if (parsed.count(flag) != 0) out = cli::SplitAtCommas(parsed[flag].as<std::vector<std::string>>());
}

// A flag that is given or not, and may be told =false.
inline std::shared_ptr<cxxopts::Value> BoolValue() { return cxxopts::value<std::string>()->implicit_value("true"); }

}  // namespace ksched::daemon
