// Writes every cycle of a live scheduler down (`run --record-cycles`): what it knew, and what it decided. Two files a
// cycle: 000017.json.gz, a List of objects that `simulate --snapshot` and the oracle (tests/oracle) read, in which the
// pod is the only one that waits for a node; and 000017.report.json, a SchedulingReport of that one cycle.
// For small clusters: all objects are kept as they came, and written again in each cycle.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/object_store.h"
#include "base/string_map.h"
#include "kube/change_ledger.h"
#include "kube/volumes_port.h"
#include "scheduler/scheduler.h"

namespace ksched::daemon {

class CycleRecorder final : public kube::ChangeSink {
 public:
  // `folder` is there. Whatever changes goes on to `next`, which is borrowed.
  CycleRecorder(std::string folder, kube::ChangeSink& next) : folder_(std::move(folder)), next_(next) {}

  Result<void> OnAdd(const kube::WatchedObject& object, const api::ObjectHead& head) override;
  Result<void> OnUpdate(const kube::WatchedObject& object, const api::ObjectHead& head) override;
  void OnRemove(const kube::Resource& resource, std::string_view ns, std::string_view name) override;

  // Before a cycle: notes what is in memory only.
  void Before(Scheduler& scheduler, const kube::VolumesPort& volumes);
  // After it.
  Result<void> Write(Scheduler& scheduler);

  uint64_t written() const { return written_; }
  // Cycles that are not written: a pod that was deleted was still on its way to a node, and no object says so.
  uint64_t left_out() const { return left_out_; }

 private:
  class Writer;
  Result<void> WriteState(const std::string& name, const PodInfo& pod);
  Result<void> WriteDecision(const std::string& name, const Scheduler& scheduler, const ClusterState& state);

  std::string folder_;
  kube::ChangeSink& next_;
  cli::ObjectStore objects_;
  // What was in memory before the cycle, by "namespace/name" of pods.
  StringMap<std::string> assumed_, nominated_;
  std::vector<VolumeChanges> volumes_;
  bool has_gone_ = false;
  uint64_t written_ = 0, left_out_ = 0;
};

}  // namespace ksched::daemon
