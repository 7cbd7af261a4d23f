#include "webhook/rehearsal.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ksched::webhook {

Result<std::unique_ptr<Rehearsal>> Rehearsal::Create(const config::SchedulerConfiguration& configuration,
                                                     const config::FeatureGates& features,
                                                     const PluginRegistry& registry, ClusterState& state) {
  std::unique_ptr<Rehearsal> made(new Rehearsal());
  Ports ports;
  ports.binder = made.get();
  ports.evictor = made.get();
  auto scheduler =
      Scheduler::Create({.configuration = configuration, .features = features}, {state, made->clock_, registry, ports});
  if (!scheduler) return std::move(scheduler).error();
  made->scheduler_ = std::move(*scheduler);
  return made;
}

void Rehearsal::Bind(const PodInfo&, const std::string&, ResultCallback done) { held_.push_back(std::move(done)); }

const CycleRecord* Rehearsal::Try(PodInfo& pod) {
  tried_.push_back(pod.id);
  SchedulingQueue& queue = scheduler_->queue();
  queue.Add(pod.id);
  // One that failed before may be back in the queue, because of this one's place: it has had its turn.
  while (scheduler_->ScheduleOne() == Scheduler::Step::kCycle) {
    if (scheduler_->record().pod == pod.id) return &scheduler_->record();
  }
  return nullptr;
}

void Rehearsal::Clear() {
  const Result<void> never = Error{"this was a rehearsal"};
  // The last first: so pods stand on their nodes in the order in which they stood before.
  for (auto done = held_.rbegin(); done != held_.rend(); ++done) (*done)(never);
  held_.clear();
  for (const PodId pod : tried_) scheduler_->queue().Delete(pod);
  tried_.clear();
}

void Rehearsal::SetNominated(std::span<const PodId> pods) {
  ForgetNominated();
  for (const PodId pod : pods) {
    scheduler_->queue().AddNominatedPod(pod);
    nominated_.push_back(pod);
  }
}

void Rehearsal::ForgetNominated() {
  for (const PodId pod : nominated_) scheduler_->queue().DeleteNominatedPodIfExists(pod);
  nominated_.clear();
}

std::vector<CountedReason> CountReasons(const Scheduler& scheduler, OfNodes nodes) {
  const Diagnosis& diagnosis = scheduler.record().diagnosis;
  std::map<ReasonId, size_t> counts;
  for (const CheckedNode& node : diagnosis.rejected) {
    for (const ReasonId reason : scheduler.verdicts().Get(node.verdict).reasons()) ++counts[reason];
  }
  if (diagnosis.absent && nodes == OfNodes::kAll) {
    for (const ReasonId reason : diagnosis.absent->reasons()) {
      counts[reason] += diagnosis.num_all_nodes - diagnosis.rejected.size();
    }
  }
  std::vector<CountedReason> counted;
  for (const auto& [reason, nodes] : counts) {
    if (nodes > 0) counted.push_back({std::string(scheduler.reasons().Text(reason)), nodes});
  }
  std::ranges::sort(counted, [](const CountedReason& a, const CountedReason& b) {
    return a.nodes != b.nodes ? a.nodes > b.nodes : a.text < b.text;
  });
  return counted;
}

std::vector<std::string_view> RejectingPlugins(const Scheduler& scheduler, OfNodes nodes) {
  const CycleRecord& record = scheduler.record();
  PluginSet plugins;
  if (nodes == OfNodes::kAll) {
    plugins = record.unschedulable_plugins;
    plugins |= record.pending_plugins;
  } else {
    for (const CheckedNode& node : record.diagnosis.rejected) {
      const PluginId plugin = scheduler.verdicts().Get(node.verdict).plugin();
      if (plugin != kNoPlugin) plugins.Insert(plugin);
    }
  }
  std::vector<std::string_view> names;
  plugins.ForEach([&](PluginId plugin) { names.push_back(record.framework->plugin_name(plugin)); });
  return names;
}

}  // namespace ksched::webhook
