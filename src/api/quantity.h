// Quantity: an amount of a resource ("500m", "1.5Gi", "2e3"), as k8s.io/apimachinery/pkg/api/resource has it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ksched::api {

__extension__ typedef __int128 Int128;  // -Wpedantic has nothing against it so

// How a quantity was written, and is written again.
enum class QuantityFormat : uint8_t { kDecimalSI, kBinarySI, kDecimalExponent };

// Fixed point with 9 decimals, like the smallest amount that Kubernetes keeps. Parsing rounds up to nano; what has a
// binary suffix is capped at 2^63-1 (in whole units), as in Go. Go keeps decimals of any size; here they are capped at
// 10^29.
class Quantity {
 public:
  constexpr Quantity() = default;
  static constexpr Quantity FromNano(Int128 nano, QuantityFormat format = QuantityFormat::kDecimalSI) {
    Quantity q;
    q.nano_ = nano;
    q.format_ = format;
    return q;
  }
  static constexpr Quantity FromMilli(int64_t milli) { return FromNano(static_cast<Int128>(milli) * 1'000'000); }
  static constexpr Quantity FromUnits(int64_t units) { return FromNano(static_cast<Int128>(units) * 1'000'000'000); }

  // The error's message is the reference's.
  static Result<Quantity> Parse(std::string_view text);

  // In units and thousandths, rounded away from zero. What does not fit int64 is what Go makes of it: 0 or the low 64
  // bits, depending on how it is written; here it is taken to be written in the canonical form.
  int64_t Value() const { return Scaled(1'000'000'000); }
  int64_t MilliValue() const { return Scaled(1'000'000); }
  bool IsZero() const { return nano_ == 0; }
  bool IsNegative() const { return nano_ < 0; }
  Int128 nano() const { return nano_; }
  // How it was written. Sums have that of their first summand, or of the second one if the first is zero, as in Go.
  QuantityFormat format() const { return format_; }

  // Rounds away from zero to thousandths: what the API server's defaulting does to amounts of resources.
  void RoundUpToMilli();

  // The canonical form: no fraction, and the largest suffix that needs none. What kBinarySI cannot say without
  // rounding is written as kDecimalSI.
  std::string ToString() const;

  Quantity& operator+=(Quantity other) {
    if (IsZero()) format_ = other.format_;
    nano_ += other.nano_;
    return *this;
  }
  Quantity& operator-=(Quantity other) {
    if (IsZero()) format_ = other.format_;
    nano_ -= other.nano_;
    return *this;
  }
  // By the amount alone.
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) { return a.nano_ <=> b.nano_; }
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nano_ == b.nano_; }

 private:
  int64_t Scaled(int64_t nano_per_unit) const {
    const Int128 quotient = nano_ / nano_per_unit;
    const Int128 rounded = quotient + (nano_ > quotient * nano_per_unit) - (nano_ < quotient * nano_per_unit);
    return rounded == static_cast<int64_t>(rounded) ? static_cast<int64_t>(rounded) : Overflow(rounded);
  }
  static int64_t Overflow(Int128 value);

  Int128 nano_ = 0;
  QuantityFormat format_ = QuantityFormat::kDecimalSI;
};

}  // namespace ksched::api
