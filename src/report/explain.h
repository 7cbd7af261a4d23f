// What the last cycle of a pod made of each node, for people.
#pragma once

#include <ostream>
#include <string_view>

#include "report/report.h"

namespace ksched {

struct ExplainOptions {
  bool wide = false;  // name every node; else a few of those that were rejected alike
  bool colour = false;
};

// `cycle` is null when the pod had none.
void WriteExplanation(const PodOutcome& pod, const CycleReport* cycle, const ExplainOptions& options,
                      std::ostream& out);

// "node-a, node-b and 3 more", at most `limit` of them by name (0: all).
std::string NameSome(const std::vector<std::string>& names, size_t limit);

}  // namespace ksched
