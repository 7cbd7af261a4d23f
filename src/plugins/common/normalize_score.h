// Brings raw scores into 0..max. Reference: pkg/scheduler/framework/plugins/helper/normalize_score.go, v1.37.2.
#pragma once

#include <cstdint>
#include <span>

namespace ksched {

// Each score becomes its share of the greatest one, times max_score and rounded down; with `reverse`, what is missing
// to max_score. Raw scores are taken to be at least 0.
void DefaultNormalizeScore(int64_t max_score, bool reverse, std::span<int64_t> scores);

}  // namespace ksched
