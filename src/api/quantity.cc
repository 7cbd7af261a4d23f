#include "api/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace ksched::api {
namespace {

__extension__ typedef unsigned __int128 Uint128;

constexpr Int128 Power10(int exponent) {
  Int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

constexpr Int128 kNanoPerUnit = 1'000'000'000;
constexpr Int128 kMaxNano = Power10(38);                     // largest power of ten in 127 bits
constexpr Int128 kMaxBinaryNano = INT64_MAX * kNanoPerUnit;  // the cap of what has a binary suffix
constexpr int kFastDigits = 18;                              // more digits than this may overflow an int64

constexpr char kFormatError[] =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr char kNumericError[] = "unable to parse numeric part of quantity";
constexpr char kSuffixError[] = "unable to parse quantity's suffix";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A quantity's text, taken apart: sign, digits before the point (leading zeros dropped, but at least one digit),
// digits after it, suffix.
struct Parts {
  bool positive = true, has_digit = true;
  std::string_view num = "0", denom, suffix;
};

std::string_view TakeDigits(std::string_view& rest) {
  size_t n = 0;
  while (n < rest.size() && IsDigit(rest[n])) ++n;
  const std::string_view digits = rest.substr(0, n);
  rest.remove_prefix(n);
  return digits;
}

// Go's scanner, with what it lets pass: ".", "-", "1." and "5" with any run of suffix letters.
std::optional<Parts> Split(std::string_view text) {
  Parts parts;
  if (text[0] == '-' || text[0] == '+') {
    parts.positive = text[0] == '+';
    text.remove_prefix(1);
  }
  const size_t zeros = std::min(text.find_first_not_of('0'), text.size());
  text.remove_prefix(zeros);
  if (text.empty()) return parts;
  const std::string_view num = TakeDigits(text);
  if (!num.empty()) parts.num = num;
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    parts.denom = TakeDigits(text);
  }
  parts.has_digit = zeros > 0 || !num.empty() || !parts.denom.empty();
  parts.suffix = text;
  text.remove_prefix(std::min(text.find_first_not_of("eEinumkKMGTP"), text.size()));
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  TakeDigits(text);
  if (!text.empty()) return std::nullopt;
  return parts;
}

struct Suffix {
  QuantityFormat format = QuantityFormat::kDecimalSI;
  int32_t exponent = 0;  // of 10, or of 2 for kBinarySI
};

constexpr std::string_view kDecimalSuffixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};  // from 10^-9
constexpr std::string_view kBinarySuffixes[] = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};                // from 2^10

