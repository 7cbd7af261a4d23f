// NodeTree: the order in which the scheduler looks at nodes: one of each zone in turn, zones and nodes in the order in
// which they came. Reference: pkg/scheduler/backend/cache/node_tree.go, v1.37.2.
#pragma once

#include <string>
#include <vector>

#include "api/types.h"
#include "state/pod_store.h"

namespace ksched {

// Region and zone labels together, "" without any (k8s.io/component-helpers/node/topology).
std::string ZoneKey(const api::StringMap& labels);

class NodeTree {
 public:
  void Add(NodeId node, const std::string& zone);
  void Remove(NodeId node, const std::string& zone);
  // To the end of its new zone; nothing if the zone is the same.
  void Update(NodeId node, const std::string& old_zone, const std::string& new_zone);
  uint32_t size() const { return size_; }
  std::vector<NodeId> List() const;

 private:
  struct Zone {
    std::string key;
    std::vector<NodeId> nodes;
  };
  std::vector<Zone> zones_;
  uint32_t size_ = 0;
};

}  // namespace ksched
