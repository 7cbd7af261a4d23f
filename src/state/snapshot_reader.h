// SnapshotReader: a ClusterState of one reader's own that follows the snapshots of another. What differs between the
// snapshot that it has seen and the next one goes through ClusterState's own methods, so that its journal, and every
// cache that reads it, stay warm; the records of nodes, pods, classes and objects are shared with the writer.
//
// On top of it a reader puts pods of its own, on nodes too, between SetMark and Rollback. A reader belongs to one
// thread; any number of them follow one publisher.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "state/snapshot.h"

namespace ksched {

// How much of the snapshots had to be looked at and taken over, for tests and --stats.
struct ReaderCounters {
  uint64_t nodes_followed = 0;    // whose record differed
  uint64_t objects_of_nodes = 0;  // of these: where the node itself is another, or has come or gone
  uint64_t pods_added = 0, pods_removed = 0;
  uint64_t objects_changed = 0;
};

class SnapshotReader {
 public:
  // `names`: shared_resource_names of the state whose snapshots it follows, which has the same features.
  SnapshotReader(ResourceFeatures features, std::shared_ptr<ResourceNames> names);

  // Makes state() what the snapshot is, which is not older than what it has seen. No mark is set, and pods of its own
  // are on no node.
  void Follow(SnapshotPtr snapshot);

  ClusterState& state() { return state_; }
  const ClusterState& state() const { return state_; }
  uint64_t generation() const { return seen_->generation; }  // 0: nothing has been followed
  // The pods without a node that are nominated, in order. Good until the next Follow.
  std::span<const PodId> nominated() const { return nominated_; }

  // A pod that the cluster does not have; it may have no name, or that of another. It is on no node. Classes of such
  // pods are kept for a while, so that the next pod of the workload finds caches warm.
  PodInfo& AddOwnPod(api::Pod&& pod);
  // Of all of them, which are on no node.
  void RemoveOwnPods();

  const ReaderCounters& counters() const { return counters_; }

 private:
  struct Change {
    NodeId node = 0;
    const PublishedNode* now = nullptr;
    size_t kept_pods = 0;
  };
  void FollowObjects(const Snapshot& next);
  void CollectChanges(const Snapshot& next);
  size_t KeepPods(NodeId node, const PublishedNode* before, const PublishedNode& now);
  bool Becomes(PodId here, const PublishedPod& before, const PublishedPod& now);
  PodInfo& AddPod(const PublishedPod& pod);
  void KeepClass(const PodClass* pod_class);

  static constexpr size_t kKeptClasses = 2048;

  ClusterState state_;
  SnapshotPtr seen_ = std::make_shared<const Snapshot>();
  std::vector<Change> changes_;
  std::vector<const PublishedPod*> pods_;  // scratch
  std::vector<PodId> nominated_;
  std::vector<PodId> own_pods_;
  std::deque<const PodClass*> kept_classes_;  // the last used one last
  ReaderCounters counters_;
};

}  // namespace ksched
