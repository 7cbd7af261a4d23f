#include "plugins/common/shape_score.h"

#include <gmock/gmock.h>

#include "plugins/common/go_arithmetic.h"

namespace ksched {
namespace {

TEST(ShapeScoreTest, StraightLinesBetweenPoints) {
  const std::vector<config::UtilizationShapePoint> kUp = {{0, 0}, {100, 10}}, kDown = {{0, 10}, {100, 0}},
                                                   kPeak = {{10, 1}, {50, 10}, {70, 3}}, kOne = {{40, 7}};
  const struct {
    const char* name;
    const std::vector<config::UtilizationShapePoint>& shape;
    int64_t utilization, want;
  } kRows[] = {
      {"up, 0", kUp, 0, 0},
      {"up, half", kUp, 50, 50},
      {"up, beyond", kUp, 101, 100},
      {"down, a third", kDown, 33, 67},
      {"down, all", kDown, 100, 0},
      {"before the first point", kPeak, 0, 10},
      {"on a point", kPeak, 50, 100},
      {"rising", kPeak, 11, 12},                      // 10 + 90 * 1 / 40
      {"falling, cut off towards 0", kPeak, 51, 97},  // 100 + -70 * 1 / 20 = 100 - 3
      {"after the last point", kPeak, 71, 30},
      {"negative", kPeak, -5, 10},
      {"one point", kOne, 99, 70},
  };
  for (const auto& row : kRows) EXPECT_EQ(ShapeScore(row.shape).At(row.utilization), row.want) << row.name;
}

TEST(GoArithmeticTest, WhereCxxIsUndefined) {
  EXPECT_EQ(WrapDiv(7, -2), -3);
  EXPECT_EQ(WrapDiv(INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(TruncateToInt64(-1.9), -1);
  EXPECT_EQ(TruncateToInt64(9.3e18), INT64_MIN);
  EXPECT_EQ(TruncateToInt64(-9.3e18), INT64_MIN);
  EXPECT_EQ(TruncateToInt64(0.0 / 0.0), INT64_MIN);
}

}  // namespace
}  // namespace ksched
