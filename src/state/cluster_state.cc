#include "state/cluster_state.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "base/wrapping.h"
#include "state/kept_objects.h"

namespace ksched {
namespace {

// Room for the pods that a node will usually hold, so that placing one seldom allocates.
constexpr int64_t kReservedPods = 32;

}  // namespace

ClusterState::ClusterState(ResourceFeatures features)
    : features_(features),
      follows_(false),
      resource_names_(std::make_shared<ResourceNames>()),
      pod_store_(*resource_names_, features) {}
ClusterState::ClusterState(ResourceFeatures features, std::shared_ptr<ResourceNames> names)
    : features_(features),
      follows_(true),
      resource_names_(std::move(names)),
      pod_store_(*resource_names_, features, ClassesOf::kReader) {}
ClusterState::~ClusterState() = default;

// ---- nodes ----

NodeId ClusterState::SlotOf(std::string_view name) {
  if (const auto found = node_ids_.find(name); found != node_ids_.end()) return found->second;
  const auto id = static_cast<NodeId>(nodes_.size());
  const std::string* kept = pod_store_.NodeName(name);
  node_ids_.emplace(*kept, id);
  nodes_.emplace_back().name = kept;
  base_.emplace_back();
  node_class_.push_back(0);
  name_rank_.push_back(0);
  return id;
}

std::optional<NodeId> ClusterState::FindNode(std::string_view name) const {
  const auto found = node_ids_.find(name);
  if (found == node_ids_.end() || !present(found->second)) return std::nullopt;
  return found->second;
}

NodeId ClusterState::AddNode(api::Node node) {
  const NodeId id = SlotOf(node.metadata.name);
  UpdateNode(std::move(node));
  return id;
}

NodePtr ClusterState::UpdateNode(api::Node node, ImagesOf images) {
  const NodeId id = SlotOf(node.metadata.name);
  if (recording()) NoteUndoOfNode(id);
  NodePtr old = nodes_[id].object;
  PutIntoTree(id, old, ZoneKey(node.metadata.labels));
  const std::vector<api::ContainerImage> reported =
      images == ImagesOf::kAsBefore ? ReportedImages(id) : std::move(node.status.images);
  KeepWhatIsRead(node);
  SetObject(id, std::make_shared<const api::Node>(std::move(node)), reported);
  return old;
}

void ClusterState::PutIntoTree(NodeId id, const NodePtr& old, const std::string& zone) {
  const std::string old_zone = old == nullptr ? zone : ZoneKey(old->metadata.labels);
  if (old != nullptr && old_zone == zone) return;
  ++order_version_;
  if (old == nullptr) {
    tree_.Add(id, zone);
  } else {
    tree_.Update(id, old_zone, zone);
  }
}

NodePtr ClusterState::RemoveNode(std::string_view name) {
  const auto id = FindNode(name);
  if (!id) return nullptr;
  if (recording()) NoteUndoOfNode(*id);
  ++order_version_;
  NodePtr old = nodes_[*id].object;
  tree_.Remove(*id, ZoneKey(old->metadata.labels));
  for (const PodId pod : nodes_[*id].pods) claim_use_.Note(pod_store_.Get(pod), -1);
  SetObject(*id, nullptr, std::vector<api::ContainerImage>());
  if (std::vector<PodId>& pods = nodes_[*id].pods; pods.empty()) pods.shrink_to_fit();
  return old;
}

// Puts the object in, of which the images are on the node, and brings all that is derived from it up to date.
void ClusterState::SetObject(NodeId id, NodePtr node, const std::vector<api::ContainerImage>& images) {
  NodeSlot& slot = nodes_[id];
  SetObject(id, std::move(node), image_table_.Replace(slot.images, images, slot.image_sizes));
}

void ClusterState::SetObject(NodeId id, NodePtr node, NodeImages images) {
  NodeSlot& slot = nodes_[id];
  Changes changes = node == nullptr || slot.object == nullptr ? kAllNodeChanges : kNodeObjectChanged;
  if (slot.images != images) changes |= kImagesChanged;
  slot.images = std::move(images);
  slot.object = std::move(node);
  if (slot.object != nullptr) {
    changes |= SetAllocatable(id);
    topology_.Set(id, slot.object->metadata.labels);
    const NodeClassId node_class = node_classes_.Classify(*slot.object);
    if (std::exchange(node_class_[id], node_class) != node_class) changes |= kNodeClassChanged;
    slot.pods.reserve(static_cast<size_t>(std::clamp<int64_t>(base_[id].allowed_pods, 0, kReservedPods)));
  }
  journal_.Append(id, changes, 0, 0);
}

std::vector<api::ContainerImage> ClusterState::ReportedImages(NodeId id) const {
  return image_table_.Reported(nodes_[id].images, nodes_[id].image_sizes);
}

int64_t& ClusterState::ScalarAt(std::vector<std::vector<int64_t>>& columns, NodeId n, ResourceId r) {
  const size_t column = r - kFirstScalarResource;
  if (columns.size() <= column) columns.resize(column + 1);
  if (columns[column].size() <= n) columns[column].resize(n + 1, 0);
  return columns[column][n];
}

Changes ClusterState::SetAllocatable(NodeId id) {
  const ResourceAmounts amounts = ToAmounts(nodes_[id].object->status.allocatable, *resource_names_);
  bool changed = false;
  const auto set = [&changed](int64_t& value, int64_t now) { changed |= std::exchange(value, now) != now; };
  BaseResources& base = base_[id];
  set(base.allocatable[kCpu], amounts.milli_cpu);
  set(base.allocatable[kMemory], amounts.memory_bytes);
  set(base.allocatable[kEphemeralStorage], amounts.ephemeral_storage_bytes);
  set(base.allowed_pods, amounts.pods);
  for (const auto& [resource, amount] : amounts.scalars) set(ScalarAt(scalar_allocatable_, id, resource), amount);
  // What the node had before and does not have any more.
  for (ResourceId column = 0; column < scalar_allocatable_.size(); ++column) {
    if (id >= scalar_allocatable_[column].size()) continue;
    set(scalar_allocatable_[column][id], amounts.Get(column + kFirstScalarResource));
  }
  return changed ? kAllocatableChanged : 0;
}

// ---- pods on nodes ----

void ClusterState::AddPod(PodInfo& pod) { AddPodTo(pod, SlotOf(pod.node_name())); }

void ClusterState::AddPodTo(PodInfo& pod, NodeId node) {
  assert(pod.node == kNoNode);
  if (recording()) undo_.emplace_back(UndoPodAdded{pod.id, PortsToRestore(pod, node)});
  AttachPod(pod, node);
}

// Ports in use are a set, as in the reference: of two pods with the same port the first that leaves takes it away, and
// so the opposite of a change does not undo it.
std::unique_ptr<UsedHostPorts> ClusterState::PortsToRestore(const PodInfo& pod, NodeId node) const {
  return pod.pod_class->host_ports.empty() ? nullptr : std::make_unique<UsedHostPorts>(nodes_[node].ports);
}

void ClusterState::RemovePod(PodInfo& pod) {
  assert(pod.node != kNoNode);
  if (recording()) undo_.emplace_back(UndoPodRemoved{pod.id, pod.node, pod.node_slot, PortsToRestore(pod, pod.node)});
  DetachPod(pod);
}

void ClusterState::AttachPod(PodInfo& pod, NodeId node) {
  pod.node = node;
  pod.node_slot = static_cast<uint32_t>(nodes_[node].pods.size());
  nodes_[node].pods.push_back(pod.id);
  CountPod(node, pod, +1);
}

// The last pod of the node takes the place of the one that leaves, as in the reference.
void ClusterState::DetachPod(PodInfo& pod) {
  std::vector<PodId>& pods = nodes_[pod.node].pods;
  pod_store_.Get(pods.back()).node_slot = pod.node_slot;
  pods[pod.node_slot] = pods.back();
  pods.pop_back();
  CountPod(pod.node, pod, -1);
  pod.node = kNoNode;
}

void ClusterState::CountPod(NodeId node, const PodInfo& pod, int8_t sign) {
  const PodClass& pod_class = *pod.pod_class;
  const ResourceAmounts& requests = pod_class.assigned_requests;
  BaseResources& base = base_[node];
  const auto add = [sign](int64_t& sum, int64_t amount) {
    sum = sign > 0 ? WrapAdd(sum, amount) : WrapSub(sum, amount);
  };
  add(base.requested[kCpu], requests.milli_cpu);
  add(base.requested[kMemory], requests.memory_bytes);
  add(base.requested[kEphemeralStorage], requests.ephemeral_storage_bytes);
  add(base.nonzero_milli_cpu, pod_class.nonzero_milli_cpu);
  add(base.nonzero_memory, pod_class.nonzero_memory_bytes);
  for (const auto& [resource, amount] : requests.scalars) add(ScalarAt(scalar_requested_, node, resource), amount);
  Changes changes = kRequestedChanged | kPodsChanged;
  for (const HostPort& port : pod_class.host_ports) {
    changes |= kPortsChanged;
    if (sign > 0) {
      nodes_[node].ports.Add(port);
    } else {
      nodes_[node].ports.Remove(port);
    }
  }
  selector_groups_.Count(pod, node, sign, objects_);
  term_groups_.Count(pod, node, sign, [this](std::string_view key) { return UseTopologyKey(key); });
  if (dry_runs_ > 0) return;  // cycles do not see it
  claim_use_.Note(pod, sign);
  journal_.Append(node, changes, pod_class.id, sign);
}

// ---- topology domains, and pods by selectors and terms ----

TopologyKeyId ClusterState::UseTopologyKey(std::string_view key) {
  bool added = false;
  const TopologyKeyId id = topology_.Use(key, added);
  for (NodeId node = 0; added && node < nodes_.size(); ++node) {
    if (present(node)) topology_.Set(id, node, nodes_[node].object->metadata.labels);
  }
  return id;
}

void ClusterState::ForEachPodOnNode(const std::function<void(const PodInfo&)>& visit) const {
  for (const NodeSlot& slot : nodes_) {
    for (const PodId pod : slot.pods) visit(pod_store_.Get(pod));
  }
}

SelectorGroupId ClusterState::UseSelectorGroup(const std::vector<PodSelector>& selectors, bool skip_terminating) {
  return selector_groups_.Use(selectors, skip_terminating, objects_,
                              [this](const auto& visit) { ForEachPodOnNode(visit); });
}

void ClusterState::NamespacesChanged() {
  term_groups_.NamespacesChanged();
  selector_groups_.NamespacesChanged(
      objects_, [this](const auto& visit) { ForEachPodOnNode(visit); },
      [this](NodeId node) { journal_.Append(node, kPodsChanged | kByNamespaces, 0, 0); });
}

// ---- what cycles see ----

void ClusterState::TakeSnapshot() {
  if (snapshot_sequence_ == journal_.next()) return;
  const uint32_t before = nodes_in_snapshot_;
  RefreshChangedNodes();
  bool rebuild = nodes_in_snapshot_ != before;
  if (nodes_in_snapshot_ > tree_.size()) {
    for (NodeSlot& slot : nodes_) {
      if (slot.in_snapshot && slot.object == nullptr) slot.in_snapshot = false;
    }
    nodes_in_snapshot_ = tree_.size();
    rebuild = true;
  }
  if (!rebuild) rebuild = !claim_use_.Apply();
  if (rebuild) {
    RebuildOrder();
    claim_use_.Rebuild();
    ForEachPodOnNode([this](const PodInfo& pod) {
      if (in_snapshot(pod.node)) claim_use_.Count(pod);
    });
  }
  snapshot_sequence_ = journal_.next();
}

// Nodes that changed since the last snapshot come in, if they are new, and see the image counts of now.
void ClusterState::RefreshChangedNodes() {
  const auto refresh = [this](NodeId id) {
    NodeSlot& slot = nodes_[id];
    if (slot.object == nullptr) return;
    if (!slot.in_snapshot) {
      slot.in_snapshot = true;
      ++nodes_in_snapshot_;
    }
    if (!follows_ && image_table_.Refresh(slot.images)) journal_.Append(id, kImagesChanged, 0, 0);
  };
  if (snapshot_sequence_ < journal_.first()) {  // too long ago to know which
    for (NodeId id = 0; id < nodes_.size(); ++id) refresh(id);
    return;
  }
  // By index: refreshing appends to the journal.
  const uint64_t end = journal_.next();
  for (uint64_t sequence = snapshot_sequence_; sequence < end; ++sequence) {
    const JournalRecord record = journal_.Since(sequence).front();
    if ((record.changes & kByNamespaces) == 0) refresh(record.node);
  }
}

void ClusterState::RebuildOrder() {
  order_ = tree_.List();
  std::erase_if(order_, [this](NodeId id) { return !nodes_[id].in_snapshot; });
  OrderChanged();
}

void ClusterState::OrderChanged() {
  ++order_version_;
  std::vector<NodeId> by_name = order_;
  std::sort(by_name.begin(), by_name.end(), [this](NodeId a, NodeId b) { return *nodes_[a].name < *nodes_[b].name; });
  for (uint32_t rank = 0; rank < by_name.size(); ++rank) name_rank_[by_name[rank]] = rank;
}

void ClusterState::UseLabelKey(std::string_view key) {
  if (!node_classes_.UseLabelKey(key)) return;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (present(id)) node_class_[id] = node_classes_.Classify(*nodes_[id].object);
  }
}

