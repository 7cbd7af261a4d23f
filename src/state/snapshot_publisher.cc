#include "state/snapshot_publisher.h"

#include <algorithm>
#include <utility>

namespace ksched {
namespace {

// As keys of a SharedTable.
std::vector<std::pair<std::string_view, std::string_view>> WithoutNamespace(const std::vector<std::string>& names) {
  std::vector<std::pair<std::string_view, std::string_view>> keys;
  keys.reserve(names.size());
  for (const std::string& name : names) keys.emplace_back("", name);
  return keys;
}

}  // namespace

SnapshotPublisher::SnapshotPublisher(ClusterState& state) : state_(state) {
  auto first = std::make_shared<Snapshot>();
  PodStore& store = state_.pod_store();
  store.TrackChanges();
  for (PodId id = 0; id < store.capacity(); ++id) {
    if (store.exists(id) && !store.Get(id).nominated_node_name().empty()) nominated_.push_back(MakePod(store.Get(id)));
  }
  state_.image_table().TrackChanges();
  const std::vector<ImagePtr> all_images = state_.image_table().All();
  std::vector<std::string> images;
  images.reserve(all_images.size());
  for (const ImagePtr& image : all_images) images.push_back(image->name);
  PublishImages(images, *first);
  state_.claim_use().TrackChanges();
  PublishUsedClaims(state_.claim_use().All(), *first);
  ForEachTable(
      [this](std::string_view, auto& table, auto& published) {
        table.TrackChanges();
        std::vector<std::pair<std::string_view, std::string_view>> keys;
        keys.reserve(table.size());
        for (const auto& entry : table.all()) keys.emplace_back(entry.first.first, entry.first.second);
        published = published.With(
            keys, [&table](const auto& key) { return table.Find(key.first, key.second); }, counters_.table_copies);
      },
      state_.objects(), first->objects);
  counters_ = {};  // what is there at the start is no news
  newest_ = std::move(first);
}

SnapshotPtr SnapshotPublisher::Publish() {
  state_.TakeSnapshot();
  SnapshotPtr newest = Newest();
  auto next = std::make_shared<Snapshot>(*newest);
  ++next->generation;
  ++round_;
  changed_nodes_.clear();
  noted_.resize(state_.node_capacity(), 0);
  CollectNodes();
  // Nodes that are named by pods only.
  for (NodeId node = newest->num_nodes; node < state_.node_capacity(); ++node) NoteNode(node);
  for (const PodId id : state_.pod_store().TakeChanges()) CollectPod(id);
  bool changed = newest->generation == 0;
  changed |= PublishNodes(*next);
  changed |= PublishOrder(*next);
  changed |= PublishObjects(*next);
  changed |= PublishNominated(*next);
  if (!changed) return newest;
  SetNewest(next);
  return next;
}

// The one before ends, if nobody has it any more, once the lock is free.
void SnapshotPublisher::SetNewest(SnapshotPtr next) {
  const std::lock_guard lock(mutex_);
  newest_.swap(next);
}

// ---- nodes and the pods on them ----

void SnapshotPublisher::CollectNodes() {
  const Journal& journal = state_.journal();
  if (seen_ < journal.first()) {  // too long ago to know which
    for (NodeId node = 0; node < state_.node_capacity(); ++node) NoteNode(node);
    (void)journal.Since(journal.next());  // what came before cannot be unmade any more
  } else {
    for (const JournalRecord& record : journal.Since(seen_)) NoteNode(record.node);
  }
  seen_ = journal.next();
}

// A pod that has changed, maybe without leaving its node, or its nomination.
void SnapshotPublisher::CollectPod(PodId id) {
  const bool exists = state_.pod_store().exists(id);
  const PodInfo& pod = state_.pod_store().Get(id);
  if (exists && pod.node != kNoNode) NoteNode(pod.node);
  const bool nominated = exists && !pod.nominated_node_name().empty();
  const auto known = std::find_if(nominated_.begin(), nominated_.end(), [id](const auto& one) { return one.id == id; });
  if (known == nominated_.end() && !nominated) return;
  nominated_changed_ = true;
  if (known != nominated_.end()) {
    if (nominated && known->arrival == pod.arrival && known->facts->nominated_node_name == pod.nominated_node_name()) {
      known->facts = pod.facts;  // its place in the order stays
      return;
    }
    nominated_.erase(known);
  }
  if (nominated) nominated_.push_back(MakePod(pod));
}

void SnapshotPublisher::NoteNode(NodeId node) {
  if (std::exchange(noted_[node], round_) != round_) changed_nodes_.push_back(node);
}

bool SnapshotPublisher::PublishNodes(Snapshot& next) {
  if (changed_nodes_.empty()) return false;
  next.num_nodes = state_.node_capacity();
  next.chunks.resize((next.num_nodes + kNodesPerChunk - 1) / kNodesPerChunk);
  std::sort(changed_nodes_.begin(), changed_nodes_.end());
  std::shared_ptr<NodeChunk> chunk;
  for (size_t i = 0; i < changed_nodes_.size(); ++i) {
    const NodeId node = changed_nodes_[i], at = node / kNodesPerChunk;
    if (i == 0 || changed_nodes_[i - 1] / kNodesPerChunk != at) {
      std::shared_ptr<const NodeChunk>& old = next.chunks[at];
      chunk = old == nullptr ? std::make_shared<NodeChunk>() : std::make_shared<NodeChunk>(*old);
      old = chunk;
      ++counters_.chunks_made;
    }
    (*chunk)[node % kNodesPerChunk] = MakeNode(node);
  }
  return true;
}

PublishedNodePtr SnapshotPublisher::MakeNode(NodeId node) {
  auto made = std::make_shared<PublishedNode>();
  made->name = state_.node_name(node);
  made->object = state_.node_object(node);
  made->images = state_.node_images(node);
  made->ports = state_.used_ports(node);
  const auto pods = state_.pods(node);
  made->pods.reserve(pods.size());
  for (const PodId id : pods) made->pods.push_back(MakePod(state_.pod_store().Get(id)));
  ++counters_.nodes_made;
  counters_.pods_copied += pods.size();
  return made;
}

bool SnapshotPublisher::PublishOrder(Snapshot& next) {
  if (order_version_ == state_.order_version()) return false;
  order_version_ = state_.order_version();
  next.order = std::make_shared<const PublishedOrder>(
      PublishedOrder{state_.node_tree(), {state_.order().begin(), state_.order().end()}});
  ++counters_.orders_made;
  return true;
}

// ---- everything else ----

bool SnapshotPublisher::PublishObjects(Snapshot& next) {
  bool changed = false;
  ForEachTable(
      [&](std::string_view, auto& table, auto& published) {
        const auto keys = table.TakeChanges();
        changed |= !keys.empty();
        const auto find = [&table](const auto& key) { return table.Find(key.first, key.second); };
        published = published.With(keys, find, counters_.table_copies);
      },
      state_.objects(), next.objects);
  const std::vector<std::string> images = state_.image_table().TakeChanges();
  const std::vector<std::string> used_claims = state_.claim_use().TakeChanges();
  PublishImages(images, next);
  PublishUsedClaims(used_claims, next);
  return changed || !images.empty() || !used_claims.empty();
}

void SnapshotPublisher::PublishImages(const std::vector<std::string>& names, Snapshot& next) {
  next.images = next.images.With(
      WithoutNamespace(names), [this](const auto& key) { return state_.image_table().FindShared(key.second); },
      counters_.table_copies);
}

void SnapshotPublisher::PublishUsedClaims(const std::vector<std::string>& claims, Snapshot& next) {
  const auto find = [this, known = next.used_claims](const auto& key) -> std::shared_ptr<const UsedClaim> {
    const int pods = state_.claim_use().CountOf(key.second);
    if (pods == 0) return nullptr;
    auto before = known.Find(key);
    if (before != nullptr && before->pods == pods) return before;
    return std::make_shared<const UsedClaim>(UsedClaim{std::string(key.second), pods});
  };
  next.used_claims = next.used_claims.With(WithoutNamespace(claims), find, counters_.table_copies);
}

// A pod that has got its node by now is no longer nominated: the journal says so, not the store.
bool SnapshotPublisher::PublishNominated(Snapshot& next) {
  std::vector<PublishedPod> pending;
  for (const PublishedPod& pod : nominated_) {
    if (state_.pod_store().Get(pod.id).node == kNoNode) pending.push_back(pod);
  }
  if (!nominated_changed_ && (next.nominated == nullptr ? pending.empty() : *next.nominated == pending)) return false;
  nominated_changed_ = false;
  next.nominated = pending.empty() ? nullptr : std::make_shared<const std::vector<PublishedPod>>(std::move(pending));
  return true;
}

}  // namespace ksched
