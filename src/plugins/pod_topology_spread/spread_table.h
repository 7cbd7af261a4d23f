// SpreadTable: the constraints and counts of each class of pods, worked out once. Classes whose pods count the same
// share counts: those of a StatefulSet have a label of their own each.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "plugins/pod_topology_spread/spread_counts.h"

namespace ksched {

class SpreadTable {
 public:
  // What one class has.
  struct Entry {
    std::shared_ptr<SpreadCounts> counts;  // null: there are no constraints
    std::vector<uint8_t> means_self;       // by constraint: whether it means pods of this class
  };

  SpreadTable(SpreadDefaults defaults, bool comparison_operators, ClusterState& state);

  // False: there are surely none, and Find need not be asked.
  bool MayHave(const PodClass& pod, SpreadAction action) const;
  // Good until the next call.
  const Entry& Find(const PodClass& pod, SpreadAction action);

 private:
  struct Slot {
    Entry entry;
    uint64_t version = 0;  // of the objects that a default selector was made of; 0 if it does not matter
  };
  // Classes of one spec have the same constraints but for the pods that are counted. kNotCounted: none are.
  using Key = std::tuple<uint64_t, SpreadAction, std::vector<SelectorGroupId>>;
  static constexpr SelectorGroupId kNotCounted = UINT32_MAX;

  void Fill(const PodClass& pod, SpreadAction action, Entry& entry);
  void MakeRoom();

  SpreadDefaults defaults_;
  bool comparison_operators_;
  ClusterState& state_;
  boost::unordered_flat_map<uint64_t, Slot> slots_[2];  // by action, and PodClass::serial
  std::map<Key, std::shared_ptr<SpreadCounts>> counts_;
  uint64_t tick_ = 0;
};

}  // namespace ksched
