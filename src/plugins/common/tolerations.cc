#include "plugins/common/tolerations.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "plugins/common/go_integer.h"
#include "plugins/common/signature.h"

namespace ksched {
namespace {

// As people write whole numbers: no plus sign, no leading zeros, no -0.
std::optional<int64_t> ParseCanonicalInteger(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.starts_with('+') || (digits.starts_with('0') && text != "0")) return std::nullopt;
  return ParseGoInteger(text);
}

// Whether the taint's value is below (Lt) or above (Gt) the toleration's; no if one of them is no number.
bool Compares(const api::Toleration& toleration, const api::Taint& taint) {
  const std::optional<int64_t> bound = ParseCanonicalInteger(toleration.value);
  const std::optional<int64_t> value = ParseCanonicalInteger(taint.value);
  if (!bound || !value) return false;
  return toleration.op == "Lt" ? *value < *bound : *value > *bound;
}

}  // namespace

bool Tolerates(const api::Toleration& toleration, const api::Taint& taint, bool comparison_operators) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  if (toleration.op == "Exists") return true;
  if (toleration.op == "Lt" || toleration.op == "Gt") return comparison_operators && Compares(toleration, taint);
  return false;
}

bool AnyTolerates(std::span<const api::Toleration> tolerations, const api::Taint& taint, bool comparison_operators) {
  return std::any_of(tolerations.begin(), tolerations.end(), [&](const api::Toleration& toleration) {
    return Tolerates(toleration, taint, comparison_operators);
  });
}

bool HasUntoleratedTaint(std::span<const api::Taint> taints, std::span<const api::Toleration> tolerations,
                         bool comparison_operators) {
  return std::any_of(taints.begin(), taints.end(), [&](const api::Taint& taint) {
    return (taint.effect == "NoSchedule" || taint.effect == "NoExecute") &&
           !AnyTolerates(tolerations, taint, comparison_operators);
  });
}

void AppendSignedTolerations(std::span<const api::Toleration> tolerations, std::string& signature) {
  std::vector<const api::Toleration*> sorted;
  sorted.reserve(tolerations.size());
  for (const api::Toleration& toleration : tolerations) sorted.push_back(&toleration);
  std::stable_sort(sorted.begin(), sorted.end(), [](const api::Toleration* a, const api::Toleration* b) {
    return std::tie(a->key, a->value) < std::tie(b->key, b->value);
  });
  AppendSigned("v1.Pod.Spec.Tolerations", signature);
  AppendSigned(static_cast<int64_t>(sorted.size()), signature);
  for (const api::Toleration* toleration : sorted) {
    for (const std::string* text : {&toleration->key, &toleration->op, &toleration->value, &toleration->effect}) {
      AppendSigned(*text, signature);
    }
    AppendSigned(toleration->toleration_seconds ? std::to_string(*toleration->toleration_seconds) : "", signature);
  }
}

}  // namespace ksched
