// How well the volumes of a pod would use a node's storage.
// Reference: pkg/scheduler/framework/plugins/volumebinding/scorer.go, v1.37.2.
#pragma once

#include <vector>

#include "plugins/common/shape_score.h"
#include "plugins/volume_binding/pod_volumes.h"

namespace ksched {

class CapacityScore {
 public:
  // A shape as ShapeScore wants it.
  explicit CapacityScore(const std::vector<config::UtilizationShapePoint>& shape) : shape_(shape) {}
  // By the utilisation of each class of storage; with volumes that are there, those that are to be made do not count.
  int64_t Score(const PodVolumes& volumes) const;

 private:
  ShapeScore shape_;
};

}  // namespace ksched
