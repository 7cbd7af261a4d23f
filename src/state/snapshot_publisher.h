// SnapshotPublisher: makes snapshots of a ClusterState on its writer's thread, each at a cost in proportion to what
// changed since the last one, and gives the newest to any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "state/snapshot.h"

namespace ksched {

// How much work was done, for tests and --stats.
struct PublisherCounters {
  uint64_t chunks_made = 0;
  uint64_t nodes_made = 0;    // nodes whose record was made anew
  uint64_t pods_copied = 0;   // pods in these records
  uint64_t table_copies = 0;  // pointers to objects and images, copied because of others that changed
  uint64_t orders_made = 0;
};

class SnapshotPublisher {
 public:
  // The state outlives it. From now on the state notes what changes. One publisher a state.
  explicit SnapshotPublisher(ClusterState& state);

  // Publishes the state as it is now, with what TakeSnapshot takes in; the newest one again if nothing has changed. The
  // writer's thread, with no mark set.
  SnapshotPtr Publish();

  // The newest snapshot. Any thread, at any time. The lock is held while one pointer is copied, or changed for another:
  // nobody waits for a snapshot to be made, neither does the writer wait for readers to be done with one. (libstdc++'s
  // std::atomic<std::shared_ptr> is such a lock too, a spinning one, and version 12 lets it go after a load without the
  // order that the next store needs: the thread sanitizer says so.)
  SnapshotPtr Newest() const {
    const std::lock_guard lock(mutex_);
    return newest_;
  }

  const PublisherCounters& counters() const { return counters_; }

 private:
  void SetNewest(SnapshotPtr next);
  void CollectNodes();
  void CollectPod(PodId id);
  void NoteNode(NodeId node);
  bool PublishNodes(Snapshot& next);
  bool PublishOrder(Snapshot& next);
  bool PublishObjects(Snapshot& next);
  void PublishImages(const std::vector<std::string>& names, Snapshot& next);
  void PublishUsedClaims(const std::vector<std::string>& claims, Snapshot& next);
  bool PublishNominated(Snapshot& next);
  PublishedNodePtr MakeNode(NodeId node);
  PublishedPod MakePod(const PodInfo& pod) const { return {pod.id, pod.arrival, pod.facts}; }

  ClusterState& state_;
  mutable std::mutex mutex_;  // for newest_
  SnapshotPtr newest_;
  uint64_t seen_ = 0;  // sequence in the journal from which it has not seen anything; 0: nothing at all
  uint64_t order_version_ = 0;
  std::vector<NodeId> changed_nodes_;
  uint64_t round_ = 0;           // one for each Publish
  std::vector<uint64_t> noted_;  // by NodeId: the round in which it was last in changed_nodes_
  std::vector<PublishedPod> nominated_;
  bool nominated_changed_ = false;
  PublisherCounters counters_;
};

}  // namespace ksched
