// The API server's validation, of what scheduling reads. Reference: pkg/apis/{core,apps,batch,...}/validation of
// k8s.io/kubernetes and pkg/apis/meta/v1/validation of apimachinery, v1.37.2, with their texts.
#pragma once

#include <string_view>

#include "api/objects.h"
#include "api/reporter.h"

namespace ksched::api {

// The object as SetDefaults left it. `kind` is its kind, for what differs in names.
void ValidateObject(const Object& object, std::string_view kind, bool namespaced, ValidationMode mode,
                    ProblemReporter& reporter);

}  // namespace ksched::api
