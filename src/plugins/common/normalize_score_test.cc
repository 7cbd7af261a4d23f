#include "plugins/common/normalize_score.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ksched {
namespace {

TEST(DefaultNormalizeScoreTest, Scores) {
  struct Row {
    std::string name;
    bool reverse;
    std::vector<int64_t> scores, want;
  };
  const std::vector<Row> rows = {
      {"shares of the greatest", false, {1, 2, 3, 4}, {25, 50, 75, 100}},
      {"rounded down", false, {1000, 19, 20, 0}, {100, 1, 2, 0}},
      {"all equal", false, {1, 1}, {100, 100}},
      {"all zero", false, {0, 0}, {0, 0}},
      {"reverse", true, {1, 2, 3, 4}, {75, 50, 25, 0}},
      {"reverse of shares rounded down", true, {1000, 19, 20, 0}, {0, 99, 98, 100}},
      {"reverse of zeros", true, {0, 0}, {100, 100}},
      {"none", false, {}, {}},
      {"products wrap around", false, {INT64_MAX, 1}, {0, 0}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    std::vector<int64_t> scores = row.scores;
    DefaultNormalizeScore(100, row.reverse, scores);
    EXPECT_EQ(scores, row.want);
  }
}

}  // namespace
}  // namespace ksched
