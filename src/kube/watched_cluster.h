// WatchedCluster: brings what is watched into the scheduler's state.
#pragma once

#include "kube/change_ledger.h"
#include "kube/reflector.h"
#include "scheduler/cluster_feed.h"

namespace ksched::kube {

class WatchedCluster final : public ChangeSink {
 public:
  // Borrowed.
  explicit WatchedCluster(ClusterFeed& feed) : feed_(feed) {}

  Result<void> OnAdd(const WatchedObject& object, const api::ObjectHead& head) override;
  Result<void> OnUpdate(const WatchedObject& object, const api::ObjectHead& head) override;
  void OnRemove(const Resource& resource, std::string_view ns, std::string_view name) override;

 private:
  ClusterFeed& feed_;
};

// What kube-scheduler watches: of pods those that are not over.
std::vector<WatchRequest> SchedulerWatches();

}  // namespace ksched::kube
