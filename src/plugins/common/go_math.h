// Functions of Go's math package whose last bit decides about a score.
#pragma once

namespace ksched {

// math.Log as Go 1.26 computes it on amd64 (src/math/log_amd64.s), bit for bit; the C library's differs in the last bit
// now and then. `x` is a normal number above 0.
double GoLog(double x);

}  // namespace ksched
