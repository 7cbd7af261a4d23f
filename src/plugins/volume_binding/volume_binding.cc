#include "plugins/volume_binding/volume_binding.h"

#include <algorithm>
#include <string>
#include <utility>

#include "api/field_errors.h"
#include "framework/port_result.h"
#include "plugins/common/volumes.h"
#include "plugins/volume_binding/hints.h"

namespace ksched {

struct VolumeBinding::Data final : StateData {
  struct OnNode {
    uint64_t cycle = 0;  // in which the node was found to fit
    PodVolumes volumes;
  };
  void Start(size_t nodes) {
    ++cycle;
    all_bound = false;
    if (by_node.size() < nodes) by_node.resize(nodes);
  }
  PodVolumes* Of(NodeId node) const {
    OnNode& on_node = by_node[node];
    return on_node.cycle == cycle ? &on_node.volumes : nullptr;
  }

  PodClaims claims;
  bool all_bound = false;  // set by Reserve
  uint64_t cycle = 0;
  mutable std::vector<OnNode> by_node;  // by NodeId; Filter fills it
};

namespace {

bool HasClaims(const PodInfo& pod) {
  const auto volumes = VolumesOf(pod);
  return std::any_of(volumes.begin(), volumes.end(), HasClaim);
}

}  // namespace

Result<std::unique_ptr<Plugin>> VolumeBinding::Create(const config::PluginArgs& args, const PluginContext& context) {
  const auto* given = std::get_if<config::VolumeBindingArgs>(&args);
  if (given == nullptr) return Error{"args are not of type VolumeBindingArgs"};
  const bool scores = context.features.Enabled(config::Gate::kStorageCapacityScoring);
  if (scores && (!given->shape || given->shape->empty())) {
    return Error{"shape: Required value: at least one point must be specified"};
  }
  return std::unique_ptr<Plugin>(std::make_unique<VolumeBinding>(*given, context));
}

VolumeBinding::VolumeBinding(const config::VolumeBindingArgs& args, const PluginContext& context)
    : id_(context.id),
      state_(context.state),
      reasons_(context.reasons),
      writer_(context.ports.volume_writer),
      bind_timeout_(args.bind_timeout_seconds),
      binder_(std::make_unique<VolumeBinder>(context.state)),
      node_conflict_(reasons_.Intern("node(s) didn't match PersistentVolume's node affinity")),
      bind_conflict_(reasons_.Intern("node(s) didn't find available persistent volumes to bind")),
      not_enough_space_(reasons_.Intern("node(s) did not have enough free storage")),
      volume_missing_(reasons_.Intern("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)")),
      unbound_immediate_(reasons_.Intern("pod has unbound immediate PersistentVolumeClaims")),
      no_pre_filter_(reasons_.Intern("not found")) {
  if (context.features.Enabled(config::Gate::kStorageCapacityScoring)) score_.emplace(*args.shape);
}

// ---- PreFilter ----

Status VolumeBinding::CheckClaims(const PodInfo& pod) const {
  const auto reject = [this](const std::string& reason) {
    return Status::UnschedulableAndUnresolvable(reasons_.Intern(reason));
  };
  for (const api::Volume& volume : VolumesOf(pod)) {
    if (!HasClaim(volume)) continue;
    const std::string name = ClaimNameOf(pod, volume);
    const auto claim = state_.objects().claims.Find(pod.ns(), name);
    if (claim == nullptr) {
      return reject(IsEphemeral(volume)
                        ? "waiting for ephemeral volume controller to create the persistentvolumeclaim " +
                              api::Quote(name)
                        : NotFoundText(kClaimResource, name));
    }
    const std::string quoted = "persistentvolumeclaim " + api::Quote(name);
    if (claim->status.phase == "Lost") {
      return reject(quoted + " bound to non-existent persistentvolume " + api::Quote(claim->spec.volume_name));
    }
    if (claim->metadata.deletion_timestamp) return reject(quoted + " is being deleted");
    if (IsEphemeral(volume) && !IsClaimFor(pod, *claim)) return reject(NotOwnerText(pod, *claim));
  }
  return {};
}

Status VolumeBinding::PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult&) const {
  if (pod.volumes() == nullptr || !HasClaims(pod)) return Status::Skip();
  Status status = CheckClaims(pod);
  if (!status.ok()) return status;
  auto& data = cycle.Write<Data>(id_);
  data.Start(state_.node_capacity());
  if (!binder_->FindClaims(pod, data.claims)) return Status::UnschedulableAndUnresolvable(unbound_immediate_);
  return {};
}

// ---- Filter and Score ----

