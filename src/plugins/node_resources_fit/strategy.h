// The scoring strategies of NodeResourcesFit: how the use of a node's resources becomes a score.
// Reference: {least_allocated,most_allocated,requested_to_capacity_ratio}.go of plugins/noderesources, v1.37.2.
#pragma once

#include <cstdint>
#include <memory>

#include "plugins/common/resource_scoring.h"

namespace ksched {

class FitStrategy {
 public:
  virtual ~FitStrategy() = default;
  // 0 to kMaxNodeScore.
  virtual int64_t Score(const ScoredResources& resources, const ScoredRequests& requests,
                        const NodeView& node) const = 0;

  // By the strategy's type: LeastAllocated, MostAllocated or RequestedToCapacityRatio.
  static Result<std::unique_ptr<FitStrategy>> Create(const config::ScoringStrategy& strategy);
};

}  // namespace ksched
