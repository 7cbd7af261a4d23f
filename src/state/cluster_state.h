// ClusterState: nodes and the pods on them, as columns indexed by NodeId. One writer. Every change is in the journal
// and can be rolled back; nothing copies the cluster.
//
// It plays kube-scheduler's cache (pkg/scheduler/backend/cache, v1.37.2): pods may come before their node and stay
// after it; a node that is not there is not in the snapshot. TakeSnapshot is UpdateSnapshot: what scheduling
// cycles see of the node order and of image counts is what was true at the last call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "api/types.h"
#include "base/string_map.h"
#include "state/claim_use.h"
#include "state/cluster_objects.h"
#include "state/host_ports.h"
#include "state/image_table.h"
#include "state/journal.h"
#include "state/node_class.h"
#include "state/node_tree.h"
#include "state/pod_store.h"
#include "state/resources.h"
#include "state/selector_groups.h"
#include "state/term_groups.h"
#include "state/topology.h"

namespace ksched {

// Shared by the state, what can be rolled back, and who was told of an update; never changed.
using NodePtr = std::shared_ptr<const api::Node>;

class ClusterState {
 public:
  explicit ClusterState(ResourceFeatures features = {});
  // For who follows the snapshots of another state (state/snapshot_reader.h), with which it shares the names.
  ClusterState(ResourceFeatures features, std::shared_ptr<ResourceNames> names);
  ~ClusterState();
  ClusterState(const ClusterState&) = delete;
  ClusterState& operator=(const ClusterState&) = delete;

  // ---- nodes ----

  // Adds the node, or replaces it if it is there. Its id stays that of its name for ever.
  NodeId AddNode(api::Node node);
  // Replaces a node (adds it if it is unknown) and returns what it was, null if it was not there. Only what scheduling
  // reads is kept (state/kept_objects.h). kAsBefore: its images are those that it has, whatever `node` says.
  enum class ImagesOf : bool { kNode, kAsBefore };
  NodePtr UpdateNode(api::Node node, ImagesOf images = ImagesOf::kNode);
  // Its pods stay. Returns what it was, null if it was not there.
  NodePtr RemoveNode(std::string_view name);

  std::optional<NodeId> FindNode(std::string_view name) const;                     // only if it is there
  uint32_t node_capacity() const { return static_cast<uint32_t>(nodes_.size()); }  // ids are below this
  bool present(NodeId node) const { return nodes_[node].object != nullptr; }
  const api::Node& node(NodeId node) const { return *nodes_[node].object; }  // only if present
  const std::string& node_name(NodeId node) const { return *nodes_[node].name; }

  // ---- pods on nodes ----

  // Counts the pod on the node pod.node_name, which need not be there. pod.node must be kNoNode.
  void AddPod(PodInfo& pod);
  // The same on a node that is not what the pod says: nominated pods are counted like that, and rolled back.
  void AddPodTo(PodInfo& pod, NodeId node);
  void RemovePod(PodInfo& pod);  // pod.node must not be kNoNode

  // ---- what cycles see ----

  // Takes changes of the node set and of image counts into what the accessors below show.
  void TakeSnapshot();
  // In the order in which the scheduler looks at them.
  std::span<const NodeId> order() const { return order_; }
  uint32_t num_nodes() const { return static_cast<uint32_t>(order_.size()); }
  bool in_snapshot(NodeId node) const { return nodes_[node].in_snapshot; }
  // The position of each node among all names, sorted bytewise.
  std::span<const uint32_t> name_rank() const { return name_rank_; }

  // ---- columns, by NodeId ----

  int64_t allowed_pods(NodeId n) const { return base_[n].allowed_pods; }
  int64_t allocatable(NodeId n, ResourceId r) const {
    return r < kFirstScalarResource ? base_[n].allocatable[r] : Scalar(scalar_allocatable_, n, r);
  }
  int64_t requested(NodeId n, ResourceId r) const {
    return r < kFirstScalarResource ? base_[n].requested[r] : Scalar(scalar_requested_, n, r);
  }
  int64_t nonzero_requested_milli_cpu(NodeId n) const { return base_[n].nonzero_milli_cpu; }
  int64_t nonzero_requested_memory(NodeId n) const { return base_[n].nonzero_memory; }
  std::span<const PodId> pods(NodeId n) const { return nodes_[n].pods; }
  const UsedHostPorts& used_ports(NodeId n) const { return nodes_[n].ports; }
  std::span<const NodeImage> images(NodeId n) const {
    const NodeImages& images = nodes_[n].images;
    return images == nullptr ? std::span<const NodeImage>() : *images;
  }
  NodeClassId node_class(NodeId n) const { return node_class_[n]; }

