// Preemption by hand, the port Evictor: the preemptor is nominated first, then its victims are evicted through the
// Eviction API. What a disruption budget forbids is asked for again until it is allowed. The preemptor is held back
// until all of its victims are gone.
// Reference: none; kube-scheduler deletes victims whatever budgets say. The pause between tries is kubectl drain's.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "framework/ports.h"
#include "kube/pod_writer.h"
#include "scheduler/scheduler.h"

namespace ksched::kube {

class EvictionPort final : public Evictor {
 public:
  struct Callbacks {
    std::function<void(const std::string&)> progress;  // lines for people
    // The preemption has come to its end before its victims have: why.
    std::function<void(const std::string& preemptor_uid, const std::string& why)> failed;
  };
  // Borrowed, but for the callbacks.
  EvictionPort(PodWriter& writer, Timers& timers, const ClusterState& state, Callbacks callbacks,
               std::chrono::milliseconds pause = std::chrono::seconds(5))
      : writer_(writer), timers_(timers), state_(state), callbacks_(std::move(callbacks)), pause_(pause) {}
  ~EvictionPort() override;
  // The scheduler comes after its ports.
  void set_scheduler(Scheduler& scheduler) { scheduler_ = &scheduler; }

  // Victims that leave already count among those that are waited for.
  void Evict(std::span<const PodId> victims, const PodInfo& preemptor, const std::string& node) override;
  bool asynchronous() const override { return true; }
  bool IsPreempting(const PodInfo& preemptor) const override { return running_.contains(preemptor.uid()); }

  // Looks who has gone meanwhile. After every Poll.
  void Look();
  // What a preemption still waits for: "2 victims: default/a (...), default/b"; empty if it is not running.
  std::string WaitsFor(const std::string& preemptor_uid) const;
  // Evicts no more for it. The nomination ends, too, if nobody was evicted for it.
  void GiveUp(const std::string& preemptor_uid);

 private:
  enum class Stage { kAsked, kForbidden, kLeaving, kGone };
  struct Victim {
    PodName name;
    Stage stage = Stage::kAsked;
    std::string told;  // why it is forbidden, as it was told last
    Timers::Id retry = 0;
  };
  struct Preemption {
    PodId preemptor = kNoPod;
    PodName name;  // its
    std::string node;
    bool nominated = false;
    uint64_t number = 0;  // answers to those before it are not for this one
    std::vector<Victim> victims;
  };
  void Nominated(const std::string& uid, uint64_t number, const ApiError* error);
  void Ask(const std::string& uid, size_t index);
  void Answered(const std::string& uid, uint64_t number, size_t index, const ApiError* error);
  void Forbidden(const std::string& uid, size_t index, const ApiError& error);
  bool IsGone(const Victim& victim) const;
  std::string BudgetsOf(const Victim& victim) const;
  Preemption* Find(const std::string& uid, uint64_t number);
  void Fail(const std::string& uid, const std::string& why);
  void Erase(const std::string& uid);

  PodWriter& writer_;
  Timers& timers_;
  const ClusterState& state_;
  Callbacks callbacks_;
  const std::chrono::milliseconds pause_;
  Scheduler* scheduler_ = nullptr;
  std::map<std::string, Preemption> running_;  // by the preemptor's uid
  uint64_t last_number_ = 0;
};

}  // namespace ksched::kube
