// From the plugins of a profile to what runs at each extension point, in order: what NewFramework of kube-scheduler
// makes of multiPoint, specific points and disabled plugins.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/types.h"

namespace ksched::config {

// What there is to enable: the registry, seen from here.
class PluginCatalog {
 public:
  virtual ~PluginCatalog() = default;
  virtual bool Known(std::string_view name) const = 0;
  // The points that a known plugin implements.
  virtual ExtensionPointMask ExtensionPoints(std::string_view name) const = 0;
};

struct ExpandedPlugin {
  std::string name;
  int64_t weight = 0;  // at kScore and kPlacementScore at least 1 unless the user gave a negative one; else 0
  bool operator==(const ExpandedPlugin&) const = default;
};

struct ExpandedProfile {
  std::array<std::vector<ExpandedPlugin>, kExtensionPointCount> points;
  std::vector<std::string> plugins;  // every plugin that has to be created, each once, sorted

  const std::vector<ExpandedPlugin>& At(ExtensionPoint point) const { return points[static_cast<size_t>(point)]; }
};

// Errors are kube-scheduler's, without its "creating profile for scheduler name X: " (the caller knows X). The
// arguments of NodeResourcesFit are validated here, because that is where kube-scheduler does it.
Result<ExpandedProfile> ExpandProfile(const Profile& profile, const PluginCatalog& catalog);

// What must hold between the expanded profiles of one scheduler: they sort the queue alike. Same order and length as
// configuration.profiles.
Result<void> CheckQueueSort(const SchedulerConfiguration& configuration, const std::vector<ExpandedProfile>& expanded);

}  // namespace ksched::config
