// What ClusterState keeps of an object: only what scheduling reads. The rest is left out when the object goes in.
#pragma once

#include "api/types.h"
#include "api/types_workload.h"

namespace ksched {

// Of a node: no images (they are in ImageTable), no capacity (allocatable was defaulted from it), of the annotations
// whether they change.
void KeepWhatIsRead(api::Node& node);
// Of what makes pods: which pods it selects.
void KeepWhatIsRead(api::Workload& workload);
// Of any other kind everything.
template <typename T>
void KeepWhatIsRead(T&) {}

}  // namespace ksched
