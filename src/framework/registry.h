// Creation of plugins: what they are given, and the list of those that exist (plugins/registry.cc makes it).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/feature_gates.h"
#include "config/types.h"
#include "framework/handle.h"
#include "framework/plugin.h"
#include "framework/ports.h"

namespace ksched {

// DeviceClasses by the extended resource that they provide (DRAExtendedResource).
class DeviceClassLister {
 public:
  virtual ~DeviceClassLister() = default;
  virtual const api::DeviceClass* ForExtendedResource(std::string_view resource) const = 0;
};

// What a plugin may use, beyond its arguments. Everything outlives the plugin.
struct PluginContext {
  PluginId id = kNoPlugin;  // the plugin's own, for CycleState
  ClusterState& state;
  ReasonTable& reasons;
  const config::FeatureGates& features;
  const DeviceClassLister& device_classes;
  Ports ports;
  FrameworkHandle* handle = nullptr;  // of the profile that the plugin is made for
};

using PluginFactory =
    std::function<Result<std::unique_ptr<Plugin>>(const config::PluginArgs& args, const PluginContext& context)>;

struct PluginEntry {
  std::string name;
  uint32_t extension_points = 0;  // bits of ExtensionPoint: what it implements
  PluginFactory create;           // null: the reference has it, ksched has not yet
};

// In the order of the reference's default profile. PluginId is the index.
using PluginRegistry = std::vector<PluginEntry>;

}  // namespace ksched
