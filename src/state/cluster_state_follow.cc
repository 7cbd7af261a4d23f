// ClusterState that follows the snapshots of another one.
#include <cassert>

#include "state/cluster_state.h"

namespace ksched {

void ClusterState::FollowNode(NodeId id, const std::string& name, const NodePtr& object, const NodeImages& images) {
  assert(follows_);
  [[maybe_unused]] const NodeId here = SlotOf(name);
  assert(here == id);
  NodeSlot& slot = nodes_[id];
  if (slot.object != object) {
    SetObject(id, object, images);
  } else if (slot.images != images) {
    slot.images = images;
    journal_.Append(id, kImagesChanged, 0, 0);
  }
  if (slot.in_snapshot == (object != nullptr)) return;
  slot.in_snapshot = object != nullptr;
  nodes_in_snapshot_ += slot.in_snapshot ? 1 : -1;
}

void ClusterState::FollowPorts(NodeId id, const UsedHostPorts& ports) {
  if (nodes_[id].ports == ports) return;
  nodes_[id].ports = ports;
  journal_.Append(id, kPortsChanged, 0, 0);
}

void ClusterState::FollowOrder(const NodeTree& tree, const std::vector<NodeId>& order) {
  tree_ = tree;
  order_ = order;
  OrderChanged();
}

}  // namespace ksched
