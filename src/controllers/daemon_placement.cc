#include "controllers/daemon_placement.h"

#include <algorithm>

#include "api/node_selector_match.h"

namespace ksched::controllers {
namespace {

bool HasSameTarget(const api::Toleration& a, const api::Toleration& b) {
  return a.key == b.key && a.op == b.op && a.value == b.value && a.effect == b.effect;
}

void AddToleration(const char* key, const char* effect, api::PodSpec& spec) {
  const api::Toleration added{.key = key, .op = "Exists", .value = {}, .effect = effect, .toleration_seconds = {}};
  bool replaced = false;
  for (api::Toleration& toleration : spec.tolerations) {
    if (!HasSameTarget(toleration, added)) continue;
    toleration = added;
    replaced = true;
  }
  if (!replaced) spec.tolerations.push_back(added);
}

// The operators Lt and Gt are behind a gate that is off: they tolerate nothing.
bool Tolerates(const api::Toleration& toleration, const api::Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  return toleration.op == "Exists";
}

bool IsTolerated(const api::Taint& taint, const api::PodSpec& spec) {
  return std::any_of(spec.tolerations.begin(), spec.tolerations.end(),
                     [&](const api::Toleration& toleration) { return Tolerates(toleration, taint); });
}

}  // namespace

void AddDaemonTolerations(api::PodSpec& spec) {
  AddToleration("node.kubernetes.io/not-ready", "NoExecute", spec);
  AddToleration("node.kubernetes.io/unreachable", "NoExecute", spec);
  AddToleration("node.kubernetes.io/disk-pressure", "NoSchedule", spec);
  AddToleration("node.kubernetes.io/memory-pressure", "NoSchedule", spec);
  AddToleration("node.kubernetes.io/pid-pressure", "NoSchedule", spec);
  AddToleration("node.kubernetes.io/unschedulable", "NoSchedule", spec);
  if (spec.host_network) AddToleration("node.kubernetes.io/network-unavailable", "NoSchedule", spec);
}

DaemonVerdict JudgeNode(const api::PodSpec& spec, const DaemonNode& node) {
  if (!spec.node_name.empty() && spec.node_name != node.name) return {};
  if (!api::MatchesRequired(spec, node.name, node.labels)) return {};
  bool keeps_off = false, drives_out = false;
  for (const api::Taint& taint : node.taints) {
    if (IsTolerated(taint, spec)) continue;
    keeps_off |= taint.effect == "NoSchedule";
    drives_out |= taint.effect == "NoExecute";
  }
  return {.should_run = !keeps_off && !drives_out, .should_continue = !drives_out};
}

void TieToNode(api::PodSpec& spec, const std::string& node_name) {
  if (!spec.affinity) spec.affinity.emplace();
  if (!spec.affinity->node_affinity) spec.affinity->node_affinity.emplace();
  const api::NodeSelectorTerm term{.match_expressions = {}, .match_fields = {{"metadata.name", "In", {node_name}}}};
  spec.affinity->node_affinity->required = api::NodeSelector{{term}};
}

}  // namespace ksched::controllers
