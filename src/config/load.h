// Reads a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) the way kube-scheduler does: strictly, then
// defaulted and validated with its messages. A configuration that came through here is complete.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/feature_gates.h"
#include "config/types.h"

namespace ksched::config {

// The configuration without a file: one profile, default-scheduler, with the default plugins.
SchedulerConfiguration DefaultConfiguration(const FeatureGates& gates);

// `file` empty: the default; "-": standard input. YAML or JSON. Errors begin with file:line where that is known.
// Extenders are valid for kube-scheduler and an error here: ksched does not call them yet.
Result<SchedulerConfiguration> LoadConfiguration(const std::string& file, const FeatureGates& gates);

// The same for text in memory; `name` stands for the file in messages.
Result<SchedulerConfiguration> LoadConfigurationFromText(std::string text, const std::string& name,
                                                         const FeatureGates& gates);

// --percentage-of-nodes-to-score: overrides the global value, with the reference's check.
Result<void> OverridePercentageOfNodesToScore(SchedulerConfiguration& configuration, int32_t percentage);

// Takes the plugins that ksched does not have yet out of every profile, as far as only the default set brought them in,
// and returns their names, sorted, each once. A user who enabled one of them gets an error.
Result<std::vector<std::string>> DropAbsentPlugins(SchedulerConfiguration& configuration,
                                                   const std::set<std::string>& absent);

}  // namespace ksched::config
