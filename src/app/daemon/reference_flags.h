// kube-scheduler's flags that mean little here: taken where that is safe, with a warning, else refused.
#pragma once

#include <string>
#include <vector>

#include "app/cli/flags.h"

namespace ksched::daemon {

void AddReferenceFlags(cxxopts::Options& options);
// `warnings` gets a line for each flag that is not heeded.
Result<void> CheckReferenceFlags(const cxxopts::ParseResult& parsed, std::vector<std::string>& warnings);

}  // namespace ksched::daemon
