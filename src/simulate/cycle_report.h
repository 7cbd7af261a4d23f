// From what a cycle did to its part of the report (with --explain).
#pragma once

#include "report/report.h"
#include "scheduler/scheduler.h"

namespace ksched {

CycleReport MakeCycleReport(const Scheduler& scheduler, const ClusterState& state);

}  // namespace ksched
