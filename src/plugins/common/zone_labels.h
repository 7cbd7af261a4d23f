// The labels for zones and regions, and what the label of a volume of several zones holds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ksched {

inline constexpr const char* kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr const char* kRegionLabel = "topology.kubernetes.io/region";
inline constexpr const char* kBetaZoneLabel = "failure-domain.beta.kubernetes.io/zone";
inline constexpr const char* kBetaRegionLabel = "failure-domain.beta.kubernetes.io/region";

// "a__b" is a and b; blanks around a name do not count. At least one name, which may be empty.
std::vector<std::string> SplitZones(std::string_view label);

}  // namespace ksched
