#include "kube/duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace ksched::kube {
namespace {

constexpr int64_t kMaxNs = INT64_MAX;

// The number of nanoseconds of a unit that `text` starts with; the unit is removed.
std::optional<int64_t> TakeUnit(std::string_view& text) {
  static constexpr std::array<std::pair<std::string_view, int64_t>, 8> kUnits{{{"ns", 1},
                                                                               {"us", 1'000},
                                                                               {"\xC2\xB5s", 1'000},
                                                                               {"\xCE\xBCs", 1'000},
                                                                               {"ms", 1'000'000},
                                                                               {"s", 1'000'000'000},
                                                                               {"m", 60'000'000'000},
                                                                               {"h", 3'600'000'000'000}}};
  const size_t end = std::min(text.find_first_of(".0123456789"), text.size());
  for (const auto& [name, ns] : kUnits) {
    if (text.substr(0, end) != name) continue;
    text.remove_prefix(end);
    return ns;
  }
  return std::nullopt;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// One "1.5h" at the start of `text`, in nanoseconds.
std::optional<int64_t> TakePart(std::string_view& text) {
  uint64_t whole = 0;
  double fraction = 0, scale = 1;
  size_t digits = 0;
  for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1), ++digits) {
    if (whole > (kMaxNs - 9) / 10) return std::nullopt;
    whole = whole * 10 + static_cast<uint64_t>(text[0] - '0');
  }
  if (!text.empty() && text[0] == '.') {
    for (text.remove_prefix(1); !text.empty() && IsDigit(text[0]); text.remove_prefix(1), ++digits) {
      scale /= 10;
      fraction += scale * (text[0] - '0');
    }
  }
  if (digits == 0) return std::nullopt;
  const std::optional<int64_t> unit = TakeUnit(text);
  if (!unit || whole > static_cast<uint64_t>(kMaxNs / *unit)) return std::nullopt;
  const int64_t ns = static_cast<int64_t>(whole) * *unit;
  const auto rest = static_cast<int64_t>(fraction * static_cast<double>(*unit));
  if (ns > kMaxNs - rest) return std::nullopt;
  return ns + rest;
}

// As Go's time.ParseDuration.
std::optional<int64_t> ParseGoDuration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  int64_t sum = 0;
  while (!text.empty()) {
    const std::optional<int64_t> part = TakePart(text);
    if (!part || sum > kMaxNs - *part) return std::nullopt;
    sum += *part;
  }
  return negative ? -sum : sum;
}

}  // namespace

Result<std::chrono::milliseconds> ParseRequestTimeout(std::string_view text) {
  using std::chrono::milliseconds;
  if (text.empty()) return milliseconds(0);
  std::string_view number = text;
  if (number.size() > 1 && number[0] == '+' && IsDigit(number[1])) number.remove_prefix(1);
  int64_t seconds = 0;
  const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), seconds);
  if (failed == std::errc() && end == number.data() + number.size()) {
    return milliseconds(std::clamp<int64_t>(seconds, 0, kMaxNs / 1'000'000'000) * 1000);
  }
  const std::optional<int64_t> ns = ParseGoDuration(text);
  if (!ns) {
    return Error{
        "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding "
        "time unit (e.g. 1s | 2m | 3h)"};
  }
  if (*ns <= 0) return milliseconds(0);
  return milliseconds(std::max<int64_t>(1, *ns / 1'000'000));
}

}  // namespace ksched::kube
