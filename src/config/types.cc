#include "config/types.h"

namespace ksched::config {
namespace {

struct PointNames {
  std::string_view field, interface;
};
constexpr std::array<PointNames, kExtensionPointCount> kPointNames = {{
    {"preEnqueue", "PreEnqueuePlugin"},
    {"queueSort", "QueueSortPlugin"},
    {"preFilter", "PreFilterPlugin"},
    {"filter", "FilterPlugin"},
    {"postFilter", "PostFilterPlugin"},
    {"preScore", "PreScorePlugin"},
    {"score", "ScorePlugin"},
    {"reserve", "ReservePlugin"},
    {"permit", "PermitPlugin"},
    {"preBind", "PreBindPlugin"},
    {"bind", "BindPlugin"},
    {"postBind", "PostBindPlugin"},
    {"placementGenerate", "PlacementGeneratePlugin"},
    {"placementScore", "PlacementScorePlugin"},
    {"podGroupPostFilter", "PodGroupPostFilterPlugin"},
}};

}  // namespace

std::string_view FieldName(ExtensionPoint point) { return kPointNames[static_cast<size_t>(point)].field; }
std::string_view InterfaceName(ExtensionPoint point) { return kPointNames[static_cast<size_t>(point)].interface; }

const PluginArgs* Profile::ArgsOf(std::string_view plugin) const {
  for (const PluginConfig& config : plugin_config) {
    if (config.name == plugin) return &config.args;
  }
  return nullptr;
}

}  // namespace ksched::config
