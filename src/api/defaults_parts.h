// The parts of defaulting that several files share.
#pragma once

#include "api/types_storage.h"
#include "api/types_workload.h"

namespace ksched::api {

void SetClaimDefaults(ClaimSpec& claim);
void SetWorkloadDefaults(Workload& workload);

}  // namespace ksched::api
