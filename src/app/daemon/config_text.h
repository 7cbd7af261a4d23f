// The configuration in use as KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1), for /configz and
// --write-config-to. What is read of it gives it again.
#pragma once

#include "config/types.h"
#include "report/emitter.h"

namespace ksched::daemon {

void WriteConfiguration(const config::SchedulerConfiguration& configuration, Emitter& out);

}  // namespace ksched::daemon
