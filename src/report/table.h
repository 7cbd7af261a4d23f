// The report for people: a table of pods, where each of them goes or why it does not, and a summary.
#pragma once

#include <ostream>
#include <string>

#include "report/report.h"

namespace ksched {

struct TableOptions {
  bool wide = false;     // also scheduler, priority, attempts and victims, and every node
  bool explain = false;  // what the last cycle of each pod made of each node; needs report.cycles
  bool colour = false;
  std::string ns = "default";  // namespaces are shown when a pod is of another one
};

// The pods of manifests are shown, and the others summed up; if there are none of manifests, all are shown. Replicas of
// a workload that agree are one line.
void WriteTable(const SchedulingReport& report, const TableOptions& options, std::ostream& out);

// Whether each pod that the table shows is placed, as far as it is there still: pods that an event deleted do not
// count.
bool AllPlaced(const SchedulingReport& report, bool ignore_other_schedulers);

// One line "pod/NAME" for each pod that the table shows.
void WriteNames(const SchedulingReport& report, std::ostream& out);

}  // namespace ksched
