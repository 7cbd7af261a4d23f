#include "config/feature_gates.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "api/field_errors.h"
#include "config/feature_gate_table.h"

namespace ksched::config {
namespace {

// In the order of Gate.
constexpr std::array<std::string_view, kGateCount> kGateNames = {
    "CompositePodGroup",
    "DRAAdminAccess",
    "DRAConsumableCapacity",
    "DRADerivedAttributes",
    "DRADeviceBindingConditions",
    "DRADeviceCompatibilityGroups",
    "DRADeviceTaintRules",
    "DRADeviceTaints",
    "DRAExtendedResource",
    "DRAFractionalCapacityRange",
    "DRAListTypeAttributes",
    "DRANodeAllocatableResources",
    "DRAOptionalNodeOperations",
    "DRAPartitionableDevices",
    "DRAPrioritizedList",
    "DRAResourceClaimDeviceStatus",
    "DRASchedulerFilterTimeout",
    "DRAWorkloadResourceClaims",
    "DynamicResourceAllocation",
    "GenericWorkload",
    "InPlacePodLevelResourcesVerticalScaling",
    "InPlacePodVerticalScaling",
    "InPlacePodVerticalScalingSchedulerPreemption",
    "InterPodAffinityHostnameFastPath",
    "MatchLabelKeysInPodTopologySpread",
    "NodeDeclaredFeatures",
    "NodeInclusionPolicyInPodTopologySpread",
    "NominatedNodeNameForExpectation",
    "OpportunisticBatching",
    "PodGroupPreemptionPolicy",
    "PodLevelResources",
    "PodObservedGenerationTracking",
    "RestartAllContainersOnContainerExits",
    "SchedulerAsyncAPICalls",
    "SchedulerAsyncPreemption",
    "SchedulerPopFromBackoffQ",
    "SchedulerPreQueueingHints",
    "StorageCapacityScoring",
    "TaintTolerationComparisonOperators",
    "TopologyAwareWorkloadScheduling",
    "VolumeAttributesClass",
    "VolumeLimitScaling",
};

constexpr std::string_view kAllAlpha = "AllAlpha", kAllBeta = "AllBeta";

// The gate's place in the table.
std::optional<size_t> IndexOf(std::string_view name) {
  const auto table = GateTable();
  const auto found = std::lower_bound(table.begin(), table.end(), name,
                                      [](const GateSpec& spec, std::string_view wanted) { return spec.name < wanted; });
  if (found == table.end() || found->name != name) return std::nullopt;
  return static_cast<size_t>(found - table.begin());
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// strconv.ParseBool.
std::optional<bool> ParseBool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

using Settings = std::map<std::string, bool, std::less<>>;

// "A=true,B=false": the last of several values of a gate counts.
Result<Settings> ParseSettings(std::string_view text) {
  Settings settings;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (item.empty()) continue;
    const size_t equals = item.find('=');
    const std::string name(Trim(item.substr(0, equals)));
    if (equals == std::string_view::npos) return Error{"missing bool value for " + name};
    const std::string value(Trim(item.substr(equals + 1)));
    const std::optional<bool> parsed = ParseBool(value);
    if (!parsed) {
      return Error{"invalid value of " + name + "=" + value + ", err: strconv.ParseBool: parsing " + api::Quote(value) +
                   ": invalid syntax"};
    }
    settings[name] = *parsed;
  }
  return settings;
}

// One message, or several as "[a, b]": how Kubernetes prints several errors.
std::string Join(const std::vector<std::string>& errors) {
  if (errors.size() == 1) return errors.front();
  std::string text = "[";
  for (const std::string& error : errors) text += (text.size() > 1 ? ", " : "") + error;
  return text + "]";
}

std::vector<std::string> CheckSettings(const Settings& settings) {
  std::vector<std::string> errors;
  for (const auto& [name, value] : settings) {
    const std::optional<size_t> index = IndexOf(name);
    if (!index) {
      errors.push_back("unrecognized feature gate: " + name);
      continue;
    }
    const GateSpec& spec = GateTable()[*index];
    if (spec.locked && spec.enabled != value) {
      errors.push_back("cannot set feature gate " + name + " to " + (value ? "true" : "false") +
                       ", feature is locked to " + (spec.enabled ? "true" : "false"));
    }
  }
  return errors;
}

}  // namespace

FeatureGates::FeatureGates() {
  const auto table = GateTable();
  for (size_t i = 0; i < table.size(); ++i) known_[i] = table[i].enabled;
  FillGates();
}

Result<FeatureGates> FeatureGates::Parse(std::string_view text) {
  const Result<Settings> settings = ParseSettings(text);
  if (!settings) return settings.error();
  std::vector<std::string> errors = CheckSettings(*settings);
  if (!errors.empty()) return Error{Join(errors)};

  FeatureGates gates;
  const auto table = GateTable();
  const auto set_stage = [&](std::string_view name, Stage stage) {
    const auto all = settings->find(name);
    if (all == settings->end()) return;
    for (size_t i = 0; i < table.size(); ++i) {
      if (table[i].stage == stage && table[i].name != kAllAlpha && table[i].name != kAllBeta) {
        gates.known_[i] = all->second;
      }
    }
  };
  set_stage(kAllAlpha, Stage::kAlpha);
  set_stage(kAllBeta, Stage::kBeta);
  for (const auto& [name, value] : *settings) gates.known_[*IndexOf(name)] = value;

  for (size_t i = 0; i < table.size(); ++i) {
    if (!gates.known_[i]) continue;
    std::string missing;
    for (std::string_view rest = table[i].depends_on; !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(name.size() + 1, rest.size()));
      if (!gates.known_[*IndexOf(name)]) missing.append(missing.empty() ? "" : " ").append(name);
    }
    if (missing.empty()) continue;
    errors.push_back(std::string(table[i].name) + " is enabled, but depends on features that are disabled: [" +
                     missing + "]");
  }
  if (!errors.empty()) return Error{Join(errors)};
  gates.FillGates();
  return gates;
}

void FeatureGates::FillGates() {
  for (size_t i = 0; i < kGateCount; ++i) gates_[i] = known_[*IndexOf(kGateNames[i])];
}

bool FeatureGates::Enabled(Gate gate) const { return gates_[static_cast<size_t>(gate)]; }

std::optional<bool> FeatureGates::Enabled(std::string_view name) const {
  const std::optional<size_t> index = IndexOf(name);
  if (!index) return std::nullopt;
  return known_[*index];
}

}  // namespace ksched::config
