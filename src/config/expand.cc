#include "config/expand.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "api/field_errors.h"
#include "base/wrapping.h"
#include "config/validate.h"

namespace ksched::config {
namespace {

using api::Quote;

// The order in which the reference goes through the points: it decides which error comes first.
constexpr std::array<ExtensionPoint, kExtensionPointCount> kCheckOrder = {
    ExtensionPoint::kPreFilter,
    ExtensionPoint::kFilter,
    ExtensionPoint::kPostFilter,
    ExtensionPoint::kReserve,
    ExtensionPoint::kPreScore,
    ExtensionPoint::kScore,
    ExtensionPoint::kPreBind,
    ExtensionPoint::kBind,
    ExtensionPoint::kPostBind,
    ExtensionPoint::kPermit,
    ExtensionPoint::kPreEnqueue,
    ExtensionPoint::kQueueSort,
    ExtensionPoint::kPlacementGenerate,
    ExtensionPoint::kPlacementScore,
    ExtensionPoint::kPodGroupPostFilter,
};

class Expansion {
 public:
  Expansion(const Profile& profile, const PluginCatalog& catalog) : profile_(profile), catalog_(catalog) {}

  Result<ExpandedProfile> Run() {
    CollectPlugins();
    if (Result<void> checked = CheckArgs(); !checked) return std::move(checked).error();
    for (const ExtensionPoint point : kCheckOrder) {
      if (Result<void> checked = CheckSpecific(point); !checked) return std::move(checked).error();
    }
    for (const ExtensionPoint point : kCheckOrder) {
      if (Result<void> expanded = Expand(point); !expanded) return std::move(expanded).error();
    }
    if (Result<void> checked = CheckCounts(); !checked) return std::move(checked).error();
    if (Result<void> weighed = Weigh(ExtensionPoint::kScore, "score plugins: "); !weighed) {
      return std::move(weighed).error();
    }
    if (Result<void> weighed = Weigh(ExtensionPoint::kPlacementScore, "placement score plugins: "); !weighed) {
      return std::move(weighed).error();
    }
    return std::move(result_);
  }

 private:
  const PluginSet& SetOf(ExtensionPoint point) const { return profile_.plugins.At(point); }
  const std::vector<Plugin>& multi_point() const { return profile_.plugins.multi_point.enabled; }
  std::vector<ExpandedPlugin>& Out(ExtensionPoint point) { return result_.points[static_cast<size_t>(point)]; }

  bool Implements(const std::string& name, ExtensionPoint point) const {
    return catalog_.Known(name) && (catalog_.ExtensionPoints(name) & MaskOf(point)) != 0;
  }

  Error DoesNotExist(const std::string& name, ExtensionPoint point) const {
    return {std::string(InterfaceName(point)) + " " + Quote(name) + " does not exist"};
  }
  Error AlreadyRegistered(const std::string& name, ExtensionPoint point) const {
    return {"plugin " + Quote(name) + " already registered as " + Quote(InterfaceName(point))};
  }

  void CollectPlugins() {
    std::set<std::string> names;
    for (const Plugin& plugin : multi_point()) names.insert(plugin.name);
    for (const PluginSet& set : profile_.plugins.points) {
      for (const Plugin& plugin : set.enabled) names.insert(plugin.name);
    }
    result_.plugins.assign(names.begin(), names.end());
  }

  // What creating the plugins would find.
  Result<void> CheckArgs() const {
    std::set<std::string_view> seen;
    for (const PluginConfig& config : profile_.plugin_config) {
      if (!seen.insert(config.name).second) return Error{"repeated config for plugin " + config.name};
    }
    const std::string fit = "NodeResourcesFit";
    if (!std::binary_search(result_.plugins.begin(), result_.plugins.end(), fit) || !catalog_.Known(fit)) return {};
    const PluginArgs* config = profile_.ArgsOf(fit);
    const auto* args = config == nullptr ? nullptr : std::get_if<NodeResourcesFitArgs>(config);
    if (args == nullptr) return {};
    const FieldErrors errors = ValidateNodeResourcesFitArgs(*args, api::FieldPath());
    if (errors.empty()) return {};
    return Error{"initializing plugin " + Quote(fit) + ": " + Aggregate(errors)};
  }

  Result<void> CheckSpecific(ExtensionPoint point) const {
    std::set<std::string_view> seen;
    for (const Plugin& plugin : SetOf(point).enabled) {
      if (!catalog_.Known(plugin.name)) return DoesNotExist(plugin.name, point);
      if (!Implements(plugin.name, point)) {
        return Error{"plugin " + Quote(plugin.name) + " does not extend " + std::string(InterfaceName(point)) +
                     " plugin"};
      }
      if (!seen.insert(plugin.name).second) return AlreadyRegistered(plugin.name, point);
    }
    return {};
  }

