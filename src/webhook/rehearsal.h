// Rehearsal: a scheduler whose decisions are thrown away. Pods find their nodes on a ClusterState one after the other,
// each with those before it in place; then all of them leave, and the state is what it was.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/feature_gates.h"
#include "config/types.h"
#include "framework/registry.h"
#include "scheduler/scheduler.h"

namespace ksched::webhook {

class Rehearsal final : private Binder, private Evictor {
 public:
  // All borrowed. Errors are the scheduler's: a configuration that cannot be built.
  static Result<std::unique_ptr<Rehearsal>> Create(const config::SchedulerConfiguration& configuration,
                                                   const config::FeatureGates& features, const PluginRegistry& registry,
                                                   ClusterState& state);

  // One scheduling cycle of a pod that is in the state's PodStore and on no node. Good until the next call; null: a
  // plugin holds the pod back, or no profile is for it. The pod has its place, or its nomination, until Clear.
  const CycleRecord* Try(PodInfo& pod);
  // All pods that were tried are on no node, and may leave the store.
  void Clear();

  // The cluster's pods that are nominated and wait; those of before are no more. Not while pods have their places.
  void SetNominated(std::span<const PodId> pods);
  void ForgetNominated();

  Scheduler& scheduler() { return *scheduler_; }
  const Scheduler& scheduler() const { return *scheduler_; }

 private:
  Rehearsal() = default;
  void Bind(const PodInfo& pod, const std::string& node, ResultCallback done) override;
  void Evict(std::span<const PodId>, const PodInfo&, const std::string&) override {}

  SystemClock clock_;
  std::unique_ptr<Scheduler> scheduler_;
  std::vector<ResultCallback> held_;  // bindings that never come
  std::vector<PodId> tried_, nominated_;
};

// Whether the pod of this cycle has its place.
inline bool IsPlaced(const CycleRecord& record) { return record.result == CycleResult::kBinding; }

// Of which nodes: all that were turned down, or only those that the cycle looked at, because PreFilter left them.
enum class OfNodes : uint8_t { kAll, kLookedAt };
// How often each reason stands among them: the commonest first.
struct CountedReason {
  std::string text;
  size_t nodes = 0;
};
std::vector<CountedReason> CountReasons(const Scheduler& scheduler, OfNodes nodes);
// The names of the plugins that turned the pod down there, in the order of the registry.
std::vector<std::string_view> RejectingPlugins(const Scheduler& scheduler, OfNodes nodes);

}  // namespace ksched::webhook
