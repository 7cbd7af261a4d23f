#include "plugins/image_locality/image_locality.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/wrapping.h"
#include "plugins/common/go_arithmetic.h"
#include "plugins/common/signature.h"

namespace ksched {
namespace {

// What sizes count: below the one an image is as good as absent, beyond the other it makes no difference.
constexpr int64_t kMib = 1024 * 1024;
constexpr int64_t kMinSize = 23 * kMib;
constexpr int64_t kMaxSizePerImage = 1000 * kMib;

// The image's size times the share of the nodes that have it.
int64_t ScaledSize(int64_t size_bytes, int32_t node_count, uint32_t num_nodes) {
  const double spread = static_cast<double>(node_count) / static_cast<double>(num_nodes);
  return TruncateToInt64(static_cast<double>(size_bytes) * spread);
}

// 0 if the node does not have it.
int64_t ScaledSizeOn(const NodeView& node, const std::string& name) {
  const Image* image = node.state().image_table().Find(name);
  if (image == nullptr) return 0;
  const std::span<const NodeImage> images = node.images();
  const auto found = std::lower_bound(images.begin(), images.end(), image->id,
                                      [](const NodeImage& on_node, ImageId wanted) { return on_node.id < wanted; });
  if (found == images.end() || found->id != image->id) return 0;
  return ScaledSize(image->size_bytes, found->node_count, node.state().num_nodes());
}

}  // namespace

Result<std::unique_ptr<Plugin>> ImageLocality::Create(const config::PluginArgs&, const PluginContext&) {
  return std::unique_ptr<Plugin>(std::make_unique<ImageLocality>());
}

Status ImageLocality::Score(const CycleState&, const PodInfo& pod, const NodeView& node, int64_t& score) const {
  score = 0;
  const std::vector<std::string>& images = pod.pod_class->images;
  if (images.empty() || node.images().empty()) return {};
  int64_t sum = 0;
  for (const std::string& image : images) {
    sum = WrapAdd(sum, ScaledSizeOn(node, image));
  }
  const int64_t most = kMaxSizePerImage * static_cast<int64_t>(images.size());
  score = kMaxNodeScore * (std::clamp(sum, kMinSize, most) - kMinSize) / (most - kMinSize);
  return {};
}

bool ImageLocality::SignPod(const PodInfo& pod, std::string& signature) const {
  std::vector<std::string> names;
  const api::PodSpec& spec = pod.pod_class->spec;
  for (const auto* containers : {&spec.containers, &spec.init_containers}) {
    for (const api::Container& container : *containers) names.push_back(NormalizedImageName(container.image));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  AppendSignedSorted(std::move(names), signature);
  return true;
}

}  // namespace ksched
