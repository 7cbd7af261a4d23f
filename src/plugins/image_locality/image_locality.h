// Prefers nodes that have the pod's images already, the larger the better; an image that few nodes have counts less,
// so that not all pods go to those.
// Reference: pkg/scheduler/framework/plugins/imagelocality, v1.37.2; no differences.
#pragma once

#include <memory>

#include "framework/registry.h"

namespace ksched {

class ImageLocality final : public Plugin, public ScorePlugin, public SignPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);

  std::string_view name() const override { return "ImageLocality"; }
  Status Score(const CycleState& cycle, const PodInfo& pod, const NodeView& node, int64_t& score) const override;
  // The images of containers and init containers. Those of volumes are left out, though Score counts them.
  bool SignPod(const PodInfo& pod, std::string& signature) const override;

  Dependencies dependencies() const override {
    return {.filter = 0,
            .score = kImagesChanged,
            .cacheable_filter = true,
            .cacheable_score = true,
            .score_counts_nodes = true};
  }
};

}  // namespace ksched
