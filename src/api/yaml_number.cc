#include "api/yaml_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <system_error>

namespace ksched::api {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Removes the prefix of another base, like Go for base 0: 0x, 0o, 0b, and 0 alone for octal.
int TakeBase(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  const auto letter = static_cast<char>(digits[1] | 0x20);
  const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
  digits.remove_prefix(base == 0 ? 1 : 2);
  return base == 0 ? 8 : base;
}

std::optional<uint64_t> ParseDigits(std::string_view digits, int base) {
  uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  if (digits.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<YamlNumber> ParseInteger(std::string_view text) {
  const bool negative = text.starts_with('-'), sign = negative || text.starts_with('+');
  if (sign) text.remove_prefix(1);
  const int base = TakeBase(text);
  // go-yaml takes a sign behind 0b for a part of the number.
  const bool inner_sign = base == 2 && !sign && !text.empty() && (text[0] == '+' || text[0] == '-');
  const bool minus = negative || (inner_sign && text[0] == '-');
  if (inner_sign) text.remove_prefix(1);
  const std::optional<uint64_t> magnitude = ParseDigits(text, base);
  if (!magnitude) return std::nullopt;
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  if (minus) {
    if (*magnitude > kMax + 1) return std::nullopt;
    return static_cast<int64_t>(-*magnitude);  // modulo 2^64
  }
  if (*magnitude <= kMax) return static_cast<int64_t>(*magnitude);
  if (sign || inner_sign) return std::nullopt;
  return *magnitude;
}

bool UnderscoresSeparateDigits(std::string_view text) {
  for (size_t at = text.find('_'); at != std::string_view::npos; at = text.find('_', at + 1)) {
    if (at == 0 || at + 1 == text.size() || !IsDigit(text[at - 1]) || !IsDigit(text[at + 1])) return false;
  }
  return true;
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool IsYamlFloat(std::string_view text) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t start = at;
    while (at < text.size() && IsDigit(text[at])) ++at;
    return at - start;
  };
  const auto skip = [&](std::string_view any) {
    const bool found = at < text.size() && any.find(text[at]) != std::string_view::npos;
    at += found;
    return found;
  };
  skip("+-");
  const bool whole = digits() > 0;
  const bool fraction = skip(".") && digits() > 0;
  if (!whole && !fraction) return false;
  if (skip("eE")) {
    skip("+-");
    if (digits() == 0) return false;
  }
  return at == text.size();
}

std::optional<double> ParseFloat(std::string_view text) {
  if (!IsYamlFloat(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // Too small is zero or nearly, too large is no number: from_chars does not tell which.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return value;
}

// The shortest digits that give `value` back, and the place of the decimal point among them.
struct Shortest {
  std::string digits;
  int point = 0;
};
template <typename Float>
Shortest ShortestDigits(Float value) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<size_t>(result.ptr - buffer.data()));
  const size_t exponent = text.find('e');
  Shortest shortest;
  std::copy_if(text.begin(), text.begin() + static_cast<ptrdiff_t>(exponent), std::back_inserter(shortest.digits),
               IsDigit);
  shortest.point = std::atoi(text.data() + exponent + 1) + 1;
  return shortest;
}

}  // namespace

std::optional<YamlNumber> ParseYamlNumber(std::string_view text) {
  std::string plain(text);
  // go-yaml drops underscores, but leaves what begins with a point to Go, which has them between digits only.
  if (text.starts_with('.') && !UnderscoresSeparateDigits(text)) return std::nullopt;
  std::erase(plain, '_');
  if (std::optional<YamlNumber> integer = ParseInteger(plain)) return integer;
  if (std::optional<double> value = ParseFloat(plain)) return YamlNumber(*value);
  return std::nullopt;
}

Json JsonNumber(double value) {
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  constexpr double kFirstExponent = 1e21;                // from here on Go writes an exponent
  const double magnitude = std::fabs(value);
  if (magnitude != std::floor(magnitude) || magnitude >= kFirstExponent) return Json(value);
  if (magnitude <= kExactIntegers) return Json(static_cast<int64_t>(value));
  Shortest shortest = ShortestDigits(magnitude);
  shortest.digits.resize(static_cast<size_t>(shortest.point), '0');
  if (value < 0) shortest.digits.insert(0, 1, '-');
  const std::optional<YamlNumber> integer = ParseInteger(shortest.digits);
  if (integer && std::holds_alternative<int64_t>(*integer)) return Json(std::get<int64_t>(*integer));
  if (integer && std::holds_alternative<uint64_t>(*integer)) return Json(std::get<uint64_t>(*integer));
  return Json(value);
}

std::string FloatKey(double value) {
  const auto narrow = static_cast<float>(value);
  if (std::isnan(narrow)) return ".nan";
  if (std::isinf(narrow)) return narrow < 0 ? "-.inf" : ".inf";
  const std::string_view sign = std::signbit(narrow) ? "-" : "";
  if (narrow == 0) return fmt::format("{}0", sign);
  auto [digits, point] = ShortestDigits(std::fabs(narrow));
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  constexpr int kFirstExponent = 6;
  const int exponent = point - 1;
  if (exponent < -4 || exponent >= kFirstExponent) {
    const std::string_view fraction = std::string_view(digits).substr(1);
    return fmt::format("{}{}{}{}e{:+03d}", sign, digits[0], fraction.empty() ? "" : ".", fraction, exponent);
  }
  if (point <= 0) return fmt::format("{}0.{:0>{}}{}", sign, "", -point, digits);
  const auto whole = static_cast<size_t>(point);
  if (digits.size() <= whole) return fmt::format("{}{:0<{}}", sign, digits, whole);
  return fmt::format("{}{}.{}", sign, digits.substr(0, whole), digits.substr(whole));
}

}  // namespace ksched::api
