// From a document to a configuration with the fields that it gives; everything else has its plain default. Defaults
// that depend on other values and on gates come after (defaults.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rapidjson/document.h>

#include "config/strict_reader.h"
#include "config/types.h"

namespace ksched::config {

inline constexpr std::string_view kGroupVersion = "kubescheduler.config.k8s.io/v1";
inline constexpr std::string_view kConfigurationKind = "KubeSchedulerConfiguration";

struct Decoded {
  SchedulerConfiguration configuration;
  std::vector<DecodeError> errors;  // nothing else counts if there are any
};

Decoded DecodeConfiguration(const rapidjson::Value& root);

// The arguments of one of kube-scheduler's plugins without any field given; nothing for other plugins, and for those
// that take no arguments.
std::optional<PluginArgs> NewPluginArgs(std::string_view plugin);

}  // namespace ksched::config
