#include "admission/tolerations.h"

#include <algorithm>
#include <cstddef>

namespace ksched {
namespace {

using api::Toleration;

constexpr int64_t kDefaultSeconds = 300;

// Whether `one` tolerates everything that `other` does.
bool Covers(const Toleration& one, const Toleration& other) {
  if (one == other) return true;
  if (other.key != one.key && (!one.key.empty() || one.op != "Exists")) return false;
  if (other.effect != one.effect && !one.effect.empty()) return false;
  if (one.effect == "NoExecute" && one.toleration_seconds &&
      (!other.toleration_seconds || *other.toleration_seconds > *one.toleration_seconds)) {
    return false;
  }
  if (one.op == "Equal" || one.op.empty()) return other.op == "Equal" && other.value == one.value;
  return one.op == "Exists";
}

}  // namespace

std::vector<Toleration> MergeTolerations(const std::vector<Toleration>& first, const std::vector<Toleration>& second) {
  std::vector<Toleration> all = first;
  all.insert(all.end(), second.begin(), second.end());
  std::vector<Toleration> merged;
  for (size_t i = 0; i < all.size(); ++i) {
    const Toleration& one = all[i];
    const auto covers = [&](const Toleration& other) { return Covers(other, one); };
    const auto covers_more = [&](const Toleration& other) { return other != one && Covers(other, one); };
    if (std::ranges::any_of(merged, covers)) continue;
    if (std::any_of(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(), covers_more)) continue;
    merged.push_back(one);
  }
  return merged;
}

void AddDefaultTolerations(std::vector<Toleration>& tolerations) {
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    const auto speaks_of_it = [&](const Toleration& one) {
      return (one.key == key || one.key.empty()) && (one.effect == "NoExecute" || one.effect.empty());
    };
    if (std::ranges::any_of(tolerations, speaks_of_it)) continue;
    tolerations.push_back(
        {.key = key, .op = "Exists", .value = "", .effect = "NoExecute", .toleration_seconds = kDefaultSeconds});
  }
}

}  // namespace ksched
