// The report as a structured document (docs/report.md): what is in it, in which order, and what is left out when empty.
#pragma once

#include <ostream>
#include <string_view>

#include "report/emitter.h"
#include "report/report.h"

namespace ksched {

// Whose scheduling semantics reports are by.
inline constexpr std::string_view kKubeVersion = "v1.37.2";

void EmitReport(const SchedulingReport& report, Emitter& emitter);

void WriteJson(const SchedulingReport& report, std::ostream& out);
void WriteYaml(const SchedulingReport& report, std::ostream& out);

}  // namespace ksched
