#include "plugins/node_resources_fit/node_resources_fit.h"

#include <algorithm>
#include <utility>

#include "base/wrapping.h"
#include "plugins/node_resources_fit/hints.h"

namespace ksched {
namespace {

constexpr ReasonId kNoReason = UINT32_MAX;

void Reject(Status& status, ReasonId reason, bool unresolvable) {
  if (status.ok()) status.set_code(Code::kUnschedulable);
  if (unresolvable) status.set_code(Code::kUnschedulableAndUnresolvable);
  status.AddReason(reason);
}

void CheckRequest(int64_t request, ResourceId resource, ReasonId insufficient, const NodeView& node, Status& status) {
  const int64_t allocatable = node.allocatable(resource);
  if (request <= 0 || request <= WrapSub(allocatable, node.requested(resource))) return;
  Reject(status, insufficient, request > allocatable);
}

}  // namespace

struct NodeResourcesFit::ScalarRequest {
  ResourceId resource = 0;
  int64_t amount = 0;
  ReasonId insufficient = kNoReason;
  bool ignored = false;
  const api::DeviceClass* device_class = nullptr;  // that stands behind the resource
};

// The one state of the plugin in a cycle: PreFilter fills the first part, PreScore the second.
struct NodeResourcesFit::State final : StateData {
  std::vector<ScalarRequest> scalars;  // that the pod asks for, sorted by name
  std::vector<ReasonId> insufficient;  // by ResourceId, kept from cycle to cycle
  ScoredRequests scored;
};

Result<std::unique_ptr<Plugin>> NodeResourcesFit::Create(const config::PluginArgs& args, const PluginContext& context) {
  const auto* fit_args = std::get_if<config::NodeResourcesFitArgs>(&args);
  if (fit_args == nullptr) return Error{"want args to be of type NodeResourcesFitArgs"};
  using config::Gate;
  if (context.features.Enabled(Gate::kInPlacePodVerticalScalingSchedulerPreemption)) {
    return Error{"feature gate InPlacePodVerticalScalingSchedulerPreemption is not supported yet"};
  }
  if (context.features.Enabled(Gate::kDRANodeAllocatableResources)) {
    return Error{"feature gate DRANodeAllocatableResources is not supported yet"};
  }
  if (!fit_args->scoring_strategy) return Error{"scoring strategy not specified"};
  auto strategy = FitStrategy::Create(*fit_args->scoring_strategy);
  if (!strategy) return std::move(strategy).error();
  return std::unique_ptr<Plugin>(new NodeResourcesFit(*fit_args, std::move(strategy).value(), context));
}

NodeResourcesFit::NodeResourcesFit(const config::NodeResourcesFitArgs& args, std::unique_ptr<FitStrategy> strategy,
                                   const PluginContext& context)
    : ignored_resources_(args.ignored_resources.begin(), args.ignored_resources.end()),
      ignored_resource_groups_(args.ignored_resource_groups.begin(), args.ignored_resource_groups.end()),
      strategy_(std::move(strategy)),
      scored_(args.scoring_strategy->resources, ScoredResources::Allocated::kNonzeroRequested, context),
      id_(context.id),
      resource_names_(context.state.resource_names()),
      reasons_(context.reasons),
      device_classes_(DeviceClassesOf(context)),
      in_place_resize_(context.features.Enabled(config::Gate::kInPlacePodVerticalScaling)),
      too_many_pods_(reasons_.Intern("Too many pods")),
      insufficient_cpu_(reasons_.Intern("Insufficient cpu")),
      insufficient_memory_(reasons_.Intern("Insufficient memory")),
      insufficient_ephemeral_storage_(reasons_.Intern("Insufficient ephemeral-storage")),
      no_resources_(reasons_.Intern("resources not found")),
      no_pre_filter_(reasons_.Intern("error reading \"PreFilterNodeResourcesFit\" from cycleState: not found")) {}

// ---- filtering ----

bool NodeResourcesFit::IsIgnored(std::string_view resource) const {
  if (ignored_resources_.empty() && ignored_resource_groups_.empty()) return false;
  if (!IsExtendedResourceName(resource)) return false;
  return ignored_resources_.contains(resource) ||
         ignored_resource_groups_.contains(resource.substr(0, resource.find('/')));
}

ReasonId NodeResourcesFit::InsufficientReason(State& state, ResourceId resource) const {
  if (state.insufficient.size() <= resource) state.insufficient.resize(resource + 1, kNoReason);
  ReasonId& reason = state.insufficient[resource];
  if (reason == kNoReason) {
    reason = reasons_.Intern("Insufficient " + std::string(resource_names_.Name(resource)));
  }
  return reason;
}

Status NodeResourcesFit::PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult&) const {
  State& state = cycle.Write<State>(id_);
  state.scalars.clear();
  for (const auto& [resource, amount] : pod.pod_class->requests.scalars) {
    if (amount == 0) continue;
    const std::string_view name = resource_names_.Name(resource);
    state.scalars.push_back({resource, amount, InsufficientReason(state, resource), IsIgnored(name),
                             device_classes_ == nullptr ? nullptr : device_classes_->ForExtendedResource(name)});
  }
  std::sort(state.scalars.begin(), state.scalars.end(), [this](const ScalarRequest& a, const ScalarRequest& b) {
    return resource_names_.Name(a.resource) < resource_names_.Name(b.resource);
  });
  return {};
}

