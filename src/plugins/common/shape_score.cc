#include "plugins/common/shape_score.h"

#include "framework/plugin.h"
#include "plugins/common/go_arithmetic.h"

namespace ksched {
namespace {

constexpr int64_t kMaxShapeScore = 10;

}  // namespace

ShapeScore::ShapeScore(const std::vector<config::UtilizationShapePoint>& shape) {
  points_.reserve(shape.size());
  for (const config::UtilizationShapePoint& point : shape) {
    points_.push_back({point.utilization, point.score * (kMaxNodeScore / kMaxShapeScore)});
  }
}

int64_t ShapeScore::At(int64_t utilization) const {
  for (size_t i = 0; i < points_.size(); ++i) {
    const Point& to = points_[i];
    if (utilization > to.utilization) continue;
    if (i == 0) return to.score;
    const Point& from = points_[i - 1];
    const int64_t rise = WrapMul(to.score - from.score, WrapSub(utilization, from.utilization));
    return WrapAdd(from.score, WrapDiv(rise, to.utilization - from.utilization));
  }
  return points_.back().score;
}

}  // namespace ksched
