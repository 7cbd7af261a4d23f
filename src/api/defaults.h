// The defaults that the API server sets, of what scheduling reads. Reference: SetDefaults_* of k8s.io/kubernetes
// pkg/apis/{apps,autoscaling,batch,core,extensions,scheduling,storage}/*/defaults.go, v1.37.2.
#pragma once

#include "api/objects.h"
#include "api/types.h"

namespace ksched::api {

// All that belongs to the object's kind. Metadata (namespace, uid) is not looked at. The template of a workload gets
// the defaults of pods, too: it becomes what its pods are once the controller has made them.
void SetDefaults(Object& object);

void SetPodDefaults(PodSpec& spec);

}  // namespace ksched::api