Status VolumeBinding::Filter(const CycleState& cycle, const PodInfo&, const NodeView& node) const {
  if (!cycle.pre_filtered.Has(id_)) return {Code::kError, no_pre_filter_};
  const Data& data = cycle.Read<Data>(id_);
  Data::OnNode& on_node = data.by_node[node.id()];
  const BindingConflicts conflicts = binder_->FindVolumes(data.claims, node.node(), on_node.volumes);
  if (!conflicts.error.empty()) return {Code::kError, reasons_.Intern(conflicts.error)};
  if (!conflicts.any()) {
    on_node.cycle = data.cycle;
    return {};
  }
  Status status(Code::kUnschedulableAndUnresolvable);
  if (conflicts.node_conflict) status.AddReason(node_conflict_);
  if (conflicts.bind_conflict) status.AddReason(bind_conflict_);
  if (conflicts.not_enough_space) status.AddReason(not_enough_space_);
  if (conflicts.volume_missing) status.AddReason(volume_missing_);
  return status;
}

Status VolumeBinding::PreScore(CycleState& cycle, const PodInfo&, std::span<const NodeId>) const {
  if (!score_) return Status::Skip();
  if (!HasData(cycle)) return {Code::kError, no_pre_filter_};
  if (cycle.skip_filter.Has(id_)) cycle.zero_score.Insert(id_);
  return {};
}

Status VolumeBinding::Score(const CycleState& cycle, const PodInfo&, const NodeView& node, int64_t& score) const {
  score = 0;
  if (!score_ || cycle.skip_filter.Has(id_)) return {};
  if (!HasData(cycle)) return {Code::kError, no_pre_filter_};
  const PodVolumes* volumes = cycle.Read<Data>(id_).Of(node.id());
  if (volumes != nullptr) score = score_->Score(*volumes);
  return {};
}

// ---- Reserve and PreBind ----

Status VolumeBinding::Reserve(CycleState& cycle, const PodInfo& pod, NodeId node) {
  if (cycle.skip_filter.Has(id_)) return {};
  if (!HasData(cycle)) return {Code::kError, no_pre_filter_};
  auto& data = cycle.Write<Data>(id_);
  PodVolumes* volumes = data.Of(node);
  data.all_bound = volumes == nullptr || binder_->AllBound(pod);
  if (data.all_bound) return {};
  const std::string problem = binder_->Assume(state_.node_name(node), *volumes);
  return problem.empty() ? Status() : Status(Code::kError, reasons_.Intern(problem));
}

void VolumeBinding::Unreserve(CycleState& cycle, const PodInfo&, NodeId node) {
  if (!cycle.pre_filtered.Has(id_)) return;
  const PodVolumes* volumes = cycle.Read<Data>(id_).Of(node);
  if (volumes != nullptr) binder_->Revert(*volumes);
}

Status VolumeBinding::NoVolumesFound(NodeId node) const {
  return {Code::kError, reasons_.Intern("no pod volume found for node " + api::Quote(state_.node_name(node)))};
}

Status VolumeBinding::PreBindPreFlight(CycleState& cycle, const PodInfo&, NodeId node) {
  // Where the profile has no Reserve of this plugin, the reference fails for every pod, with volumes or without.
  if (cycle.skip_filter.Has(id_)) return cycle.reserved.Has(id_) ? Status::Skip() : NoVolumesFound(node);
  if (!HasData(cycle)) return {Code::kError, no_pre_filter_};
  const Data& data = cycle.Read<Data>(id_);
  if (data.all_bound) return Status::Skip();
  return data.Of(node) == nullptr ? NoVolumesFound(node) : Status();
}

void VolumeBinding::PreBind(CycleState& cycle, const PodInfo& pod, NodeId node, StatusReceiver& done) {
  if (cycle.skip_filter.Has(id_)) return done.OnStatus({});
  if (!HasData(cycle)) return done.OnStatus({Code::kError, no_pre_filter_});
  const Data& data = cycle.Read<Data>(id_);
  if (data.all_bound) return done.OnStatus({});
  const PodVolumes* volumes = data.Of(node);
  if (volumes == nullptr) return done.OnStatus(NoVolumesFound(node));
  if (writer_ == nullptr) return done.OnStatus({});
  VolumeChanges changes;
  for (const StaticBinding& binding : volumes->bindings) changes.volumes.push_back(binding.volume);
  for (const DynamicProvision& provision : volumes->provisions) changes.claims.push_back(provision.claim);
  const auto bound = [this, &pod, node, volumes](const VolumeVersions& versions) {
    return binder_->AreBound(pod, node, *volumes, versions);
  };
  writer_->Bind(pod, std::move(changes), bind_timeout_, bound, TellStatus(done, reasons_));
}

std::vector<ClusterEventWithHint> VolumeBinding::EventsToRegister() const { return VolumeBindingEvents(); }

bool VolumeBinding::SignPod(const PodInfo& pod, std::string& signature) const {
  return AppendSignedVolumes(pod, signature);
}

}  // namespace ksched
