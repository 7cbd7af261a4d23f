// Framework::Create: from the profile's configuration to plugins, wired to their extension points.

#include <algorithm>

#include <fmt/format.h>

#include "framework/framework.h"

namespace ksched {
namespace {

using config::ExtensionPoint;

// The registry as the configuration sees it.
class RegistryCatalog final : public config::PluginCatalog {
 public:
  explicit RegistryCatalog(const PluginRegistry& registry) : registry_(registry) {}
  bool Known(std::string_view name) const override { return Find(name) != nullptr; }
  config::ExtensionPointMask ExtensionPoints(std::string_view name) const override {
    const PluginEntry* entry = Find(name);
    return entry == nullptr ? 0 : entry->extension_points;
  }

 private:
  const PluginEntry* Find(std::string_view name) const {
    const auto found = std::find_if(registry_.begin(), registry_.end(), [&](const auto& e) { return e.name == name; });
    return found == registry_.end() ? nullptr : &*found;
  }
  const PluginRegistry& registry_;
};

PluginId IdOf(const PluginRegistry& registry, std::string_view name) {
  for (size_t id = 0; id < registry.size(); ++id) {
    if (registry[id].name == name) return static_cast<PluginId>(id);
  }
  return kNoPlugin;
}

}  // namespace

Result<std::unique_ptr<Framework>> Framework::Create(const config::Profile& profile, const PluginRegistry& registry,
                                                     const FrameworkContext& context) {
  auto expanded = config::ExpandProfile(profile, RegistryCatalog(registry));
  if (!expanded) return std::move(expanded).error();
  std::unique_ptr<Framework> framework(new Framework(registry, context));
  framework->scheduler_name_ = profile.scheduler_name;
  framework->percentage_of_nodes_to_score_ = profile.percentage_of_nodes_to_score;
  framework->expanded_ = std::move(*expanded);
  if (auto created = framework->CreatePlugins(profile); !created) return std::move(created).error();
  if (auto wired = framework->WirePlugins(); !wired) return std::move(wired).error();
  return framework;
}

Result<void> Framework::CreatePlugins(const config::Profile& profile) {
  plugins_.resize(registry_.size());
  for (const std::string& name : expanded_.plugins) {
    const PluginId id = IdOf(registry_, name);
    if (id == kNoPlugin) return Error{fmt::format("{} does not exist", name)};
    if (!registry_[id].create) {
      return Error{fmt::format("plugin \"{}\" is not there yet in this version of ksched", name)};
    }
    static const config::PluginArgs no_args;
    const config::PluginArgs* args = profile.ArgsOf(name);
    auto plugin = registry_[id].create(args == nullptr ? no_args : *args,
                                       PluginContext{id, context_.state, context_.reasons, context_.features,
                                                     context_.device_classes, context_.ports, this});
    if (!plugin) return Error{fmt::format("initializing plugin \"{}\": {}", name, plugin.error().message)};
    plugins_[id] = std::move(*plugin);
  }
  return {};
}

template <typename Interface>
Result<void> Framework::Wire(ExtensionPoint point, PluginList<Interface>& list) {
  for (const config::ExpandedPlugin& entry : expanded_.At(point)) {
    const PluginId id = IdOf(registry_, entry.name);
    auto* plugin = dynamic_cast<Interface*>(plugins_[id].get());
    if (plugin == nullptr) {
      return Error{fmt::format("plugin \"{}\" does not extend {} plugin", entry.name, config::FieldName(point))};
    }
    list.push_back({id, plugin, entry.weight, plugins_[id]->dependencies()});
  }
  return {};
}

Result<void> Framework::WirePlugins() {
  Result<void> wired;
  const auto wire = [&](ExtensionPoint point, auto& list) {
    if (wired) wired = Wire(point, list);
  };
  wire(ExtensionPoint::kPreEnqueue, pre_enqueue_);
  wire(ExtensionPoint::kQueueSort, queue_sort_);
  wire(ExtensionPoint::kPreFilter, pre_filters_);
  wire(ExtensionPoint::kFilter, filters_);
  for (const auto& entry : pre_filters_) {
    if (const auto* extensions = entry.plugin->extensions()) extensions_.push_back({entry.id, extensions, 0, {}});
  }
  constexpr Changes kPodChanges = kRequestedChanged | kPortsChanged | kPodsChanged;
  for (const auto& entry : filters_) {
    if ((entry.dependencies.filter & kPodChanges) != 0) pod_filters_.push_back(entry);
  }
  wire(ExtensionPoint::kPostFilter, post_filters_);
  wire(ExtensionPoint::kPreScore, pre_scorers_);
  wire(ExtensionPoint::kScore, scorers_);
  wire(ExtensionPoint::kReserve, reservers_);
  wire(ExtensionPoint::kPermit, permitters_);
  wire(ExtensionPoint::kPreBind, pre_binders_);
  wire(ExtensionPoint::kBind, binders_);
  wire(ExtensionPoint::kPostBind, post_binders_);
  const auto note = [this](const auto& list) {
    for (const auto& entry : list) binding_plugins_.Insert(entry.id);
  };
  note(reservers_);
  note(permitters_);
  note(pre_binders_);
  note(binders_);
  note(post_binders_);
  return wired;
}

std::vector<std::pair<PluginId, std::vector<ClusterEventWithHint>>> Framework::QueueingHints() const {
  // Only plugins that can reject a pod matter to the queue; one that does not say what it waits for waits for anything.
  std::vector<std::pair<PluginId, std::vector<ClusterEventWithHint>>> hints;
  constexpr uint32_t kRejecting = config::MaskOf(ExtensionPoint::kPreEnqueue) |
                                  config::MaskOf(ExtensionPoint::kPreFilter) | config::MaskOf(ExtensionPoint::kFilter) |
                                  config::MaskOf(ExtensionPoint::kReserve) | config::MaskOf(ExtensionPoint::kPermit);
  for (size_t id = 0; id < plugins_.size(); ++id) {
    if (plugins_[id] == nullptr || (registry_[id].extension_points & kRejecting) == 0) continue;
    if (const auto* extensions = dynamic_cast<const EnqueueExtensions*>(plugins_[id].get())) {
      hints.emplace_back(static_cast<PluginId>(id), extensions->EventsToRegister());
    } else {
      hints.emplace_back(static_cast<PluginId>(id), DefaultEventsToRegister());
    }
  }
  return hints;
}

bool Framework::SignPod(const PodInfo& pod, std::string& signature) const {
  constexpr uint32_t kReading = config::MaskOf(ExtensionPoint::kPreFilter) | config::MaskOf(ExtensionPoint::kFilter) |
                                config::MaskOf(ExtensionPoint::kPreScore) | config::MaskOf(ExtensionPoint::kScore);
  for (size_t id = 0; id < plugins_.size(); ++id) {
    if (plugins_[id] == nullptr || (registry_[id].extension_points & kReading) == 0) continue;
    const auto* signer = dynamic_cast<const SignPlugin*>(plugins_[id].get());
    if (signer == nullptr || !signer->SignPod(pod, signature)) return false;
    signature += '\0';
  }
  return true;
}

}  // namespace ksched
