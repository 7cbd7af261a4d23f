#include "state/node_tree.h"

#include <algorithm>

namespace ksched {

std::string ZoneKey(const api::StringMap& labels) {
  // The older label wins where both stand, as in the reference.
  const auto value_of = [&](const char* older, const char* key) -> std::string {
    if (auto found = labels.find(older); found != labels.end()) return found->second;
    if (auto found = labels.find(key); found != labels.end()) return found->second;
    return {};
  };
  const std::string zone = value_of("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
  const std::string region = value_of("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region");
  if (zone.empty() && region.empty()) return {};
  std::string key = region;
  key.append(":\0:", 3).append(zone);  // a NUL byte, which no label can hold, keeps the two apart
  return key;
}

void NodeTree::Add(NodeId node, const std::string& zone) {
  auto found = std::find_if(zones_.begin(), zones_.end(), [&](const Zone& z) { return z.key == zone; });
  if (found == zones_.end()) found = zones_.insert(zones_.end(), Zone{zone, {}});
  if (std::find(found->nodes.begin(), found->nodes.end(), node) != found->nodes.end()) return;
  found->nodes.push_back(node);
  ++size_;
}

void NodeTree::Remove(NodeId node, const std::string& zone) {
  auto found = std::find_if(zones_.begin(), zones_.end(), [&](const Zone& z) { return z.key == zone; });
  if (found == zones_.end()) return;
  auto at = std::find(found->nodes.begin(), found->nodes.end(), node);
  if (at == found->nodes.end()) return;
  found->nodes.erase(at);
  if (found->nodes.empty()) zones_.erase(found);
  --size_;
}

void NodeTree::Update(NodeId node, const std::string& old_zone, const std::string& new_zone) {
  if (old_zone == new_zone) return;
  Remove(node, old_zone);
  Add(node, new_zone);
}

std::vector<NodeId> NodeTree::List() const {
  std::vector<NodeId> list;
  list.reserve(size_);
  for (size_t index = 0; list.size() < size_; ++index) {
    for (const Zone& zone : zones_) {
      if (index < zone.nodes.size()) list.push_back(zone.nodes[index]);
    }
  }
  return list;
}

}  // namespace ksched
