// PodStore: every pod that the engine knows, pending or assigned. A pod keeps its PodId and its address as long as it
// exists, whatever updates come.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "api/types.h"
#include "state/pod_class.h"

namespace ksched {

using PodId = uint32_t;
using NodeId = uint32_t;
inline constexpr PodId kNoPod = UINT32_MAX;
inline constexpr NodeId kNoNode = UINT32_MAX;

// What is known of one pod beyond its class.
struct PodInfo {
  PodId id = kNoPod;
  const PodClass* pod_class = nullptr;
  std::string name, uid;
  std::string node_name;            // spec.nodeName; of an assumed pod the node that it is assumed on
  std::string nominated_node_name;  // status.nominatedNodeName
  std::optional<api::TimeNs> start_time, creation_timestamp;
  bool deleting = false;   // has a deletionTimestamp
  bool preempted = false;  // has the condition DisruptionTarget=True with the reason PreemptionByScheduler
  uint32_t arrival = 0;    // in the order in which pods came
  // Volumes with a source that scheduling reads, or a claim; null: none.
  std::shared_ptr<const std::vector<api::Volume>> volumes;
  // status.conditions[PodScheduled], to tell whether a failure changes the pod
  std::string condition_status, condition_reason, condition_message;

  // Set by ClusterState while the pod is on a node.
  NodeId node = kNoNode;
  uint32_t node_slot = 0;

  const std::string& ns() const { return pod_class->ns; }
  int32_t priority() const { return pod_class->priority; }
  std::string Key() const { return ns() + "/" + name; }
};

class PodStore {
 public:
  PodStore(ResourceNames& names, ResourceFeatures features) : classes_(names, features) {}

  // A new pod; namespace/name must not be in the store. The reference is good until Remove.
  PodInfo& Add(api::Pod&& pod);
  // Replaces what the pod says about itself and returns what it said before, with a class that lives until the next
  // call of a method of this store. id, arrival and the place on a node stay.
  PodInfo Update(PodId id, api::Pod&& pod);
  void Remove(PodId id);

  PodInfo& Get(PodId id) { return pods_[id]; }
  const PodInfo& Get(PodId id) const { return pods_[id]; }
  PodInfo* Find(std::string_view ns, std::string_view name);
  size_t size() const { return by_key_.size(); }
  uint32_t capacity() const { return static_cast<uint32_t>(pods_.size()); }  // ids are below this
  PodClassTable& classes() { return classes_; }

 private:
  void Fill(PodInfo& info, api::Pod&& pod);
  void ReleasePending();

  PodClassTable classes_;
  std::deque<PodInfo> pods_;
  std::vector<PodId> free_;
  boost::unordered_flat_map<std::string, PodId> by_key_;  // "namespace/name"
  const PodClass* pending_release_ = nullptr;
  uint32_t next_arrival_ = 0;
};

}  // namespace ksched
