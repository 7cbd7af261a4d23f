// The pods of the input, from snapshots and manifests, in order, on their way into the PodStore.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "admission/admission.h"
#include "api/objects.h"
#include "manifest/cluster_input.h"
#include "manifest/event_targets.h"
#include "manifest/given_objects.h"

namespace ksched {

// Pods that admission cannot change go to the store when they come; the others wait until all classes are known, and so
// do workloads and pods without a name until all names are.
class PodCollector {
 public:
  PodCollector(PodStore& store, GivenObjects& given, EventTargets& targets, bool ignore_pending)
      : store_(store), given_(given), targets_(targets), ignore_pending_(ignore_pending) {}

  void Add(api::Pod&& pod, Origin origin);
  void Add(api::Workload&& workload, Origin origin);  // of a manifest

  // Completes what waits. The order is the one in which pods came, but that pending pods of snapshots change places so
  // as to be in the order of their creationTimestamp; one without goes with the pending pod before it.
  std::vector<InputPod> Finish(Admission& admission);

  const std::vector<std::string>& errors() const { return errors_; }
  const std::vector<std::string>& notices() const { return notices_; }

 private:
  struct Entry {
    PodId id = kNoPod;
    Origin origin;
    std::unique_ptr<api::Pod> pod;  // these two: what waits
    std::unique_ptr<api::Workload> workload;
  };
  void Store(api::Pod&& pod, Origin origin, const std::string& source);
  void FinishPod(api::Pod&& pod, Origin origin, Admission& admission);
  void FinishWorkload(const api::Workload& workload, Origin origin, Admission& admission);
  void SortPending();

  PodStore& store_;
  GivenObjects& given_;
  EventTargets& targets_;
  bool ignore_pending_;
  std::vector<Entry> entries_;
  std::vector<InputPod> pods_;
  int64_t pods_of_workloads_ = 0;
  std::map<std::string, int64_t> next_number_;  // by "namespace/generateName"
  std::vector<std::string> errors_, notices_;
};

}  // namespace ksched
