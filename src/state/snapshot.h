// Snapshot: ClusterState as it was at one moment, for readers on other threads. It never changes, and shares with the
// snapshots before it all that has not changed. SnapshotReader makes a ClusterState of it, and keeps up with it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
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

// All tables of ClusterObjects.
struct PublishedObjects {
  SharedTable<api::Namespace> namespaces;
  SharedTable<api::PersistentVolume> volumes;
  SharedTable<api::PersistentVolumeClaim> claims;
  SharedTable<api::StorageClass> storage_classes;
  SharedTable<api::CsiNode> csi_nodes;
  SharedTable<api::CsiDriver> csi_drivers;
  SharedTable<api::CsiStorageCapacity> storage_capacities;
  SharedTable<api::VolumeAttachment> volume_attachments;
  SharedTable<api::Service> services;
  SharedTable<api::Workload> replication_controllers, replica_sets, stateful_sets;
  SharedTable<api::PodDisruptionBudget> disruption_budgets;
  SharedTable<api::DeviceClass> device_classes;
};

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

// Calls visit(table of ClusterObjects, table of PublishedObjects...) for every kind.
template <typename Objects, typename Visit, typename... Published>
void ForEachTable(Objects& objects, Visit&& visit, Published&... published) {
  visit(objects.namespaces, published.namespaces...);
  visit(objects.volumes, published.volumes...);
  visit(objects.claims, published.claims...);
  visit(objects.storage_classes, published.storage_classes...);
  visit(objects.csi_nodes, published.csi_nodes...);
  visit(objects.csi_drivers, published.csi_drivers...);
  visit(objects.storage_capacities, published.storage_capacities...);
  visit(objects.volume_attachments, published.volume_attachments...);
  visit(objects.services, published.services...);
  visit(objects.replication_controllers, published.replication_controllers...);
  visit(objects.replica_sets, published.replica_sets...);
  visit(objects.stateful_sets, published.stateful_sets...);
  visit(objects.disruption_budgets, published.disruption_budgets...);
  visit(objects.device_classes, published.device_classes...);
}

}  // namespace ksched
