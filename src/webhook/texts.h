// Words about verdicts, for messages and warnings.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "state/resources.h"
#include "webhook/rehearsal.h"

namespace ksched::webhook {

// What a FitError says after "0/N nodes are available: ", without the last full stop; without that, all of it.
std::string ReasonsOf(std::string_view message);
// "Insufficient cpu on 38 nodes, 2 node(s) had untolerated taint {a: b}".
std::string ReasonsOnNodes(std::span<const CountedReason> reasons);
// "7910m", "31Gi", "2".
std::string AmountText(ResourceId resource, int64_t amount);

}  // namespace ksched::webhook
