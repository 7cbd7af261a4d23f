// Whether `kubectl apply` of a manifest changes the pod template of the live object.
#pragma once

#include <optional>
#include <string>

#include <rapidjson/document.h>

#include "api/field_path.h"

namespace ksched::controllers {

// The first place where applying changes the template, like "spec.template.spec.containers[web].image"; nothing if it
// stays as it is. The three are the templates of the manifest, of the live object, and of its annotation
// kubectl.kubernetes.io/last-applied-configuration (absent: it was not applied); `at` is where they stand in the
// object. None of them has to be defaulted or valid.
//
// As the three-way strategic merge of kubectl goes (k8s.io/apimachinery/pkg/util/strategicpatch), followed by the API
// server's defaulting: a field of the manifest that differs from the live one is a change, and so is one that was
// applied and is no longer in the manifest, unless its live value is the default. What only the live object has is
// not. null is absent. Lists with a merge key go item by item, and their order counts; others are replaced as a whole.
// Amounts of resources are compared by value. A value that the API leaves out where it is empty is as good as absent.
std::optional<std::string> FirstTemplateChange(const rapidjson::Value& manifest_template,
                                               const rapidjson::Value& live_template,
                                               const rapidjson::Value* last_applied_template, const api::FieldPath& at);

}  // namespace ksched::controllers
