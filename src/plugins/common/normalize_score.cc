#include "plugins/common/normalize_score.h"

#include <algorithm>

#include "base/wrapping.h"

namespace ksched {

void DefaultNormalizeScore(int64_t max_score, bool reverse, std::span<int64_t> scores) {
  int64_t greatest = 0;
  for (const int64_t score : scores) greatest = std::max(greatest, score);
  if (greatest == 0) {
    if (reverse) std::fill(scores.begin(), scores.end(), max_score);
    return;
  }
  for (int64_t& score : scores) {
    score = WrapMul(max_score, score) / greatest;
    if (reverse) score = WrapSub(max_score, score);
  }
}

}  // namespace ksched
