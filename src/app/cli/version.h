// Whose decisions are made: what this program assumes, and what the cluster's own kube-scheduler says of itself.
#pragma once

#include <ostream>
#include <string>

#include "kube/http_client.h"

namespace ksched::cli {

// What a run assumes of the cluster's scheduler.
struct AssumedScheduler {
  bool has_config = false;    // --config was given
  std::string feature_gates;  // of --feature-gates
};

// The line of `version`.
void PrintVersion(std::ostream& out);

// A line for each kube-scheduler pod that can be read: version and flags; and warnings for what is other than assumed,
// with the flag that mends it.
void DescribeSchedulers(kube::HttpClient& client, const AssumedScheduler& assumed, std::ostream& out,
                        std::ostream& warnings);

}  // namespace ksched::cli
