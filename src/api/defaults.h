// The defaults that the API server sets, of what scheduling reads. Reference: SetDefaults_* of k8s.io/kubernetes
// pkg/apis/{apps,autoscaling,batch,core,extensions,scheduling,storage}/*/defaults.go, v1.37.2.
#pragma once

#include "api/objects.h"
#include "api/types.h"

namespace ksched::api {

// All that belongs to the object's kind. Metadata (namespace, uid) is not looked at. The template of a workload gets
// what the API server gives it; its pods get the rest when they are made.
void SetDefaults(Object& object);

void SetPodDefaults(PodSpec& spec);
// The same for a template: what it leaves out of requests, its pods get of their limits when they are created.
void SetTemplateDefaults(PodSpec& spec);

}  // namespace ksched::api
