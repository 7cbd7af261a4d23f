// What ClusterState keeps of an object: only what scheduling reads. The rest is left out when the object goes in.
#pragma once

#include "api/types.h"
#include "api/types_workload.h"

namespace ksched {

// Of a node: no images (they are in ImageTable), no capacity (allocatable was defaulted from it), of annotations and
// conditions whether they change.
void KeepWhatIsRead(api::Node& node);
// The same for equal annotations, and for conditions of the same types and statuses, in a whole node and a kept one.
uint64_t HashOfAnnotations(const api::Node& node);
uint64_t HashOfConditions(const api::Node::Status& status);
// Of what makes pods: which pods it selects.
void KeepWhatIsRead(api::Workload& workload);
// Of any other kind everything.
template <typename T>
void KeepWhatIsRead(T&) {}

}  // namespace ksched
