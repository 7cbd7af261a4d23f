// Scheduler::Binding: for the scheduler's own sources.
#pragma once

#include "framework/binding_run.h"
#include "scheduler/scheduler.h"

namespace ksched {

// One pod on its way to its node.
class Scheduler::Binding final : public StatusReceiver {
 public:
  explicit Binding(Scheduler& scheduler) : scheduler_(scheduler) {}
  void OnStatus(const Status& status) override {
    if (permitted) {
      scheduler_.BindingEnded(*this, status);
    } else {
      scheduler_.PermitEnded(*this, status);
    }
  }

  Profile* profile = nullptr;
  QueuedPodInfo* queued = nullptr;
  NodeId node = kNoNode;
  CycleState cycle;  // of the plugins that go on
  CycleOutcome outcome;
  BindingRun run;
  bool permitted = false;
  bool prepares = false;  // some plugin has something to do in PreBind
  bool gone = false;      // the cluster has deleted the pod
  // Only if somebody observes: when the cycle began, and the waiting for Permit.
  Observer::Time began;
  std::optional<Observer::Time> waits_since;

 private:
  Scheduler& scheduler_;
};

}  // namespace ksched
