// What NodeAffinity signs of a pod: NodeAffinitySigner and the nodeSelector, with lists that are sets in any order.
// Reference: k8s.io/kube-scheduler/framework/signers.go, v0.37.2.
#pragma once

#include <string>

#include "api/types.h"

namespace ksched {

void AppendSignedNodeAffinity(const api::PodSpec& spec, std::string& signature);

}  // namespace ksched
