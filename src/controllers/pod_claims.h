// The claims that come with a pod: of its ephemeral volumes, and from its resourceClaimTemplates. References:
// pkg/controller/{volume/ephemeral,resourceclaim}, v1.37.2.
#pragma once

#include <vector>

#include "api/types.h"

namespace ksched::controllers {

// POD-VOLUME for each ephemeral volume, owned by the pod, Pending. The pod has its name and uid.
std::vector<api::PersistentVolumeClaim> EphemeralClaimsOf(const api::Pod& pod);

// POD-CLAIM for each of spec.resourceClaims that names a template, owned by the pod. (The real names end in random
// letters.) What the template asks for is not read in this version.
std::vector<api::OtherObject> ResourceClaimsOf(const api::Pod& pod);

}  // namespace ksched::controllers
