// Any text is a quantity or an error; what parses is written so that it parses to the same amount again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using ksched::api::Quantity;
  const auto quantity = Quantity::Parse({reinterpret_cast<const char*>(data), size});
  if (!quantity.ok()) return 0;
  (void)quantity->MilliValue();
  (void)quantity->ToString();
  // Beyond that there are no suffixes, and thousandths wrap around: as in Go.
  if (quantity->IsNegative() || *quantity > Quantity::FromUnits(9'000'000'000'000'000)) return 0;
  const auto again = Quantity::Parse(quantity->ToString());
  if (!again.ok() || *again != *quantity) std::abort();
  Quantity rounded = *quantity;
  rounded.RoundUpToMilli();
  if (rounded < *quantity || Quantity::FromMilli(rounded.MilliValue()) != rounded) std::abort();
  return 0;
}
