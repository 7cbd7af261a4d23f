// Matching a node's name and labels against what a pod requires of its node. Reference:
// k8s.io/component-helpers/scheduling/corev1/nodeaffinity, v0.37.2. For many pods and nodes plugins/common compiles
// them.
#pragma once

#include "api/types.h"

namespace ksched::api {

// A term that is empty or invalid (an unknown operator, a wrong number of values, a bad key or value) matches nothing.
bool Matches(const NodeSelectorTerm& term, const std::string& node_name, const StringMap& node_labels);
// Any of the terms; without terms: nothing.
bool Matches(const NodeSelector& selector, const std::string& node_name, const StringMap& node_labels);
// nodeSelector and the required node affinity of the pod.
bool MatchesRequired(const PodSpec& spec, const std::string& node_name, const StringMap& node_labels);

}  // namespace ksched::api
