// Diagnosis: why a pod found no node, counted; text is made only here and only when somebody reads it.
// Reference: Diagnosis and FitError in pkg/scheduler/framework/types.go, v1.37.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/framework.h"
#include "framework/verdict_table.h"

namespace ksched {

struct CheckedNode {
  NodeId node = kNoNode;
  VerdictId verdict = kUnknownVerdict;
};

struct Diagnosis {
  uint32_t num_all_nodes = 0;
  std::vector<CheckedNode> rejected;  // nodes with a status of their own, each once, in the order of the search
  // What nodes have that were not looked at, because PreFilter left them out or rejected the pod. Without plugin.
  std::optional<Status> absent;
  PluginSet unschedulable_plugins, pending_plugins;
  std::string pre_filter_message, post_filter_message;

  void Start(uint32_t nodes);
  void AddPluginStatus(const Status& status);
  // Notes the plugins of all rejected nodes.
  void CollectPlugins(const VerdictTable& verdicts);
  // "0/N nodes are available: ..."
  std::string Message(const VerdictTable& verdicts, const ReasonTable& reasons) const;

 private:
  std::string ReasonsByCount(const VerdictTable& verdicts, const ReasonTable& reasons) const;
};

}  // namespace ksched
