// The pods that belong together with a pod although it does not say so: what default constraints spread.
// Reference: pkg/scheduler/framework/plugins/helper/spread.go, v1.37.2.
#pragma once

#include "api/types.h"
#include "state/cluster_objects.h"
#include "state/pod_class.h"

namespace ksched {

// The selectors of all Services that mean the pod, and of the ReplicationController, ReplicaSet or StatefulSet that
// controls it, in one. Empty if there are none.
api::LabelSelector DefaultSelector(const PodClass& pod, const ClusterObjects& objects);
// False: DefaultSelector is empty for every pod.
bool AnyDefaultSelectors(const ClusterObjects& objects);
// Another number whenever an object that DefaultSelector reads has changed.
uint64_t DefaultSelectorVersion(const ClusterObjects& objects);

}  // namespace ksched