  // Takes a label key into NodeClass, by which all nodes get new classes. No answer about a node changes by that. Cheap
  // for a key in use.
  void UseLabelKey(std::string_view key);
  uint32_t num_node_classes() const { return node_classes_.size(); }

  // ---- topology domains, and pods by selectors and terms ----

  // Takes the key into use: from now on every node has a domain of it. Cheap for a key in use.
  TopologyKeyId UseTopologyKey(std::string_view key);
  const TopologyTable& topology() const { return topology_; }
  DomainId domain(TopologyKeyId key, NodeId n) const { return topology_.domain(key, n); }

  // Counts of pods by node, true from now on (state/selector_groups.h). Cheap for a group in use.
  SelectorGroupId UseSelectorGroup(const std::vector<PodSelector>& selectors, bool skip_terminating);
  const SelectorGroups& selector_groups() const { return selector_groups_; }
  bool InSelectorGroup(SelectorGroupId group, const PodClass& pod_class) const {
    return selector_groups_.Matches(group, pod_class, objects_);
  }
  const TermGroups& term_groups() const { return term_groups_; }
  // The groups of terms of pods on nodes that mean pods of this class. Good until the next call.
  std::span<const TermGroupId> TermGroupsMatching(const PodClass& incoming) {
    return term_groups_.Matching(incoming, objects_);
  }

  // Whether a pod on a node names this claim among its volumes, as of the last TakeSnapshot (state/claim_use.h).
  bool IsClaimUsed(std::string_view ns, std::string_view claim) const { return claim_use_.IsUsed(ns, claim); }

  // Everything else that scheduling reads. Whoever changes namespaces says so (NamespacesChanged).
  ClusterObjects& objects() { return objects_; }
  const ClusterObjects& objects() const { return objects_; }
  void NamespacesChanged();

  PodStore& pod_store() { return pod_store_; }
  const PodStore& pod_store() const { return pod_store_; }
  const ImageTable& image_table() const { return image_table_; }
  ResourceNames& resource_names() { return *resource_names_; }
  const ResourceNames& resource_names() const { return *resource_names_; }
  const std::shared_ptr<ResourceNames>& shared_resource_names() const { return resource_names_; }
  const ResourceFeatures& features() const { return features_; }

  // ---- snapshots for other threads ----

  NodePtr node_object(NodeId node) const { return nodes_[node].object; }  // null: it is not there
  const NodeImages& node_images(NodeId node) const { return nodes_[node].images; }
  const NodeTree& node_tree() const { return tree_; }
  uint64_t order_version() const { return order_version_; }  // of node_tree and order: another one after every change
  ImageTable& image_table() { return image_table_; }
  ClaimUse& claim_use() { return claim_use_; }
  // Makes the node what it is in a snapshot; a node without an object is not there. Nodes come by their ids, without
  // gaps, so that they have the same ids here. Of a state that follows another one.
  void FollowNode(NodeId node, const std::string& name, const NodePtr& object, const NodeImages& images);
  // Once its pods are as they are to be: which ports are taken. Those of the pods do not say it (UsedHostPorts).
  void FollowPorts(NodeId node, const UsedHostPorts& ports);
  // After that: the order in which the scheduler looks at them.
  void FollowOrder(const NodeTree& tree, const std::vector<NodeId>& order);

  // ---- journal ----

  const Journal& journal() const { return journal_; }
  struct Mark {
    size_t undo_size = 0;
    uint64_t sequence = 0;
    bool dry_run = false;
  };
  // kYes: it will be rolled back, only pods come and go till then, and nobody reads the journal meanwhile. So nothing
  // is written there.
  enum class DryRun : bool { kNo, kYes };
  // From here changes of nodes, and pods that come to nodes and leave them, can be rolled back, until Rollback or
  // Commit with this mark. Marks nest. What PodStore holds does not roll back: no pod may be updated or removed there
  // meanwhile.
  Mark SetMark(DryRun dry_run = DryRun::kNo);
  void Rollback(Mark mark);
  void Commit(Mark mark);
  // Ends a dry run within another one: what it did is taken back with the outer one.
  void KeepInDryRun(Mark mark);