std::optional<Suffix> InterpretSuffix(std::string_view text) {
  for (int i = 0; i < static_cast<int>(std::size(kDecimalSuffixes)); ++i) {
    if (text == kDecimalSuffixes[i]) return Suffix{QuantityFormat::kDecimalSI, (i - 3) * 3};
  }
  for (int i = 0; i < static_cast<int>(std::size(kBinarySuffixes)); ++i) {
    if (text == kBinarySuffixes[i]) return Suffix{QuantityFormat::kBinarySI, (i + 1) * 10};
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(1);
  if (text[0] == '+') {
    text.remove_prefix(1);
    if (text.empty() || text[0] == '-') return std::nullopt;
  }
  int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Suffix{QuantityFormat::kDecimalExponent, static_cast<int32_t>(exponent)};  // Go cuts it off, too
}

// value * 10^exponent, at most kMaxNano.
Int128 ShiftLeft(Int128 value, int64_t exponent) {
  if (value == 0) return 0;
  if (exponent > 38) return kMaxNano;
  const Int128 power = Power10(static_cast<int>(exponent));
  return value > kMaxNano / power ? kMaxNano : value * power;
}

// The number 0.DIGITS * 10^point, rounded up to a whole number, at most kMaxNano.
Int128 RoundUpDigits(std::string_view digits, int64_t point) {
  const size_t first = digits.find_first_not_of('0');
  if (first == std::string_view::npos) return 0;
  digits.remove_prefix(first);
  point -= static_cast<int64_t>(first);
  if (point > 38) return kMaxNano;
  if (point <= 0) return 1;
  Int128 whole = 0;
  for (int64_t i = 0; i < point; ++i) {
    whole = whole * 10 + (static_cast<size_t>(i) < digits.size() ? digits[static_cast<size_t>(i)] - '0' : 0);
  }
  const bool fraction = digits.size() > static_cast<size_t>(point) &&
                        digits.find_first_not_of('0', static_cast<size_t>(point)) != std::string_view::npos;
  return whole + (fraction ? 1 : 0);
}

// (num.denom) * 2^exponent in nano, rounded up.
Int128 BinaryNano(std::string_view num, std::string_view denom, int exponent) {
  const Int128 whole = RoundUpDigits(num, static_cast<int64_t>(num.size()));
  if (whole > INT64_MAX) return kMaxBinaryNano;
  // The fraction is multiplied digit by digit from the right: what is carried out of it is whole units.
  std::string fraction(denom);
  Uint128 carry = 0;
  for (size_t i = fraction.size(); i-- > 0;) {
    carry += static_cast<Uint128>(fraction[i] - '0') << exponent;
    fraction[i] = static_cast<char>('0' + static_cast<int>(carry % 10));
    carry /= 10;
  }
  const Int128 units = (whole << exponent) + static_cast<Int128>(carry);
  if (units > INT64_MAX) return kMaxBinaryNano;
  return std::min(units * kNanoPerUnit + RoundUpDigits(fraction, 9), kMaxBinaryNano);
}

// Whether Go parses it with its decimal library, which wants a digit, and not with int64 arithmetic.
bool NeedsDecimalLibrary(const Parts& parts, const Suffix& suffix) {
  const auto num = static_cast<int64_t>(parts.num.size()), denom = static_cast<int64_t>(parts.denom.size());
  if (suffix.format == QuantityFormat::kBinarySI) return denom > 0 || 15 - num - suffix.exponent * 3 / 10 - 1 < 0;
  return num + denom > kFastDigits || suffix.exponent - denom < -9;
}

Int128 ParseNano(const Parts& parts, const Suffix& suffix) {
  if (suffix.format == QuantityFormat::kBinarySI) return BinaryNano(parts.num, parts.denom, suffix.exponent);
  const size_t digits = parts.num.size() + parts.denom.size();
  if (digits > kFastDigits) {
    std::string all(parts.num);
    all += parts.denom;
    return RoundUpDigits(all, static_cast<int64_t>(parts.num.size()) + suffix.exponent + 9);
  }
  int64_t mantissa = 0;
  for (const char c : parts.num) mantissa = mantissa * 10 + (c - '0');
  for (const char c : parts.denom) mantissa = mantissa * 10 + (c - '0');
  const int64_t exponent = static_cast<int64_t>(suffix.exponent) - static_cast<int64_t>(parts.denom.size()) + 9;
  if (exponent >= 0) return ShiftLeft(mantissa, exponent);
  if (mantissa == 0 || exponent < -kFastDigits) return mantissa == 0 ? 0 : 1;
  const auto power = static_cast<int64_t>(Power10(static_cast<int>(-exponent)));
  return mantissa / power + (mantissa % power != 0 ? 1 : 0);
}

std::string Digits(Uint128 value) {
  std::array<char, 40> buffer;
  size_t first = buffer.size();
  do {
    buffer[--first] = static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  return std::string(buffer.data() + first, buffer.size() - first);
}

std::string DecimalText(Uint128 nano, QuantityFormat format) {
  int exponent = -9;
  while (nano % 10 == 0) {
    nano /= 10;
    ++exponent;
  }
  // Back to a multiple of three; nano has had those factors, so that nothing overflows.
  const int excess = ((exponent % 3) + 3) % 3;
  exponent -= excess;
  for (int i = 0; i < excess; ++i) nano *= 10;
  std::string text = Digits(nano);
  if (format == QuantityFormat::kDecimalExponent) {
    if (exponent != 0) text += "e" + std::to_string(exponent);
  } else if (exponent <= 18) {  // Go has no suffix beyond E, and prints none
    text += kDecimalSuffixes[exponent / 3 + 3];
  }
  return text;
}

}  // namespace

Result<Quantity> Quantity::Parse(std::string_view text) {
  if (text.empty()) return Error{kFormatError};
  const std::optional<Parts> parts = Split(text);
  if (!parts) return Error{kFormatError};
  const std::optional<Suffix> suffix = InterpretSuffix(parts->suffix);
  if (!suffix) return Error{kSuffixError};
  if (!parts->has_digit && NeedsDecimalLibrary(*parts, *suffix)) return Error{kNumericError};
  const Int128 nano = ParseNano(*parts, *suffix);
  const bool part_of_one = suffix->format == QuantityFormat::kBinarySI && nano > 0 && nano < kNanoPerUnit;
  return FromNano(parts->positive ? nano : -nano, part_of_one ? QuantityFormat::kDecimalSI : suffix->format);
}

int64_t Quantity::Overflow(Int128 value) {
  // Go multiplies by 10^exponent of the suffix: at once for small exponents, which wraps around, and step by step for
  // large ones, which gives 0. The suffix is taken to be the one of the canonical form.
  Uint128 mantissa = value < 0 ? -static_cast<Uint128>(value) : static_cast<Uint128>(value);
  int exponent = 0;
  for (; mantissa % 1000 == 0; mantissa /= 1000) exponent += 3;
  constexpr int kStepwiseExponent = 12;
  const bool stepwise = exponent >= kStepwiseExponent && mantissa < static_cast<Uint128>(Power10(kFastDigits));
  return stepwise ? 0 : static_cast<int64_t>(static_cast<uint64_t>(value));
}

void Quantity::RoundUpToMilli() {
  constexpr Int128 kNanoPerMilli = 1'000'000;
  const Int128 rest = nano_ % kNanoPerMilli;
  if (rest == 0) return;
  nano_ += rest > 0 ? kNanoPerMilli - rest : -kNanoPerMilli - rest;
}

std::string Quantity::ToString() const {
  if (nano_ == 0) return "0";
  const Uint128 magnitude = nano_ < 0 ? -static_cast<Uint128>(nano_) : static_cast<Uint128>(nano_);
  const std::string sign = nano_ < 0 ? "-" : "";
  if (format_ != QuantityFormat::kBinarySI) return sign + DecimalText(magnitude, format_);
  Uint128 units = magnitude / kNanoPerUnit;
  if (units < 1024 || magnitude % kNanoPerUnit != 0) return sign + DecimalText(magnitude, QuantityFormat::kDecimalSI);
  int exponent = 0;
  while (units % 1024 == 0) {
    units /= 1024;
    ++exponent;
  }
  std::string text = sign + Digits(units);
  if (exponent > 0 && exponent <= static_cast<int>(std::size(kBinarySuffixes))) text += kBinarySuffixes[exponent - 1];
  return text;
}

}  // namespace ksched::api
