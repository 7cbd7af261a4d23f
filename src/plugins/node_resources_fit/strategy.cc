#include "plugins/node_resources_fit/strategy.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plugins/common/go_arithmetic.h"
#include "plugins/common/shape_score.h"

namespace ksched {
namespace {

// A sum of the resources' scores by weight.
struct Weighted {
  int64_t score = 0, weight = 0;
  void Add(int64_t resource_score, int64_t resource_weight) {
    score = WrapAdd(score, WrapMul(resource_score, resource_weight));
    weight = WrapAdd(weight, resource_weight);
  }
  int64_t Mean() const { return weight == 0 ? 0 : WrapDiv(score, weight); }
};

// The more is free, the higher.
class LeastAllocated final : public FitStrategy {
 public:
  int64_t Score(const ScoredResources& resources, const ScoredRequests& requests, const NodeView& node) const override {
    Weighted sum;
    resources.ForEach(requests, node, [&sum](const ResourceUse& use) {
      const int64_t free = WrapMul(WrapSub(use.allocatable, use.requested), kMaxNodeScore);
      sum.Add(use.requested > use.allocatable ? 0 : WrapDiv(free, use.allocatable), use.weight);
    });
    return sum.Mean();
  }
};

// The more is taken, the higher.
class MostAllocated final : public FitStrategy {
 public:
  int64_t Score(const ScoredResources& resources, const ScoredRequests& requests, const NodeView& node) const override {
    Weighted sum;
    resources.ForEach(requests, node, [&sum](const ResourceUse& use) {
      // More may be requested than there is: containers without a request count, too.
      const int64_t requested = std::min(use.requested, use.allocatable);
      sum.Add(WrapDiv(WrapMul(requested, kMaxNodeScore), use.allocatable), use.weight);
    });
    return sum.Mean();
  }
};

// As a shape says for the percentage that is taken. Resources whose score is 0 do not count in the mean.
class RequestedToCapacityRatio final : public FitStrategy {
 public:
  explicit RequestedToCapacityRatio(ShapeScore shape) : shape_(std::move(shape)) {}
  int64_t Score(const ScoredResources& resources, const ScoredRequests& requests, const NodeView& node) const override {
    Weighted sum;
    resources.ForEach(requests, node, [this, &sum](const ResourceUse& use) {
      const bool over = use.requested > use.allocatable;
      const int64_t percent =
          over ? kMaxUtilization : WrapDiv(WrapMul(use.requested, kMaxUtilization), use.allocatable);
      if (const int64_t score = shape_.At(percent); score > 0) sum.Add(score, use.weight);
    });
    if (sum.weight == 0) return 0;
    return TruncateToInt64(std::round(static_cast<double>(sum.score) / static_cast<double>(sum.weight)));
  }

 private:
  static constexpr int64_t kMaxUtilization = 100;
  ShapeScore shape_;
};

}  // namespace

Result<std::unique_ptr<FitStrategy>> FitStrategy::Create(const config::ScoringStrategy& strategy) {
  std::unique_ptr<FitStrategy> result;
  if (strategy.type == "LeastAllocated") {
    result = std::make_unique<LeastAllocated>();
  } else if (strategy.type == "MostAllocated") {
    result = std::make_unique<MostAllocated>();
  } else if (strategy.type == "RequestedToCapacityRatio") {
    if (!strategy.requested_to_capacity_ratio || strategy.requested_to_capacity_ratio->shape.empty()) {
      return Error{"requestedToCapacityRatio must be specified when type is RequestedToCapacityRatio"};
    }
    result = std::make_unique<RequestedToCapacityRatio>(ShapeScore(strategy.requested_to_capacity_ratio->shape));
  } else {
    return Error{"scoring strategy " + strategy.type + " is not supported"};
  }
  return result;
}

}  // namespace ksched
