// Which nodes a DaemonSet's pods belong on, and what ties each to its node. Reference: pkg/controller/daemon, v1.37.2
// (nodeShouldRunDaemonPod, util.AddOrUpdateDaemonPodTolerations, util.ReplaceDaemonSetPodNodeNameNodeAffinity).
#pragma once

#include "controllers/controller.h"

namespace ksched::controllers {

// The tolerations of all daemon pods; those with the same key, operator, value and effect are replaced.
void AddDaemonTolerations(api::PodSpec& spec);

struct DaemonVerdict {
  bool should_run = false;       // a pod is to be made there
  bool should_continue = false;  // one that is there may stay
  bool operator==(const DaemonVerdict&) const = default;
};
// `spec` is the template's, with the tolerations of daemon pods.
DaemonVerdict JudgeNode(const api::PodSpec& spec, const DaemonNode& node);

// Replaces the terms of the required node affinity by the node's name.
void TieToNode(api::PodSpec& spec, const std::string& node_name);

}  // namespace ksched::controllers