  // Three parts: plugins of the point that are in multiPoint too, in the point's order; the others of multiPoint that
  // implement the point; the others of the point.
  Result<void> Expand(ExtensionPoint point) {
    const PluginSet& set = SetOf(point);
    std::set<std::string_view> specific, disabled, overrides, from_multi_point;
    for (const Plugin& plugin : set.enabled) specific.insert(plugin.name);
    for (const Plugin& plugin : set.disabled) disabled.insert(plugin.name);
    std::vector<std::string_view> second_part;
    if (!disabled.contains("*")) {
      for (const Plugin& plugin : multi_point()) {
        if (!catalog_.Known(plugin.name)) return DoesNotExist(plugin.name, point);
        if (!Implements(plugin.name, point) || disabled.contains(plugin.name)) continue;
        if (specific.contains(plugin.name)) {
          overrides.insert(plugin.name);
          continue;
        }
        if (!from_multi_point.insert(plugin.name).second) return AlreadyRegistered(plugin.name, point);
        second_part.push_back(plugin.name);
      }
    }
    std::vector<ExpandedPlugin>& out = Out(point);
    for (const Plugin& plugin : set.enabled) {
      if (overrides.contains(plugin.name)) out.push_back({plugin.name});
    }
    for (const std::string_view name : second_part) out.push_back({std::string(name)});
    for (const Plugin& plugin : set.enabled) {
      if (!overrides.contains(plugin.name)) out.push_back({plugin.name});
    }
    return {};
  }

  Result<void> CheckCounts() {
    const std::string profile = " for profile with scheduler name " + Quote(profile_.scheduler_name);
    if (const size_t count = Out(ExtensionPoint::kQueueSort).size(); count != 1) {
      return Error{"only one queue sort plugin required" + profile + ", but got " + std::to_string(count)};
    }
    if (Out(ExtensionPoint::kBind).empty()) return Error{"at least one bind plugin is needed" + profile};
    if (Out(ExtensionPoint::kPlacementGenerate).size() > 1) {
      return Error{"at most one placement generate plugin is allowed" + profile};
    }
    return {};
  }

  // A weight at the point itself goes before one in multiPoint.
  Result<void> Weigh(ExtensionPoint point, const std::string& context) {
    constexpr int64_t kMaxScore = 100, kMaxTotal = std::numeric_limits<int64_t>::max();
    std::map<std::string_view, int64_t> weights;
    int64_t total = 0;
    for (const std::vector<Plugin>* list : {&SetOf(point).enabled, &multi_point()}) {
      for (const Plugin& plugin : *list) {
        if (!Implements(plugin.name, point)) continue;
        const int64_t weight = plugin.weight == 0 ? 1 : plugin.weight;
        if (!weights.emplace(plugin.name, weight).second) continue;
        if (weight * kMaxScore > WrapSub(kMaxTotal, total)) {  // as Go's integers: negative totals overflow at once
          return Error{context + "total score of Score plugins could overflow"};
        }
        total += weight * kMaxScore;
      }
    }
    for (ExpandedPlugin& plugin : Out(point)) plugin.weight = weights.at(plugin.name);
    return {};
  }

  const Profile& profile_;
  const PluginCatalog& catalog_;
  ExpandedProfile result_;
};

// Arguments of a plugin as text, to compare: only plugins from outside sort the queue with arguments.
std::string ArgsText(const Profile& profile, const std::string& plugin) {
  const PluginArgs* args = profile.ArgsOf(plugin);
  const auto* unknown = args == nullptr ? nullptr : std::get_if<UnknownArgs>(args);
  return unknown == nullptr ? "" : unknown->json;
}

}  // namespace

Result<ExpandedProfile> ExpandProfile(const Profile& profile, const PluginCatalog& catalog) {
  return Expansion(profile, catalog).Run();
}

Result<void> CheckQueueSort(const SchedulerConfiguration& configuration, const std::vector<ExpandedProfile>& expanded) {
  for (size_t i = 1; i < expanded.size(); ++i) {
    const std::string& first = expanded[0].At(ExtensionPoint::kQueueSort)[0].name;
    const std::string& other = expanded[i].At(ExtensionPoint::kQueueSort)[0].name;
    const std::string& name = configuration.profiles[i].scheduler_name;
    if (first != other) {
      return Error{"different queue sort plugins for profile " + Quote(name) + ": " + Quote(other) +
                   ", first: " + Quote(first)};
    }
    if (ArgsText(configuration.profiles[0], first) != ArgsText(configuration.profiles[i], other)) {
      return Error{"different queue sort plugin args for profile " + Quote(name)};
    }
  }
  return {};
}

}  // namespace ksched::config
