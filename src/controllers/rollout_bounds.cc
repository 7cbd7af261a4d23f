#include "controllers/rollout_bounds.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

namespace ksched::controllers {
namespace {

constexpr int64_t kMax = std::numeric_limits<int32_t>::max();

int64_t DivideUp(int64_t value, int64_t by) { return value / by + (value % by > 0); }

}  // namespace

Result<int32_t> ScaledValue(const api::IntOrString& value, int32_t total, bool round_up) {
  if (!value.is_text) return value.number;
  std::string_view digits = value.text;
  if (!digits.ends_with('%')) {
    return Error{"invalid value for IntOrString: invalid type: string is not a percentage: \"" + value.text + "\""};
  }
  digits.remove_suffix(1);
  int32_t percent = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), percent);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return Error{"invalid value for IntOrString: invalid value \"" + value.text + "\""};
  }
  const int64_t product = static_cast<int64_t>(percent) * total;
  return static_cast<int32_t>(std::clamp(round_up ? DivideUp(product, 100) : product / 100, -kMax, kMax));
}

Result<RolloutBounds> ResolveBounds(const std::optional<api::IntOrString>& max_surge,
                                    const std::optional<api::IntOrString>& max_unavailable, int32_t replicas) {
  const Result<int32_t> surge = ScaledValue(max_surge.value_or(api::IntOrString{}), replicas, true);
  if (!surge) return Error{surge.error()}.Within("maxSurge");
  const Result<int32_t> unavailable = ScaledValue(max_unavailable.value_or(api::IntOrString{}), replicas, false);
  if (!unavailable) return Error{unavailable.error()}.Within("maxUnavailable");
  RolloutBounds bounds{.max_surge = *surge, .max_unavailable = *unavailable};
  if (bounds.max_surge == 0 && bounds.max_unavailable == 0) bounds.max_unavailable = 1;
  return bounds;
}

}  // namespace ksched::controllers