Status NodeResourcesFit::Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const {
  if (!cycle.pre_filtered.Has(id_)) return {Code::kError, no_pre_filter_};
  const ResourceAmounts& requests = pod.pod_class->requests;
  const std::vector<ScalarRequest>& scalars = cycle.Read<State>(id_).scalars;
  for (const ScalarRequest& scalar : scalars) {
    if (scalar.device_class == nullptr || node.allocatable(scalar.resource) > 0) continue;
    const std::string_view name = resource_names_.Name(scalar.resource);
    return {Code::kError, reasons_.Intern(DraNotSupported(name, scalar.device_class->metadata.name))};
  }
  Status status;
  if (static_cast<int64_t>(node.pods().size()) + 1 > node.allowed_pods()) Reject(status, too_many_pods_, false);
  CheckRequest(requests.milli_cpu, kCpu, insufficient_cpu_, node, status);
  CheckRequest(requests.memory_bytes, kMemory, insufficient_memory_, node, status);
  CheckRequest(requests.ephemeral_storage_bytes, kEphemeralStorage, insufficient_ephemeral_storage_, node, status);
  for (const ScalarRequest& scalar : scalars) {
    if (!scalar.ignored) CheckRequest(scalar.amount, scalar.resource, scalar.insufficient, node, status);
  }
  return status;
}

// ---- scoring ----

Status NodeResourcesFit::PreScore(CycleState& cycle, const PodInfo& pod, std::span<const NodeId>) const {
  scored_.Prepare(pod.pod_class->fit_score_request_list, cycle.Write<State>(id_).scored);
  return {};
}

Status NodeResourcesFit::Score(const CycleState& cycle, const PodInfo& pod, const NodeView& node,
                               int64_t& score) const {
  if (cycle.pre_scored.Has(id_)) return ScoreRequests(cycle.Read<State>(id_).scored, node, score);
  ScoredRequests own;  // the profile has no PreScore of this plugin
  scored_.Prepare(pod.pod_class->fit_score_request_list, own);
  return ScoreRequests(own, node, score);
}

Status NodeResourcesFit::ScoreRequests(const ScoredRequests& requests, const NodeView& node, int64_t& score) const {
  if (scored_.empty()) return {Code::kError, no_resources_};
  Status status = scored_.CheckSupported(requests, node);
  if (status.ok()) score = strategy_->Score(scored_, requests, node);
  return status;
}

// ---- the rest ----

std::vector<ClusterEventWithHint> NodeResourcesFit::EventsToRegister() const {
  std::vector<ClusterEventWithHint> events = {
      {kAssignedPodDelete, fit_hints::AfterAssignedPodDelete},
      {{EventResource::kNode, kAdd | kUpdateNodeAllocatable},
       [this](const PodInfo& pod, const EventObjects& objects) {
         return fit_hints::AfterNodeChange(pod, objects, resource_names_, device_classes_);
       }},
  };
  if (device_classes_ != nullptr) {
    events.push_back({{EventResource::kDeviceClass, kAdd | kUpdate}, fit_hints::AfterDeviceClassChange});
  }
  if (in_place_resize_) {
    events.push_back({{EventResource::kAssignedPod, kUpdatePodScaleDown}, fit_hints::AfterAssignedPodScaleDown});
    events.push_back({{EventResource::kTargetPod, kUpdatePodScaleDown}, {}});
  }
  return events;
}

bool NodeResourcesFit::SignPod(const PodInfo& pod, std::string& signature) const {
  return SignRequests(*pod.pod_class, resource_names_, device_classes_, signature);
}

}  // namespace ksched
