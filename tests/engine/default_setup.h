// What a run without a configuration and without gates is set up with.
#pragma once

#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "config/load.h"
#include "plugins/registry.h"

namespace ksched {

struct DefaultSetup {
  DefaultSetup() {
    auto loaded = config::LoadConfiguration("", features);
    EXPECT_TRUE(loaded.ok());
    configuration = std::move(*loaded);
    std::set<std::string> absent;
    for (const PluginEntry& entry : registry) {
      if (!entry.create) absent.insert(entry.name);
    }
    EXPECT_TRUE(config::DropAbsentPlugins(configuration, absent).ok());
  }

  config::FeatureGates features;
  config::SchedulerConfiguration configuration;
  const PluginRegistry registry = MakeRegistry();
};

}  // namespace ksched
