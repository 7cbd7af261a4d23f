// The function of utilisation that RequestedToCapacityRatio scores by: straight lines between given points.
// Reference: pkg/scheduler/framework/plugins/helper/shape_score.go, v1.37.2.
#pragma once

#include <cstdint>
#include <vector>

#include "config/types.h"

namespace ksched {

class ShapeScore {
 public:
  // At least one point, utilization ascending. A point's score of 0 to 10 becomes one of 0 to kMaxNodeScore.
  explicit ShapeScore(const std::vector<config::UtilizationShapePoint>& shape);
  int64_t At(int64_t utilization) const;

 private:
  struct Point {
    int64_t utilization = 0, score = 0;
  };
  std::vector<Point> points_;
};

}  // namespace ksched
