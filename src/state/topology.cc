#include "state/topology.h"

namespace ksched {

TopologyKeyId TopologyTable::Use(std::string_view key, bool& added) {
  added = false;
  if (const auto found = ids_.find(key); found != ids_.end()) return found->second;
  added = true;
  const auto id = static_cast<TopologyKeyId>(keys_.size());
  keys_.emplace_back().name = key;
  ids_.emplace(std::string(key), id);
  return id;
}

void TopologyTable::Set(NodeId node, const api::StringMap& labels) {
  for (TopologyKeyId id = 0; id < keys_.size(); ++id) Set(id, node, labels);
}

void TopologyTable::Set(TopologyKeyId key, NodeId node, const api::StringMap& labels) {
  Key& entry = keys_[key];
  const auto label = labels.find(entry.name);
  if (label == labels.end()) {
    if (node < entry.column.size()) entry.column[node] = kNoDomain;
    return;
  }
  if (entry.column.size() <= node) entry.column.resize(node + 1, kNoDomain);
  entry.column[node] = entry.values.Intern(label->second);
}

}  // namespace ksched
