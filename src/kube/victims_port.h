// Preemption on a live cluster, the port Evictor: victims that are not bound yet give up their place at once, the
// others get the condition DisruptionTarget and are deleted, the last one last. Meanwhile the preemptor is held back.
// Reference: prepareCandidateAsync and IsPodRunningPreemption in pkg/scheduler/framework/preemption/executor.go,
// v1.37.2. With the gate SchedulerAsyncPreemption off the reference waits for the deletions in the cycle; here they go
// on after it all the same.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "framework/ports.h"
#include "kube/pod_ports.h"
#include "scheduler/scheduler.h"

namespace ksched::kube {

class VictimsPort final : public Evictor {
 public:
  // Borrowed. `failed` is told of victims that could not be deleted.
  VictimsPort(PodWriter& writer, EventWriter& events, const ClusterState& state,
              std::function<void(const std::string&)> failed)
      : writer_(writer), events_(events), state_(state), failed_(std::move(failed)) {}
  // The scheduler comes after its ports.
  void set_scheduler(Scheduler& scheduler) { scheduler_ = &scheduler; }

  void Evict(std::span<const PodId> victims, const PodInfo& preemptor, const std::string& node) override;
  bool asynchronous() const override { return true; }
  bool IsPreempting(const PodInfo& preemptor) const override;

  bool idle() const { return running_.empty(); }

 private:
  struct Victim {
    PodId id = kNoPod;
    PodName name;
    PodCondition condition;
    EventMessage event;
  };
  struct Preemption {
    uint64_t number = 0;  // a later one of the same preemptor has another
    PodId preemptor = kNoPod;
    Victim last;
    bool last_begun = false;
    size_t others = 0;  // whose deletions are on their way
    bool failed = false;
  };
  Victim Describe(const PodInfo& victim, const PodInfo& preemptor, const std::string& node) const;
  void Remove(const Victim& victim, const std::function<void(bool failed, bool in_memory)>& ended);
  // Null: it is over, or the pod has begun another one meanwhile.
  Preemption* Find(const std::string& uid, uint64_t number);
  void OneLess(const std::string& uid, uint64_t number, bool failed);
  void RemoveLast(const std::string& uid, Preemption& preemption);
  void End(const std::string& uid, uint64_t number, bool activate);

  PodWriter& writer_;
  EventWriter& events_;
  const ClusterState& state_;
  std::function<void(const std::string&)> failed_;
  Scheduler* scheduler_ = nullptr;
  std::map<std::string, Preemption> running_;  // by the preemptor's uid
  uint64_t last_number_ = 0;
};

}  // namespace ksched::kube
