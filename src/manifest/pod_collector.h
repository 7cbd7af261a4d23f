// The pods of the input, from the cluster and manifests, in order, on their way into the PodStore.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "admission/admission.h"
#include "api/objects.h"
#include "manifest/cluster_input.h"
#include "manifest/event_targets.h"
#include "manifest/given_objects.h"

namespace ksched {

// Pods of the cluster that admission cannot change go to the store when they come; the others wait until all classes
// are known, and so do pods without a name until all names are.
class PodCollector {
 public:
  PodCollector(PodStore& store, GivenObjects& given, EventTargets& targets, bool ignore_pending)
      : store_(store), given_(given), targets_(targets), ignore_pending_(ignore_pending) {}

  // `as_manifest`: a pod of the cluster that a manifest names too, so that the report has it among the manifest's.
  void Add(api::Pod&& pod, Origin origin, bool as_manifest = false);
  void AddAdmitted(api::Pod&& pod, Origin origin);                 // of a manifest, and complete
  void AddWorkload(uint32_t workload, const std::string& source);  // here its pods come
  void ForgetCluster();                                            // every pod so far is void: they come again
  void Drop(const std::set<std::string>& names);                   // pods of the cluster, by "namespace/name"

  // Completes what waits. The order is the one in which pods came, but that pending pods of the cluster change places
  // so as to be in the order of their creationTimestamp; one without goes with the pending pod before it.
  std::vector<InputPod> Finish(Admission& admission);

  const std::vector<std::string>& errors() const { return errors_; }
  // The claims that come with the pods of manifests.
  std::vector<api::PersistentVolumeClaim> TakeClaims() { return std::move(claims_); }
  std::vector<api::OtherObject> TakeResourceClaims() { return std::move(resource_claims_); }
  std::vector<InputRejection> TakeRejections() { return std::move(rejections_); }

 private:
  struct Entry {
    PodId id = kNoPod;
    Origin origin;
    bool as_manifest = false, admitted = false;
    std::unique_ptr<api::Pod> pod;  // what waits
    uint32_t workload = 0;          // neither id nor pod: this workload's pods
    std::string source;
  };
  void FinishPod(Entry& entry, Admission& admission);
  Result<void> Complete(api::Pod& pod, const Entry& entry, Admission& admission) const;
  void MakeClaims(const api::Pod& pod, Origin origin, Admission& admission);
  void SortPending();

  PodStore& store_;
  GivenObjects& given_;
  EventTargets& targets_;
  bool ignore_pending_;
  std::vector<Entry> entries_;
  std::vector<InputPod> pods_;
  std::map<std::string, int64_t> next_number_;  // by "namespace/generateName"
  std::vector<std::string> errors_;
  std::vector<InputRejection> rejections_;
  std::vector<api::PersistentVolumeClaim> claims_;
  std::vector<api::OtherObject> resource_claims_;
};

}  // namespace ksched
