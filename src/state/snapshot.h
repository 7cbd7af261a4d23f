// Snapshot: ClusterState as it was at one moment, for readers on other threads. It never changes, and shares with the
// snapshots before it all that has not changed. SnapshotReader makes a ClusterState of it, and keeps up with it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "state/cluster_state.h"
#include "state/shared_table.h"

namespace ksched {

// A pod as the writer has it.
struct PublishedPod {
  PodId id = kNoPod;     // in the writer's store, and
  uint32_t arrival = 0;  // with it: which pod it is, whatever is known of it
  PodFactsPtr facts;
  bool operator==(const PublishedPod&) const = default;
};

// A node, there or not, with the pods on it in the order in which the state has them.
struct PublishedNode {
  std::string name;
  NodePtr object;  // null: it is not there
  NodeImages images;
  UsedHostPorts ports;
  std::vector<PublishedPod> pods;
};
using PublishedNodePtr = std::shared_ptr<const PublishedNode>;

inline constexpr NodeId kNodesPerChunk = 64;
using NodeChunk = std::array<PublishedNodePtr, kNodesPerChunk>;  // those behind the last node are null

// A claim, by "namespace/name", with how many pods are counted that name it (state/claim_use.h).
struct UsedClaim {
  std::string name;
  int pods = 0;
};

struct PublishedOrder {
  NodeTree tree;
  std::vector<NodeId> order;
};

using PublishedObjects = ObjectTables<SharedTable>;

struct Snapshot {
  uint64_t generation = 0;  // from 1; 0: the empty one, that everybody starts from
  NodeId num_nodes = 0;     // ids are below this
  std::vector<std::shared_ptr<const NodeChunk>> chunks;
  std::shared_ptr<const PublishedOrder> order;  // null: no node has ever been there
  SharedTable<Image> images;
  SharedTable<UsedClaim> used_claims;
  PublishedObjects objects;
  // Pods without a node whose status nominates one, in the order in which they were nominated; null: none.
  std::shared_ptr<const std::vector<PublishedPod>> nominated;
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

}  // namespace ksched
