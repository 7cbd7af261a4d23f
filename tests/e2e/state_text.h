// What a state holds, object by object, as text that is equal for equal states.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "state/cluster_state.h"

namespace ksched {

// By "Node n1", "Pod default/web", "StorageClass fast": everything that scheduling reads of it, and what is worked out
// from it (what the pods of a node take, its images, ports).
std::map<std::string, std::string> DescribeObjects(ClusterState& state);

// Names of what differs, and how: "Pod default/web: only in the first".
std::vector<std::string> Differences(const std::map<std::string, std::string>& first,
                                     const std::map<std::string, std::string>& second);

// A hash of all of it.
std::string Digest(const std::map<std::string, std::string>& objects);

}  // namespace ksched
