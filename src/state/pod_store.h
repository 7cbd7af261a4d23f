// PodStore: every pod that the engine knows, pending or assigned. A pod keeps its PodId and its address as long as it
// exists, whatever updates come.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "api/types.h"
#include "base/string_map.h"
#include "state/pod_class.h"
#include "state/pod_facts.h"

namespace ksched {

using PodId = uint32_t;
using NodeId = uint32_t;
inline constexpr PodId kNoPod = UINT32_MAX;
inline constexpr NodeId kNoNode = UINT32_MAX;
inline const std::string kNoNodeName;

// One pod: what it says about itself, and what changes in the engine. A copy is what the pod was at that moment, good
// as long as the store. One cache line, so that to find one by its id is a matter of shifts.
struct alignas(64) PodInfo {
  PodId id = kNoPod;
  uint32_t arrival = 0;  // in the order in which pods came
  // Set by ClusterState while the pod is on a node.
  NodeId node = kNoNode;
  uint32_t node_slot = 0;
  const PodClass* pod_class = nullptr;  // that of the facts
  PodFactsPtr facts;                    // null: there is no such pod
  // spec.nodeName; of an assumed pod the node that it is assumed on. One of the store's (PodStore::NodeName).
  const std::string* node_name_of = &kNoNodeName;

  const std::string& ns() const { return pod_class->ns; }
  int32_t priority() const { return pod_class->priority; }
  const std::string& name() const { return facts->name; }
  const std::string& uid() const { return facts->uid; }
  std::string Key() const { return ns() + "/" + name(); }
  const std::string& node_name() const { return *node_name_of; }
  const std::string& nominated_node_name() const { return facts->nominated_node_name; }
  std::optional<api::TimeNs> start_time() const { return facts->start_time; }
  std::optional<api::TimeNs> creation_timestamp() const { return facts->creation_timestamp; }
  uint64_t resource_version() const { return facts->resource_version; }
  bool deleting() const { return facts->deleting; }
  bool preempted() const { return facts->preempted; }
  const std::shared_ptr<const std::vector<api::Volume>>& volumes() const { return facts->volumes; }
  bool HasCondition(std::string_view status, std::string_view reason, std::string_view message) const {
    const ScheduledCondition* c = facts->condition.get();
    return c != nullptr && c->status == status && c->reason == reason && c->message == message;
  }
};

class PodStore {
 public:
  PodStore(ResourceNames& names, ResourceFeatures features, ClassesOf kind = ClassesOf::kCluster)
      : classes_(names, features, kind) {}
  PodStore(const PodStore&) = delete;
  PodStore& operator=(const PodStore&) = delete;

  // A new pod; namespace/name must not be in the store. The reference is good until Remove.
  PodInfo& Add(api::Pod&& pod);
  // A pod that Find does not find: it has no name yet, or the name of another one.
  PodInfo& AddUnlisted(api::Pod&& pod);
  // A pod of another store (a snapshot has it), and another version of it, with the same name.
  PodInfo& AddShared(PodFactsPtr facts);
  void SetShared(PodInfo& pod, PodFactsPtr facts);
  // Replaces what the pod says about itself and returns what it said before, with a class that lives until the next
  // call of a method of this store. id, arrival and the place on a node stay.
  PodInfo Update(PodId id, api::Pod&& pod);
  void Remove(PodId id);
  // Find does not find the pod any more; another one may have its name.
  void Unlist(PodId id);

  // Changes some of what the pod says about itself; not its class, name and namespace.
  template <typename F>
  void Change(PodInfo& pod, F&& change) {
    change(Writable(pod));
  }
  void SetCondition(PodInfo& pod, ScheduledCondition condition);
  // The one string with these bytes that PodInfo::node_name_of may point to. It lives as long as the store: names of
  // nodes are never forgotten.
  const std::string* NodeName(std::string_view name);

  PodInfo& Get(PodId id) { return pods_[id]; }
  const PodInfo& Get(PodId id) const { return pods_[id]; }
  PodInfo* Find(std::string_view ns, std::string_view name);
  const PodInfo* Find(std::string_view ns, std::string_view name) const {
    return const_cast<PodStore*>(this)->Find(ns, name);
  }
  bool exists(PodId id) const { return pods_[id].facts != nullptr; }
  size_t size() const { return by_key_.size(); }                             // without unlisted ones
  uint32_t capacity() const { return static_cast<uint32_t>(pods_.size()); }  // ids are below this
  PodClassTable& classes() { return classes_; }

  // From now on it is noted which pods change in what they say about themselves, come or go (TakeChanges).
  void TrackChanges() { tracks_ = true; }
  // Those since the last call, some of them more than once.
  std::vector<PodId> TakeChanges() { return std::exchange(changes_, {}); }

 private:
  using ConditionPtr = std::shared_ptr<const ScheduledCondition>;
  using Key = std::pair<std::string_view, std::string_view>;  // namespace, name
  // Pods are found by their key, which the store holds but once: in their facts.
  struct KeyOf {
    using is_transparent = void;
    const std::deque<PodInfo>* pods;
    Key operator()(PodId id) const { return {(*pods)[id].ns(), (*pods)[id].name()}; }
    const Key& operator()(const Key& key) const { return key; }
  };
  struct HashOfKey : KeyOf {
    template <typename T>
    size_t operator()(const T& pod) const {
      const Key key = KeyOf::operator()(pod);
      size_t hash = StringHash()(key.second);
      boost::hash_combine(hash, StringHash()(key.first));
      return hash;
    }
  };
  struct EqualKeys : KeyOf {
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return KeyOf::operator()(a) == KeyOf::operator()(b);
    }
  };

  PodInfo& NewSlot();
  void Fill(PodInfo& info, api::Pod&& pod);
  void List(PodId id);
  void NoteChange(PodId id) {
    if (tracks_) changes_.push_back(id);
  }
  PodFacts& Writable(PodInfo& pod);
  ConditionPtr Share(const ConditionPtr& condition);
  void ReleasePending();

  PodClassTable classes_;
  std::deque<PodInfo> pods_;
  std::vector<PodId> free_;
  boost::unordered_flat_set<PodId, HashOfKey, EqualKeys> by_key_{0, HashOfKey{{&pods_}}, EqualKeys{{&pods_}}};
  std::unordered_set<std::string, StringHash, std::equal_to<>> node_names_;
  ConditionPtr scheduled_, last_condition_;
  const PodClass* pending_release_ = nullptr;
  bool tracks_ = false;
  std::vector<PodId> changes_;
  uint32_t next_arrival_ = 0;
};

}  // namespace ksched
