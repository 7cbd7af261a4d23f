// Go's arithmetic where C++ leaves it undefined: amounts come from input and may be anything.
#pragma once

#include <cstdint>

#include "base/wrapping.h"

namespace ksched {

// a / b for b other than 0; the one quotient that does not fit wraps around.
inline int64_t WrapDiv(int64_t a, int64_t b) { return b == -1 ? WrapSub(0, a) : a / b; }

// int64(value): cut off towards 0. What does not fit (or is no number) is what amd64 makes of it.
inline int64_t TruncateToInt64(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  return value >= -kLimit && value < kLimit ? static_cast<int64_t>(value) : INT64_MIN;
}

}  // namespace ksched
