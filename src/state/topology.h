// TopologyTable: for each topology key in use, which domain every node is in, as a column of small numbers.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/types.h"
#include "base/interner.h"
#include "base/string_map.h"
#include "state/pod_store.h"

namespace ksched {

using TopologyKeyId = uint32_t;
using DomainId = uint32_t;                         // the values of one key, dense from 0 in the order of first use
inline constexpr DomainId kNoDomain = UINT32_MAX;  // the node has no such label

class TopologyTable {
 public:
  // The number of a key; `added` says whether it is new: then every node has to be put in (Set).
  TopologyKeyId Use(std::string_view key, bool& added);
  // Writes the node's domain of every key, or of one.
  void Set(NodeId node, const api::StringMap& labels);
  void Set(TopologyKeyId key, NodeId node, const api::StringMap& labels);

  uint32_t num_keys() const { return static_cast<uint32_t>(keys_.size()); }
  const std::string& key(TopologyKeyId id) const { return keys_[id].name; }
  DomainId domain(TopologyKeyId key, NodeId node) const {
    const std::vector<DomainId>& column = keys_[key].column;
    return node < column.size() ? column[node] : kNoDomain;
  }
  // By NodeId; shorter than the number of nodes if the last ones have no such label.
  std::span<const DomainId> column(TopologyKeyId key) const { return keys_[key].column; }
  uint32_t num_domains(TopologyKeyId key) const { return keys_[key].values.size(); }  // ids are below this
  std::string_view value(TopologyKeyId key, DomainId domain) const { return keys_[key].values.Text(domain); }

 private:
  struct Key {
    std::string name;
    Interner values;
    std::vector<DomainId> column;
  };
  std::deque<Key> keys_;
  StringMap<TopologyKeyId> ids_;
};

}  // namespace ksched
