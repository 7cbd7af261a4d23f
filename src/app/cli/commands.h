// The commands of kubectl-ksched.
#pragma once

#include <string>
#include <vector>

#include "app/cli/options.h"
#include "app/cli/streams.h"

namespace ksched::cli {

// The whole program: `arguments` without its own name. Returns the exit status.
int Run(const std::vector<std::string>& arguments, Streams& streams);

// The commands, with flags that hold together. Each returns the exit status.
int Simulate(const SimulateOptions& options, Streams& streams);
int Snapshot(const SnapshotOptions& options, Streams& streams);
int Version(const VersionOptions& options, Streams& streams);

}  // namespace ksched::cli
