// What Prometheus' clients say of their process: process_cpu_seconds_total and so on.
#pragma once

#include <string>

namespace ksched::serve {

std::string ProcessMetrics();

}  // namespace ksched::serve
