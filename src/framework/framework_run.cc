// Framework: running the extension points.

#include <algorithm>

#include <fmt/format.h>

#include "framework/framework.h"

namespace ksched {
namespace {

// Permit plugins cannot make a pod wait longer.
constexpr std::chrono::minutes kMaxPermitTimeout{15};

}  // namespace

Status Framework::ErrorStatus(std::string_view before, PluginId plugin, std::string_view between,
                              const Status& status) const {
  const std::string text =
      fmt::format("{} \"{}\"{}: {}", before, plugin_name(plugin), between, status.Message(context_.reasons));
  return {Code::kError, context_.reasons.Intern(text)};
}

Status Framework::RunPreEnqueue(const PodInfo& pod) const {
  for (const auto& entry : pre_enqueue_) {
    Status status = entry.plugin->PreEnqueue(pod);
    if (!status.ok()) return SetPlugin(std::move(status), entry.id);
  }
  return {};
}

namespace {

// Keeps what both lists name. Lists are sorted.
void MergeNodeNames(std::optional<std::vector<std::string>>& into, std::vector<std::string>&& names) {
  if (!into) {
    into = std::move(names);
    return;
  }
  std::vector<std::string> both;
  std::set_intersection(into->begin(), into->end(), names.begin(), names.end(), std::back_inserter(both));
  *into = std::move(both);
}

}  // namespace

void Framework::RunPreFilter(CycleState& cycle, const PodInfo& pod, PreFilterOutcome& outcome) const {
  outcome.status = Status();
  outcome.node_names.reset();
  outcome.narrowed_by.Clear();
  for (const auto& entry : pre_filters_) {
    PreFilterResult result;
    Status status = entry.plugin->PreFilter(cycle, pod, result);
    if (status.IsSkip()) {
      cycle.skip_filter.Insert(entry.id);
      continue;
    }
    if (entry.plugin->extensions() != nullptr) cycle.extended.Insert(entry.id);
    if (status.code() == Code::kUnschedulable) {  // preemption may follow, which needs all of PreFilter
      outcome.status = SetPlugin(std::move(status), entry.id);
      continue;
    }
    if (!status.ok()) {
      outcome.narrowed_by.Clear();
      if (status.code() != Code::kUnschedulableAndUnresolvable) {
        status = ErrorStatus("running PreFilter plugin", entry.id, "", status);
      }
      outcome.status = SetPlugin(std::move(status), entry.id);
      return;
    }
    cycle.pre_filtered.Insert(entry.id);
    if (!result.node_names) continue;
    outcome.narrowed_by.Insert(entry.id);
    MergeNodeNames(outcome.node_names, std::move(*result.node_names));
    if (!outcome.node_names->empty()) continue;
    outcome.status = NothingLeft(outcome.narrowed_by);
    return;
  }
}

// The names of a set of plugins, sorted and joined, as Go prints a list without its brackets.
std::string Framework::PluginNames(PluginSet plugins) const {
  std::vector<std::string_view> names;
  plugins.ForEach([&](PluginId id) { names.push_back(plugin_name(id)); });
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

// The nodes that PreFilter plugins named have none in common.
Status Framework::NothingLeft(PluginSet narrowed_by) const {
  const bool one = (narrowed_by.bits() & (narrowed_by.bits() - 1)) == 0;
  const std::string text =
      one ? fmt::format("node(s) didn't satisfy plugin {}", PluginNames(narrowed_by))
          : fmt::format("node(s) didn't satisfy plugin(s) [{}] simultaneously", PluginNames(narrowed_by));
  return {Code::kUnschedulableAndUnresolvable, context_.reasons.Intern(text)};
}

Status Framework::RunFilterPlugin(const PluginAt<const FilterPlugin>& entry, const CycleState& cycle,
                                  const PodInfo& pod, const NodeView& node) const {
  Status status = entry.plugin->Filter(cycle, pod, node);
  if (status.ok()) return status;
  if (!status.IsRejected()) status = ErrorStatus("running", entry.id, " filter plugin", status);
  return SetPlugin(std::move(status), entry.id);
}

Status Framework::RunFilters(const PluginList<const FilterPlugin>& list, const CycleState& cycle, const PodInfo& pod,
                             const NodeView& node) const {
  for (const auto& entry : list) {
    if (cycle.skip_filter.Has(entry.id)) continue;
    Status status = RunFilterPlugin(entry, cycle, pod, node);
    if (!status.ok()) return status;
  }
  return {};
}

Status Framework::RunFilter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const {
  return RunFilters(filters_, cycle, pod, node);
}

Status Framework::RunExtensions(std::string_view name, ExtensionMethod method, CycleState& cycle, const PodInfo& pod,
                                const PodInfo& changed, NodeId node) const {
  if (cycle.extended.empty()) return {};
  for (const auto& entry : extensions_) {
    if (!cycle.extended.Has(entry.id)) continue;
    const Status status = (entry.plugin->*method)(cycle, pod, changed, NodeView(context_.state, node));
    if (!status.ok()) return ErrorStatus(fmt::format("running {} on PreFilter plugin", name), entry.id, "", status);
  }
  return {};
}

Status Framework::RunAddPod(CycleState& cycle, const PodInfo& pod, const PodInfo& added, NodeId node) const {
  return RunExtensions("AddPod", &PreFilterExtensions::AddPod, cycle, pod, added, node);
}

Status Framework::RunRemovePod(CycleState& cycle, const PodInfo& pod, const PodInfo& removed, NodeId node) const {
  return RunExtensions("RemovePod", &PreFilterExtensions::RemovePod, cycle, pod, removed, node);
}

std::span<const PodId> Framework::NominatedPods(const std::string& node_name) const {
  if (nominator_ == nullptr || !nominator_->AnyNominations()) return {};
  return nominator_->NominatedPods(node_name);
}

Status Framework::AddNominatedPods(CycleState& cycle, const PodInfo& pod, NodeId node, bool& any) {
  for (const PodId id : NominatedPods(context_.state.node_name(node))) {
    PodInfo& other = context_.state.pod_store().Get(id);
    if (other.priority() < pod.priority() || other.id == pod.id || other.node != kNoNode) continue;
    any = true;
    context_.state.AddPodTo(other, node);
    Status status = RunAddPod(cycle, pod, other, node);
    if (!status.ok()) return status;
  }
  return {};
}

Status Framework::RunFilterWithNominatedPods(CycleState& cycle, const PodInfo& pod, NodeId node, bool pods_only) {
  ClusterState& state = context_.state;
  const NodeView view(state, node);
  const PluginList<const FilterPlugin>& filters = pods_only ? pod_filters_ : filters_;
  if (!NominatedPods(state.node_name(node)).empty()) {
    const auto mark = state.SetMark(ClusterState::DryRun::kYes);
    const auto cycle_mark = cycle.SetMark();
    bool any = false;
    Status status = AddNominatedPods(cycle, pod, node, any);
    if (status.ok() && any) status = RunFilters(filters, cycle, pod, view);
    cycle.Rollback(cycle_mark);
    state.Rollback(mark);
    if (!status.ok()) return status;
  }
  return RunFilters(filters, cycle, pod, view);
}

Status Framework::RunPostFilter(CycleState& cycle, const PodInfo& pod, const NodeStatuses& statuses,
                                PostFilterResult& result) const {
  Status rejected(Code::kUnschedulable);
  for (const auto& entry : post_filters_) {
    PostFilterResult own;
    Status status = entry.plugin->PostFilter(cycle, pod, statuses, own);
    if (status.ok() || status.code() == Code::kUnschedulableAndUnresolvable) {
      result = std::move(own);
      return SetPlugin(std::move(status), entry.id);
    }
    if (!status.IsRejected()) {
      result = PostFilterResult();
      status.set_code(Code::kError);
      return SetPlugin(std::move(status), entry.id);
    }
    if (own.nominates) result = std::move(own);
    for (const ReasonId reason : status.reasons()) rejected.AddReason(reason);
    if (rejected.plugin() == kNoPlugin) rejected.set_plugin(entry.id);
  }
  return rejected;
}

Status Framework::RunPreScore(CycleState& cycle, const PodInfo& pod, std::span<const NodeId> nodes) const {
  for (const auto& entry : pre_scorers_) {
    const Status status = entry.plugin->PreScore(cycle, pod, nodes);
    if (status.IsSkip()) {
      cycle.skip_score.Insert(entry.id);
    } else if (!status.ok()) {
      return ErrorStatus("running PreScore plugin", entry.id, "", status);
    } else {
      cycle.pre_scored.Insert(entry.id);
    }
  }
  return {};
}

Status Framework::RunReserve(CycleState& cycle, const PodInfo& pod, NodeId node) const {
  for (const auto& entry : reservers_) {
    cycle.reserved.Insert(entry.id);
    Status status = entry.plugin->Reserve(cycle, pod, node);
    if (status.ok()) continue;
    if (status.IsRejected()) return SetPlugin(std::move(status), entry.id);
    return ErrorStatus("running Reserve plugin", entry.id, "", status);
  }
  return {};
}

void Framework::RunUnreserve(CycleState& cycle, const PodInfo& pod, NodeId node) const {
  for (auto entry = reservers_.rbegin(); entry != reservers_.rend(); ++entry) {
    entry->plugin->Unreserve(cycle, pod, node);
  }
}

Status Framework::RunPermit(CycleState& cycle, const PodInfo& pod, NodeId node, std::vector<PermitWait>& waits) const {
  Status waiting;
  waits.clear();
  for (const auto& entry : permitters_) {
    std::chrono::nanoseconds timeout{};
    Status status = entry.plugin->Permit(cycle, pod, node, timeout);
    if (status.ok()) continue;
    if (status.IsRejected()) return SetPlugin(std::move(status), entry.id);
    if (!status.IsWait()) return SetPlugin(ErrorStatus("running Permit plugin", entry.id, "", status), entry.id);
    waits.push_back({entry.id, plugin_name(entry.id), std::min<std::chrono::nanoseconds>(timeout, kMaxPermitTimeout)});
    waiting = std::move(status);
  }
  if (waiting.IsWait()) {
    waiting.AddReason(context_.reasons.Intern("one or more plugins asked to wait and no plugin rejected pod"));
  }
  return waiting;
}

Status Framework::RunPreBindPreFlights(CycleState& cycle, const PodInfo& pod, NodeId node) const {
  Status result = Status::Skip();
  for (const auto& entry : pre_binders_) {
    const Status status = entry.plugin->PreBindPreFlight(cycle, pod, node);
    if (status.ok()) {
      result = Status();
    } else if (status.IsSkip()) {
      cycle.skip_pre_bind.Insert(entry.id);
    } else if (status.code() == Code::kError) {
      return ErrorStatus("running PreBindPreFlight", entry.id, "", status);
    } else {
      const std::string text = fmt::format(
          "PreBindPreFlight {} returned \"{}\", which is unsupported. It is supposed to return Success, Skip, or Error "
          "status",
          plugin_name(entry.id), CodeName(status.code()));
      return {Code::kError, context_.reasons.Intern(text)};
    }
  }
  return result;
}

void Framework::RunPostBind(CycleState& cycle, const PodInfo& pod, NodeId node) const {
  for (const auto& entry : post_binders_) entry.plugin->PostBind(cycle, pod, node);
}

}  // namespace ksched