 private:
  // Read and written together by the resource plugins: one cache line and a half per node.
  struct BaseResources {
    int64_t allocatable[3] = {0, 0, 0};
    int64_t requested[3] = {0, 0, 0};
    int64_t allowed_pods = 0;
    int64_t nonzero_milli_cpu = 0, nonzero_memory = 0;
  };
  struct NodeSlot {
    const std::string* name = &kNoNodeName;  // the PodStore's
    NodePtr object;                          // null: not there
    std::vector<PodId> pods;
    UsedHostPorts ports;
    NodeImages images;
    OwnImageSizes image_sizes;
    bool in_snapshot = false;
  };
  // How to take one change back.
  struct UndoPodAdded {
    PodId pod;
    std::unique_ptr<UsedHostPorts> ports;  // of the node as it was; null if the pod has none
  };
  struct UndoPodRemoved {
    PodId pod;
    NodeId node;
    uint32_t slot;
    std::unique_ptr<UsedHostPorts> ports;
  };
  struct UndoNode {
    NodeId node;
    NodePtr object;
    std::vector<api::ContainerImage> images;
    NodeTree tree;
    std::vector<NodeId> order;
    bool in_snapshot;
  };
  using Undo = std::variant<UndoPodAdded, UndoPodRemoved, UndoNode>;

  static int64_t Scalar(const std::vector<std::vector<int64_t>>& columns, NodeId n, ResourceId r) {
    const size_t column = r - kFirstScalarResource;
    return column < columns.size() && n < columns[column].size() ? columns[column][n] : 0;
  }
  static int64_t& ScalarAt(std::vector<std::vector<int64_t>>& columns, NodeId n, ResourceId r);
  NodeId SlotOf(std::string_view name);
  void PutIntoTree(NodeId id, const NodePtr& old, const std::string& zone);
  void SetObject(NodeId id, NodePtr node, const std::vector<api::ContainerImage>& images);
  void SetObject(NodeId id, NodePtr node, NodeImages images);
  std::vector<api::ContainerImage> ReportedImages(NodeId id) const;
  Changes SetAllocatable(NodeId id);
  void NoteUndoOfNode(NodeId id);
  void RefreshChangedNodes();
  std::unique_ptr<UsedHostPorts> PortsToRestore(const PodInfo& pod, NodeId node) const;
  bool recording() const { return marks_ > 0 && !rolling_back_; }
  void CountPod(NodeId node, const PodInfo& pod, int8_t sign);
  void ForEachPodOnNode(const std::function<void(const PodInfo&)>& visit) const;
  void AttachPod(PodInfo& pod, NodeId node);
  void DetachPod(PodInfo& pod);
  void RebuildOrder();
  void OrderChanged();
  void Apply(UndoPodAdded& undo);
  void Apply(UndoPodRemoved& undo);
  void Apply(UndoNode& undo);

  ResourceFeatures features_;
  const bool follows_;  // another state, which counts images
  std::shared_ptr<ResourceNames> resource_names_;
  PodStore pod_store_;
  NodeClassTable node_classes_;
  ImageTable image_table_;
  NodeTree tree_;
  Journal journal_;
  TopologyTable topology_;
  SelectorGroups selector_groups_;
  TermGroups term_groups_;
  ClusterObjects objects_;
  ClaimUse claim_use_;

  boost::unordered_flat_map<std::string_view, NodeId> node_ids_;  // of names that the PodStore keeps
  std::vector<NodeSlot> nodes_;
  std::vector<BaseResources> base_;
  std::vector<NodeClassId> node_class_;
  std::vector<std::vector<int64_t>> scalar_allocatable_, scalar_requested_;  // [resource - kFirstScalarResource][node]

  std::vector<NodeId> order_;
  std::vector<uint32_t> name_rank_;
  uint64_t order_version_ = 0;
  uint64_t snapshot_sequence_ = 1;  // of the journal, seen by TakeSnapshot
  uint32_t nodes_in_snapshot_ = 0;  // of those that in_snapshot says, also if they have gone since

  std::vector<Undo> undo_;
  int marks_ = 0, dry_runs_ = 0;
  bool rolling_back_ = false;
};

// One node, as plugins see it. Cheap to copy; good until the state changes.
class NodeView {
 public:
  NodeView(const ClusterState& state, NodeId id) : state_(&state), id_(id) {}
  NodeId id() const { return id_; }
  const ClusterState& state() const { return *state_; }
  const api::Node& node() const { return state_->node(id_); }
  const std::string& name() const { return state_->node_name(id_); }
  const api::StringMap& labels() const { return node().metadata.labels; }
  int64_t allocatable(ResourceId r) const { return state_->allocatable(id_, r); }
  int64_t requested(ResourceId r) const { return state_->requested(id_, r); }
  int64_t allowed_pods() const { return state_->allowed_pods(id_); }
  int64_t nonzero_requested_milli_cpu() const { return state_->nonzero_requested_milli_cpu(id_); }
  int64_t nonzero_requested_memory() const { return state_->nonzero_requested_memory(id_); }
  std::span<const PodId> pods() const { return state_->pods(id_); }
  const UsedHostPorts& used_ports() const { return state_->used_ports(id_); }
  std::span<const NodeImage> images() const { return state_->images(id_); }

 private:
  const ClusterState* state_;
  NodeId id_;
};

}  // namespace ksched