// ---- rollback ----

ClusterState::Mark ClusterState::SetMark(DryRun dry_run) {
  ++marks_;
  if (dry_run == DryRun::kYes) ++dry_runs_;
  return {undo_.size(), journal_.next(), dry_run == DryRun::kYes};
}

void ClusterState::Commit(Mark mark) {
  assert(!mark.dry_run);
  (void)mark;  // an outer mark may still need what was noted since
  if (--marks_ == 0) undo_.clear();
}

void ClusterState::KeepInDryRun(Mark mark) {
  assert(mark.dry_run && dry_runs_ > 1);
  (void)mark;
  --marks_;
  --dry_runs_;
}

void ClusterState::Rollback(Mark mark) {
  rolling_back_ = true;
  while (undo_.size() > mark.undo_size) {
    std::visit([this](auto& undo) { Apply(undo); }, undo_.back());
    undo_.pop_back();
  }
  rolling_back_ = false;
  --marks_;
  if (mark.dry_run) {
    --dry_runs_;
    return;
  }
  // A node that was new before the mark, and that a snapshot has taken in since, stays in.
  if (order_.size() != nodes_in_snapshot_) RebuildOrder();
  // Changes and their opposites cancel out: if nobody has looked in between, nothing has happened.
  if (journal_.TakeBack(mark.sequence)) snapshot_sequence_ = std::min(snapshot_sequence_, mark.sequence);
}

