// NodeClass: nodes that no static rule can tell apart: the same taints, the same unschedulable flag, and the same
// values of the label keys that pods select by. Verdicts that depend on nothing else are worked out once per class.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "api/types.h"

namespace ksched {

using NodeClassId = uint32_t;

class NodeClassTable {
 public:
  // Takes the label into what tells classes apart. Returns true if it was not there yet: then every node has to be
  // classified anew.
  bool UseLabelKey(std::string_view key);
  NodeClassId Classify(const api::Node& node);
  uint32_t size() const { return static_cast<uint32_t>(ids_.size()); }  // ids are below this

 private:
  std::set<std::string, std::less<>> label_keys_;
  boost::unordered_flat_map<std::string, NodeClassId> ids_;
  std::string scratch_;
};

}  // namespace ksched
