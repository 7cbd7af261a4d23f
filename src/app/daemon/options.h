// The flags of `run`. They have kube-scheduler's names; what is not there yet is refused, unless leaving it out changes
// nothing for the cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/types.h"
#include "kube/client_config.h"

namespace ksched::daemon {

struct RunOptions {
  bool help = false;
  kube::ClientOptions connection;
  std::string config, feature_gates;
  // The name of the one profile that there is without a configuration, or that a configuration has.
  std::optional<std::string> scheduler_name;
  // What overrides the configuration's leader election.
  std::optional<bool> leader_elect;
  std::optional<config::DurationNs> lease_duration, renew_deadline, retry_period;
  std::optional<std::string> resource_name, resource_namespace;
  std::optional<double> qps;
  std::optional<int32_t> burst;
  std::optional<uint64_t> seed;  // of the draws between equal nodes; absent: another one in each run
  std::string record_cycles;     // the folder to which every cycle is written; empty: none
  int32_t verbosity = 0;
};

// `arguments` are those after the command. The error says what is wrong with which flag, and perhaps what was meant.
Result<RunOptions> ParseRunOptions(const std::vector<std::string>& arguments);

// Every flag with what it does, for --help.
std::string DescribeRunFlags();

}  // namespace ksched::daemon
