#include "controllers/managed_pod.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace ksched::controllers {
namespace {

std::string Label(const api::StringMap& labels, const char* key) {
  const auto found = labels.find(key);
  return found == labels.end() ? std::string() : found->second;
}

std::optional<int32_t> ParseInt32(std::string_view text) {
  int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// As people write whole numbers: without leading zeros.
int32_t DeletionCost(const api::StringMap& annotations) {
  const std::string text = Label(annotations, "controller.kubernetes.io/pod-deletion-cost");
  if (text.starts_with('0') && text != "0") return 0;
  return ParseInt32(text).value_or(0);
}

std::optional<int32_t> CompletionIndex(const api::StringMap& annotations) {
  const std::optional<int32_t> index = ParseInt32(Label(annotations, "batch.kubernetes.io/job-completion-index"));
  return index && *index >= 0 ? index : std::nullopt;
}

// The node whose name the required affinity asks for.
std::string NodeOfAffinity(const api::PodSpec& spec) {
  if (!spec.affinity || !spec.affinity->node_affinity || !spec.affinity->node_affinity->required) return "";
  for (const api::NodeSelectorTerm& term : spec.affinity->node_affinity->required->terms) {
    for (const api::NodeSelectorRequirement& field : term.match_fields) {
      if (field.key != "metadata.name" || field.op != "In") continue;
      return field.values.size() == 1 ? field.values.front() : "";
    }
  }
  return "";
}

void ReadConditions(const api::PodStatus& status, ManagedPod& managed) {
  for (const api::PodCondition& condition : status.conditions) {
    if (condition.type != "Ready") continue;
    managed.ready = condition.status == "True";
    if (managed.ready) managed.ready_since = condition.last_transition_time;
    return;
  }
}

void ReadRestarts(const api::Pod& pod, ManagedPod& managed) {
  for (const api::ContainerStatus& container : pod.status.container_statuses) {
    managed.restarts = std::max<int64_t>(managed.restarts, container.restart_count);
  }
  for (const api::ContainerStatus& status : pod.status.init_container_statuses) {
    const auto& containers = pod.spec.init_containers;
    const bool sidecar = std::any_of(containers.begin(), containers.end(), [&](const api::Container& container) {
      return container.name == status.name && container.restart_policy == "Always";
    });
    if (sidecar) managed.sidecar_restarts = std::max<int64_t>(managed.sidecar_restarts, status.restart_count);
  }
}

}  // namespace

ManagedPod FromPod(const api::Pod& pod) {
  ManagedPod managed;
  managed.name = pod.metadata.name;
  managed.uid = pod.metadata.uid;
  managed.node_name = pod.spec.node_name;
  for (const api::OwnerReference& owner : pod.metadata.owner_references) {
    if (!owner.controller) continue;
    managed.owner_kind = owner.kind;
    managed.owner_name = owner.name;
    managed.owner_uid = owner.uid;
  }
  managed.template_hash = Label(pod.metadata.labels, "pod-template-hash");
  managed.revision = Label(pod.metadata.labels, "controller-revision-hash");
  managed.template_generation = Label(pod.metadata.labels, "pod-template-generation");
  managed.target_node = pod.spec.node_name.empty() ? NodeOfAffinity(pod.spec) : pod.spec.node_name;
  managed.phase = pod.status.phase.empty() ? "Pending" : pod.status.phase;
  managed.deleting = pod.metadata.deletion_timestamp.has_value();
  managed.created = pod.metadata.creation_timestamp;
  managed.deletion_cost = DeletionCost(pod.metadata.annotations);
  managed.completion_index = CompletionIndex(pod.metadata.annotations);
  ReadConditions(pod.status, managed);
  ReadRestarts(pod, managed);
  return managed;
}

}  // namespace ksched::controllers