void ClusterState::Apply(UndoPodAdded& undo) {
  PodInfo& pod = pod_store_.Get(undo.pod);
  const NodeId node = pod.node;
  DetachPod(pod);
  if (undo.ports != nullptr) nodes_[node].ports = std::move(*undo.ports);
}

void ClusterState::Apply(UndoPodRemoved& undo) {
  PodInfo& pod = pod_store_.Get(undo.pod);
  AttachPod(pod, undo.node);
  // Back to its own place: whoever took it goes to the end again.
  std::vector<PodId>& pods = nodes_[undo.node].pods;
  std::swap(pods[undo.slot], pods.back());
  pod_store_.Get(pods.back()).node_slot = static_cast<uint32_t>(pods.size() - 1);
  pod.node_slot = undo.slot;
  if (undo.ports != nullptr) nodes_[undo.node].ports = std::move(*undo.ports);
}

void ClusterState::NoteUndoOfNode(NodeId id) {
  const NodeSlot& slot = nodes_[id];
  undo_.emplace_back(UndoNode{id, slot.object, ReportedImages(id), tree_, order_, slot.in_snapshot});
}

void ClusterState::Apply(UndoNode& undo) {
  if (!present(undo.node) && undo.object != nullptr) {
    for (const PodId pod : nodes_[undo.node].pods) claim_use_.Note(pod_store_.Get(pod), +1);
  }
  SetObject(undo.node, std::move(undo.object), undo.images);
  NodeSlot& slot = nodes_[undo.node];
  tree_ = std::move(undo.tree);
  order_ = std::move(undo.order);
  if (slot.in_snapshot != undo.in_snapshot) nodes_in_snapshot_ += undo.in_snapshot ? 1 : -1;
  slot.in_snapshot = undo.in_snapshot;
  OrderChanged();
}

}  // namespace ksched
