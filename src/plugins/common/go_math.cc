#include "plugins/common/go_math.h"

#include <cmath>

namespace ksched {
namespace {

// The method of FreeBSD's e_log.c: x = 2^k (1 + f) with sqrt(2)/2 <= 1 + f < sqrt(2); log(1 + f) by a polynomial in
// s = f / (2 + f). The order of operations is part of the result.
constexpr double kHalfSqrt2 = 7.07106781186547524401e-01;
constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
constexpr double kOdd[] = {6.666666666666735130e-01, 2.857142874366239149e-01, 1.818357216161805012e-01,
                           1.479819860511658591e-01};
constexpr double kEven[] = {3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01};

}  // namespace

double GoLog(double x) {
  int exponent = 0;
  double fraction = std::frexp(x, &exponent);
  if (fraction <= kHalfSqrt2) {
    fraction *= 2;
    --exponent;
  }
  const double k = exponent, f = fraction - 1;
  const double s = f / (2 + f), s2 = s * s, s4 = s2 * s2;
  const double t1 = s2 * (kOdd[0] + s4 * (kOdd[1] + s4 * (kOdd[2] + s4 * kOdd[3])));
  const double t2 = s4 * (kEven[0] + s4 * (kEven[1] + s4 * kEven[2]));
  const double r = t1 + t2, half_square = 0.5 * f * f;
  return k * kLn2High - ((half_square - (s * (half_square + r) + k * kLn2Low)) - f);
}

}  // namespace ksched
