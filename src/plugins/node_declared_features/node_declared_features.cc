#include "plugins/node_declared_features/node_declared_features.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ksched {
namespace {

using Features = NodeDeclaredFeatures::Features;

struct KnownFeature {
  std::string_view name;
  Features bit;  // 0: no pod needs it to be scheduled
};

// Every feature that v1.37.2 knows, sorted by name.
constexpr std::array<KnownFeature, 9> kKnown = {{
    {"DRANodeAllocatableResources", 0},
    {"DRAOptionalNodeOperations", 0},
    {"ExtendWebSocketsToKubelet", 0},
    {"InPlacePodLevelResourcesVerticalScaling", 0},
    {"InPlacePodVerticalScalingInitContainers", 0},
    {"InPlacePodVerticalScalingMemoryBackedVolumes", 0},
    {"RestartAllContainersOnContainerExits", NodeDeclaredFeatures::kRestartAllContainers},
    {"UserNamespacesHostNetworkSupport", NodeDeclaredFeatures::kUserNamespacesHostNetwork},
    {"VolumeBindMountOptions", NodeDeclaredFeatures::kBindMountOptions},
}};

Features NeededBy(const std::vector<api::Container>& containers) {
  Features needed = 0;
  for (const api::Container& container : containers) {
    const auto restarts_all = [](const api::ContainerRestartRule& rule) {
      return rule.action == "RestartAllContainers";
    };
    const auto has_options = [](const api::VolumeMount& mount) { return !mount.bind_mount_options.empty(); };
    if (std::ranges::any_of(container.restart_policy_rules, restarts_all)) {
      needed |= NodeDeclaredFeatures::kRestartAllContainers;
    }
    if (std::ranges::any_of(container.volume_mounts, has_options)) needed |= NodeDeclaredFeatures::kBindMountOptions;
  }
  return needed;
}

Result<QueueingHint> AfterNodeChange(const PodInfo&, const EventObjects& objects) {
  const bool same = objects.old_node != nullptr &&
                    objects.old_node->status.declared_features == objects.new_node->status.declared_features;
  return same ? QueueingHint::kSkip : QueueingHint::kQueue;
}

Result<QueueingHint> AfterPodUpdate(const PodInfo&, const EventObjects& objects) {
  const Features before = NodeDeclaredFeatures::NeededBy(objects.old_pod->pod_class->spec);
  const Features now = NodeDeclaredFeatures::NeededBy(objects.new_pod->pod_class->spec);
  return before == now ? QueueingHint::kSkip : QueueingHint::kQueue;
}

}  // namespace

Result<std::unique_ptr<Plugin>> NodeDeclaredFeatures::Create(const config::PluginArgs&, const PluginContext& context) {
  return std::unique_ptr<Plugin>(std::make_unique<NodeDeclaredFeatures>(context));
}

NodeDeclaredFeatures::NodeDeclaredFeatures(const PluginContext& context)
    : id_(context.id),
      enabled_(context.features.Enabled(config::Gate::kNodeDeclaredFeatures)),
      unmatched_(context.reasons.Intern("node(s) didn't match Pod's required features")),
      no_pre_filter_(
          context.reasons.Intern("error reading \"PreFilterNodeDeclaredFeatures\" from cycle-state: not found")) {}

Features NodeDeclaredFeatures::NeededBy(const api::PodSpec& spec) {
  Features needed = ksched::NeededBy(spec.containers) | ksched::NeededBy(spec.init_containers);
  if (spec.host_network && spec.host_users == false) needed |= kUserNamespacesHostNetwork;
  return needed;
}

// Both lists are walked once, side by side, as the reference does it.
Features NodeDeclaredFeatures::DeclaredIn(std::span<const std::string> declared) {
  Features found = 0;
  auto known = kKnown.begin();
  auto one = declared.begin();
  while (one != declared.end() && known != kKnown.end()) {
    const int order = std::string_view(*one).compare(known->name);
    if (order == 0) found |= known->bit;
    if (order <= 0) ++one;
    if (order >= 0) ++known;
  }
  return found;
}

Status NodeDeclaredFeatures::PreFilter(CycleState&, const PodInfo& pod, PreFilterResult&) const {
  return enabled_ && NeededBy(pod.pod_class->spec) != 0 ? Status() : Status::Skip();
}

Status NodeDeclaredFeatures::Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const {
  if (!enabled_) return {};
  if (!cycle.pre_filtered.Has(id_)) return {Code::kError, no_pre_filter_};  // the profile does not have it
  const Features missing = NeededBy(pod.pod_class->spec) & ~DeclaredIn(node.node().status.declared_features);
  return missing == 0 ? Status() : Status::UnschedulableAndUnresolvable(unmatched_);
}

bool NodeDeclaredFeatures::SignPod(const PodInfo& pod, std::string& signature) const {
  signature += std::to_string(NeededBy(pod.pod_class->spec));
  return true;
}

std::vector<ClusterEventWithHint> NodeDeclaredFeatures::EventsToRegister() const {
  if (!enabled_) return {};
  return {{{EventResource::kNode, kAdd | kUpdateNodeDeclaredFeature}, AfterNodeChange},
          {{EventResource::kTargetPod, kUpdate}, AfterPodUpdate}};
}

}  // namespace ksched
