#include "plugins/registry.h"

#include <gtest/gtest.h>

#include <set>

#include "config/load.h"

namespace ksched {
namespace {

const PluginEntry* Find(const PluginRegistry& registry, std::string_view name) {
  for (const PluginEntry& entry : registry) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

TEST(RegistryTest, EveryPluginOnceAndFewEnoughForASet) {
  const PluginRegistry registry = MakeRegistry();
  std::set<std::string> names;
  for (const PluginEntry& entry : registry) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_NE(entry.extension_points, 0U) << entry.name;
  }
  EXPECT_EQ(names.size(), 24U);
  EXPECT_LE(registry.size(), 64U);
}

// Of the default profile nothing is missing; what is belongs to gates that are off.
TEST(RegistryTest, PluginsThatAreNotThere) {
  std::set<std::string> missing;
  for (const PluginEntry& entry : MakeRegistry()) {
    if (!entry.create) missing.insert(entry.name);
  }
  EXPECT_EQ(missing, (std::set<std::string>{"DeferredPodScheduling", "GangScheduling", "TopologyPlacementGenerator",
                                            "PodGroupPodsCount"}));
}

// The order of the registry is the default profile's, of which the gates leave some plugins out.
TEST(RegistryTest, OrderOfTheDefaultProfile) {
  for (const char* const gates : {"", "AllAlpha=true,AllBeta=true"}) {
    const auto features = config::FeatureGates::Parse(gates);
    ASSERT_TRUE(features.ok());
    std::vector<std::string> enabled, listed;
    std::set<std::string> names;
    const auto configuration = config::DefaultConfiguration(*features);
    for (const auto& plugin : configuration.profiles.front().plugins.multi_point.enabled) {
      enabled.push_back(plugin.name);
      names.insert(plugin.name);
    }
    for (const PluginEntry& entry : MakeRegistry()) {
      if (names.contains(entry.name)) listed.push_back(entry.name);
    }
    EXPECT_EQ(listed, enabled) << gates;
  }
}

TEST(RegistryTest, ExtensionPoints) {
  using enum config::ExtensionPoint;
  const PluginRegistry registry = MakeRegistry();
  EXPECT_EQ(Find(registry, "ImageLocality")->extension_points, config::MaskOf(kScore));
  EXPECT_EQ(Find(registry, "NodePorts")->extension_points, config::MaskOf(kPreFilter) | config::MaskOf(kFilter));
  EXPECT_EQ(Find(registry, "DefaultBinder")->extension_points, config::MaskOf(kBind));
}

}  // namespace
}  // namespace ksched
