// What makes a node selector term invalid, in the words of the reference: newNodeSelectorTerm in
// k8s.io/component-helpers/scheduling/corev1/nodeaffinity, v0.37.2, and labels.NewRequirement in apimachinery.
#pragma once

#include <span>
#include <string>

#include "api/field_path.h"
#include "api/types.h"
#include "config/field_error.h"

namespace ksched {

// With `path` in front. Of preferred terms, those with weight 0 are not looked at. Nothing is appended, and nothing
// allocated, for what is valid.
void AppendErrors(const api::NodeSelectorTerm& term, const api::FieldPath& path, config::FieldErrors& errors);
void AppendErrors(const api::NodeSelector& selector, const api::FieldPath& path, config::FieldErrors& errors);
void AppendErrors(std::span<const api::PreferredSchedulingTerm> terms, const api::FieldPath& path,
                  config::FieldErrors& errors);

// The same for a pod's own, as one text; empty if all is valid.
std::string Problems(const api::NodeSelector& selector);
std::string Problems(std::span<const api::PreferredSchedulingTerm> terms);

}  // namespace ksched
