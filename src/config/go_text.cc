#include "config/go_text.h"

#include <cstdint>

#include <fmt/format.h>

#include "api/field_errors.h"

namespace ksched::config {
namespace {

constexpr uint64_t kLimit = uint64_t{1} << 63;

struct Unit {
  std::string_view name;
  uint64_t nanoseconds;
};
constexpr Unit kUnits[] = {
    {"ns", 1},
    {"us", 1'000},
    {"\xc2\xb5s", 1'000},  // micro sign
    {"\xce\xbcs", 1'000},  // Greek mu
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
    {"h", 3'600'000'000'000},
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The digits at the front of `text`, taken off; false when they do not fit.
bool TakeInteger(std::string_view& text, uint64_t& value) {
  for (value = 0; !text.empty() && IsDigit(text.front()); text.remove_prefix(1)) {
    if (value > kLimit / 10) return false;
    value = value * 10 + static_cast<uint64_t>(text.front() - '0');
    if (value > kLimit) return false;
  }
  return true;
}

// Digits after the point: what does not fit is cut off.
void TakeFraction(std::string_view& text, uint64_t& value, double& scale) {
  bool full = false;
  for (value = 0, scale = 1; !text.empty() && IsDigit(text.front()); text.remove_prefix(1)) {
    if (full || value > (kLimit - 1) / 10) {
      full = true;
      continue;
    }
    value = value * 10 + static_cast<uint64_t>(text.front() - '0');
    scale *= 10;
  }
}

// One number with its unit, "1.5h", added to `total`. Returns what is wrong, empty when nothing is.
std::string TakePart(std::string_view& text, uint64_t& total) {
  constexpr const char* invalid = "invalid duration";
  if (text.front() != '.' && !IsDigit(text.front())) return invalid;
  uint64_t value = 0, fraction = 0;
  double scale = 1;
  const size_t before = text.size();
  if (!TakeInteger(text, value)) return invalid;
  bool digits = text.size() != before;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    const size_t start = text.size();
    TakeFraction(text, fraction, scale);
    digits = digits || text.size() != start;
  }
  if (!digits) return invalid;

  size_t length = 0;
  while (length < text.size() && text[length] != '.' && !IsDigit(text[length])) ++length;
  if (length == 0) return "missing unit in duration";
  const std::string_view name = text.substr(0, length);
  text.remove_prefix(length);
  uint64_t unit = 0;
  for (const Unit& known : kUnits) {
    if (known.name == name) unit = known.nanoseconds;
  }
  if (unit == 0) return "unknown unit " + api::Quote(name) + " in duration";
  if (value > kLimit / unit) return invalid;
  value *= unit;
  // As in Go: a double is exact enough for fractions of hours.
  value += static_cast<uint64_t>(static_cast<double>(fraction) * (static_cast<double>(unit) / scale));
  if (value > kLimit) return invalid;
  total += value;
  return total > kLimit ? invalid : "";
}

// value / 10^digits, without trailing zeros.
std::string Fraction(uint64_t value, int digits) {
  uint64_t scale = 1;
  for (int i = 0; i < digits; ++i) scale *= 10;
  std::string out = std::to_string(value / scale);
  if (value % scale == 0) return out;
  out += fmt::format(".{:0{}}", value % scale, digits);
  out.erase(out.find_last_not_of('0') + 1);
  return out;
}

}  // namespace

std::string JsonQuote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        out += '\\';
        out += c;
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&') {
          out += fmt::format("\\u{:04x}", c);
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

Result<DurationNs> ParseDuration(std::string_view text) {
  std::string_view rest = text;
  bool negative = false;
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) {
    negative = rest.front() == '-';
    rest.remove_prefix(1);
  }
  if (rest == "0") return DurationNs{0};
  uint64_t total = 0;
  std::string wrong = rest.empty() ? "invalid duration" : "";
  while (wrong.empty() && !rest.empty()) wrong = TakePart(rest, total);
  if (wrong.empty() && !negative && total > kLimit - 1) wrong = "invalid duration";
  if (!wrong.empty()) return Error{"time: " + wrong + " " + api::Quote(text)};
  return static_cast<DurationNs>(negative ? uint64_t{0} - total : total);
}

std::string FormatDuration(DurationNs duration) {
  const std::string sign = duration < 0 ? "-" : "";
  const uint64_t nanoseconds =
      duration < 0 ? uint64_t{0} - static_cast<uint64_t>(duration) : static_cast<uint64_t>(duration);
  if (nanoseconds == 0) return "0s";
  if (nanoseconds < 1'000) return fmt::format("{}{}ns", sign, nanoseconds);
  if (nanoseconds < 1'000'000) return sign + Fraction(nanoseconds, 3) + "\xc2\xb5s";
  if (nanoseconds < 1'000'000'000) return sign + Fraction(nanoseconds, 6) + "ms";
  const uint64_t minutes = nanoseconds / 60'000'000'000;
  const std::string seconds = Fraction(nanoseconds % 60'000'000'000, 9) + "s";
  if (minutes == 0) return sign + seconds;
  if (minutes < 60) return fmt::format("{}{}m{}", sign, minutes, seconds);
  return fmt::format("{}{}h{}m{}", sign, minutes / 60, minutes % 60, seconds);
}

}  // namespace ksched::config
