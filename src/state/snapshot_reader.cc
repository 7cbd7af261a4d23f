#include "state/snapshot_reader.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace ksched {

SnapshotReader::SnapshotReader(ResourceFeatures features, std::shared_ptr<ResourceNames> names)
    : state_(features, std::move(names)) {}

void SnapshotReader::Follow(SnapshotPtr snapshot) {
  if (snapshot == seen_) return;
  state_.TakeSnapshot();  // what pods of its own have left to do
  FollowObjects(*snapshot);
  CollectChanges(*snapshot);
  // First everything leaves that has to, since it may come back elsewhere.
  for (Change& change : changes_) {
    const PublishedNode& now = *change.now;
    const NodeChunk* chunk = nullptr;
    if (change.node < seen_->num_nodes) chunk = seen_->chunks[change.node / kNodesPerChunk].get();
    const PublishedNode* before = chunk == nullptr ? nullptr : (*chunk)[change.node % kNodesPerChunk].get();
    if (before == nullptr || before->object != now.object) ++counters_.objects_of_nodes;
    state_.FollowNode(change.node, now.name, now.object, now.images);
    change.kept_pods = KeepPods(change.node, before, now);
  }
  const bool nominations = snapshot->nominated != seen_->nominated;
  if (nominations) {
    for (const PodId id : nominated_) state_.pod_store().Remove(id);
    nominated_.clear();
  }
  for (const Change& change : changes_) {
    for (size_t i = change.kept_pods; i < change.now->pods.size(); ++i) {
      PodInfo& pod = AddPod(change.now->pods[i]);
      pod.node_name_of = &state_.node_name(change.node);
      state_.AddPodTo(pod, change.node);
    }
    state_.FollowPorts(change.node, change.now->ports);
  }
  if (nominations && snapshot->nominated != nullptr) {
    for (const PublishedPod& pod : *snapshot->nominated) nominated_.push_back(AddPod(pod).id);
  }
  if (snapshot->order != seen_->order) state_.FollowOrder(snapshot->order->tree, snapshot->order->order);
  SharedTable<UsedClaim>::Compare(seen_->used_claims, snapshot->used_claims, [this](const auto& was, const auto& is) {
    state_.claim_use().Follow(is != nullptr ? is->name : was->name, is != nullptr ? is->pods : 0);
  });
  state_.claim_use().DropNotes();
  seen_ = std::move(snapshot);
}

// Nodes whose records differ, by their ids.
void SnapshotReader::CollectChanges(const Snapshot& next) {
  changes_.clear();
  for (size_t at = 0; at < next.chunks.size(); ++at) {
    const NodeChunk& now = *next.chunks[at];
    const NodeChunk* before = at < seen_->chunks.size() ? seen_->chunks[at].get() : nullptr;
    if (before == &now) continue;
    for (NodeId i = 0; i < kNodesPerChunk; ++i) {
      if (now[i] == nullptr || (before != nullptr && (*before)[i] == now[i])) continue;
      changes_.push_back({static_cast<NodeId>(at * kNodesPerChunk + i), now[i].get()});
    }
  }
  counters_.nodes_followed += changes_.size();
}

void SnapshotReader::FollowObjects(const Snapshot& next) {
  const uint64_t namespaces = state_.objects().namespaces.version();
  ForEachTable(
      [this](std::string_view, auto& table, const auto& before, const auto& now) {
        std::remove_cvref_t<decltype(now)>::Compare(before, now, [&](const auto& was, const auto& is) {
          ++counters_.objects_changed;
          if (is != nullptr) {
            table.Put(is);
          } else {
            table.Remove(was->metadata.ns, was->metadata.name);
          }
        });
      },
      state_.objects(), seen_->objects, next.objects);
  SharedTable<Image>::Compare(seen_->images, next.images, [this](const ImagePtr& was, const ImagePtr& is) {
    ++counters_.objects_changed;
    state_.image_table().Follow(is != nullptr ? is->name : was->name, is);
  });
  if (state_.objects().namespaces.version() != namespaces) state_.NamespacesChanged();
}

// Takes pods off the node, each time putting the last in the place of the one that leaves, until those that are left
// are the first ones of what is to be. The writer's own removals were like that, so that few pods move in vain. Returns
// how many are left.
size_t SnapshotReader::KeepPods(NodeId node, const PublishedNode* before, const PublishedNode& now) {
  pods_.clear();
  if (before != nullptr) {
    for (const PublishedPod& pod : before->pods) pods_.push_back(&pod);
  }
  size_t kept = 0;
  while (kept < pods_.size()) {
    PodInfo& here = state_.pod_store().Get(state_.pods(node)[kept]);
    if (kept < now.pods.size() && Becomes(here.id, *pods_[kept], now.pods[kept])) {
      ++kept;
      continue;
    }
    state_.RemovePod(here);
    state_.pod_store().Remove(here.id);
    ++counters_.pods_removed;
    pods_[kept] = pods_.back();
    pods_.pop_back();
  }
  return kept;
}

// Makes the pod what it is now, if it is the same one and its node counts nothing else.
bool SnapshotReader::Becomes(PodId here, const PublishedPod& before, const PublishedPod& now) {
  if (before.id != now.id || before.arrival != now.arrival) return false;
  if (before.facts == now.facts) return true;
  const PodFacts& was = *before.facts;
  const PodFacts& is = *now.facts;
  if (was.pod_class != is.pod_class || was.volumes != is.volumes || was.deleting != is.deleting ||
      was.name != is.name || was.uid != is.uid) {
    return false;
  }
  state_.pod_store().SetShared(state_.pod_store().Get(here), now.facts);
  return true;
}

PodInfo& SnapshotReader::AddPod(const PublishedPod& pod) {
  PodInfo& info = state_.pod_store().AddShared(pod.facts);
  info.arrival = pod.arrival;
  ++counters_.pods_added;
  return info;
}

// ---- pods of its own ----

PodInfo& SnapshotReader::AddOwnPod(api::Pod&& pod) {
  PodInfo& info = state_.pod_store().AddUnlisted(std::move(pod));
  own_pods_.push_back(info.id);
  KeepClass(info.pod_class);
  return info;
}

void SnapshotReader::RemoveOwnPods() {
  for (const PodId id : own_pods_) {
    assert(state_.pod_store().Get(id).node == kNoNode);
    state_.pod_store().Remove(id);
  }
  own_pods_.clear();
}

void SnapshotReader::KeepClass(const PodClass* pod_class) {
  PodClassTable& classes = state_.pod_store().classes();
  const auto known = std::find(kept_classes_.begin(), kept_classes_.end(), pod_class);
  if (known != kept_classes_.end()) {
    kept_classes_.erase(known);
  } else {
    classes.Retain(pod_class);
  }
  kept_classes_.push_back(pod_class);
  if (kept_classes_.size() <= kKeptClasses) return;
  classes.Release(kept_classes_.front());
  kept_classes_.pop_front();
}

}  // namespace ksched
