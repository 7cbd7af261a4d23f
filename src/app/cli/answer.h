// Answers of `simulate`: what it is set up with, and one run from the input to what is printed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/cli/options.h"
#include "app/cli/streams.h"
#include "config/feature_gates.h"
#include "config/types.h"
#include "manifest/loader.h"
#include "plugins/registry.h"

namespace ksched::cli {

// How pods are scheduled, out of flags and files.
struct Setup {
  PluginRegistry registry;
  config::FeatureGates features;
  config::SchedulerConfiguration configuration;
  std::vector<std::string> absent_plugins;  // that the default profile has and this version has not
};
Result<Setup> MakeSetup(const SimulateOptions& options);
// Of a command that has no flags about it but --config and --feature-gates.
Result<Setup> MakeSetup(const std::string& config, const std::string& feature_gates);
// What of the gates says how resources are counted.
ResourceFeatures ResourceFeaturesOf(const config::FeatureGates& gates);

// Everything about the input but where a live cluster is.
Result<InputOptions> InputOf(const SimulateOptions& options);

void PrintErrors(const std::vector<std::string>& errors, Streams& streams);

// Reads the input, runs, and prints the report. `before_run`, if any, is called when the input is good. Returns the
// exit status.
int Answer(const SimulateOptions& options, const Setup& setup, const InputOptions& input,
           const std::function<void()>& before_run, Streams& streams);
// The same where the setup has failed: says that, and what is wrong with the input.
int AnswerWithoutSetup(const Error& failure, const InputOptions& input, Streams& streams);

}  // namespace ksched::cli
