// The extension points: one small interface each. A plugin is a class that implements some of them.
// Reference: k8s.io/kube-scheduler/framework/interface.go, v0.37.2.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "framework/cluster_event.h"
#include "framework/cycle_state.h"
#include "framework/status.h"
#include "state/cluster_state.h"

namespace ksched {

inline constexpr int64_t kMaxNodeScore = 100;

// What a plugin's Filter verdict or raw Score of a pod on a node depends on, besides the pod's spec: the node's
// properties in `filter` and `score`. An answer is kept as long as none of them changes. A plugin with cacheable
// answers reads neither namespace, labels nor owner of the pod for them, and whether its PreFilter or PreScore skips
// depends on the spec alone.
struct Dependencies {
  Changes filter = kAllNodeChanges;
  Changes score = kAllNodeChanges;
  bool cacheable_filter = false;    // nothing but the pod's spec and these properties of this one node
  bool cacheable_score = false;     // likewise; PreScore may not look at the nodes that it is given
  bool score_counts_nodes = false;  // the raw score depends on the number of nodes, too
};

class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view name() const = 0;
  virtual Dependencies dependencies() const { return {}; }
};

// A queued pod, as a queue sort plugin sees it.
struct QueueSortKey {
  int32_t priority = 0;
  TimeNs timestamp = 0;
};

class PreEnqueuePlugin {
 public:
  virtual ~PreEnqueuePlugin() = default;
  // Success lets the pod into the active queue; a rejection holds it back (it is gated).
  virtual Status PreEnqueue(const PodInfo& pod) const = 0;
};

class QueueSortPlugin {
 public:
  virtual ~QueueSortPlugin() = default;
  virtual bool Less(const QueueSortKey& a, const QueueSortKey& b) const = 0;  // whether a comes before b
};

class EnqueueExtensions {
 public:
  virtual ~EnqueueExtensions() = default;
  // The events that may make a pod schedulable that this plugin has rejected.
  virtual std::vector<ClusterEventWithHint> EventsToRegister() const = 0;
};

// Which nodes PreFilter leaves; absent: all.
struct PreFilterResult {
  std::optional<std::vector<std::string>> node_names;  // sorted, unique; need not exist
};

class PreFilterExtensions {
 public:
  virtual ~PreFilterExtensions() = default;
  virtual Status AddPod(CycleState& cycle, const PodInfo& pod, const PodInfo& added, const NodeView& node) const = 0;
  virtual Status RemovePod(CycleState& cycle, const PodInfo& pod, const PodInfo& removed,
                           const NodeView& node) const = 0;
};

class PreFilterPlugin {
 public:
  virtual ~PreFilterPlugin() = default;
  virtual Status PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const = 0;
  virtual const PreFilterExtensions* extensions() const { return nullptr; }
};

class FilterPlugin {
 public:
  virtual ~FilterPlugin() = default;
  virtual Status Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const = 0;
};

// A node on which the pod would fit without some of its pods.
struct PreemptionCandidate {
  NodeId node = kNoNode;
  std::vector<PodId> victims;  // the most important first
  int64_t pdb_violations = 0;
};

struct PostFilterResult {
  bool nominates = false;      // has a nominating info at all
  std::string nominated_node;  // "" clears the nomination
  // Of preemption: who has to leave the nominated node, in the order of eviction, and every node that was possible.
  std::vector<PodId> victims;
  std::vector<PreemptionCandidate> candidates;
};

// The status of every node after Filter; what PostFilter plugins start from.
class NodeStatuses {
 public:
  virtual ~NodeStatuses() = default;
  virtual Code CodeOf(NodeId node) const = 0;
};

class PostFilterPlugin {
 public:
  virtual ~PostFilterPlugin() = default;
  virtual Status PostFilter(CycleState& cycle, const PodInfo& pod, const NodeStatuses& statuses,
                            PostFilterResult& result) = 0;
};

class PreScorePlugin {
 public:
  virtual ~PreScorePlugin() = default;
  virtual Status PreScore(CycleState& cycle, const PodInfo& pod, std::span<const NodeId> nodes) const = 0;
};

class ScorePlugin {
 public:
  virtual ~ScorePlugin() = default;
  virtual Status Score(const CycleState& cycle, const PodInfo& pod, const NodeView& node, int64_t& score) const = 0;
  // Brings raw scores of all feasible nodes into 0..100. Plugins whose raw scores are there already do not override it.
  virtual bool normalizes() const { return false; }
  virtual Status NormalizeScore(const CycleState&, const PodInfo&, std::span<int64_t>) const { return {}; }
};

class ReservePlugin {
 public:
  virtual ~ReservePlugin() = default;
  virtual Status Reserve(CycleState& cycle, const PodInfo& pod, NodeId node) = 0;
  virtual void Unreserve(CycleState& cycle, const PodInfo& pod, NodeId node) = 0;
};

class PermitPlugin {
 public:
  virtual ~PermitPlugin() = default;
  // Wait: the pod waits, for `timeout` at the most, until the plugin allows it or turns it down (WaitingPods).
  virtual Status Permit(CycleState& cycle, const PodInfo& pod, NodeId node, std::chrono::nanoseconds& timeout) = 0;
};

// Hears once how something has ended that may take its time: before the call that began it returns, or later in the
// same thread. Borrowed until then.
class StatusReceiver {
 public:
  virtual ~StatusReceiver() = default;
  virtual void OnStatus(const Status& status) = 0;
};

class PreBindPlugin {
 public:
  virtual ~PreBindPlugin() = default;
  virtual Status PreBindPreFlight(CycleState& cycle, const PodInfo& pod,
                                  NodeId node) = 0;  // Skip: PreBind has nothing to do
  virtual void PreBind(CycleState& cycle, const PodInfo& pod, NodeId node, StatusReceiver& done) = 0;
};

class BindPlugin {
 public:
  virtual ~BindPlugin() = default;
  virtual void Bind(CycleState& cycle, const PodInfo& pod, NodeId node, StatusReceiver& done) = 0;  // Skip: not mine
};

class PostBindPlugin {
 public:
  virtual ~PostBindPlugin() = default;
  virtual void PostBind(CycleState& cycle, const PodInfo& pod, NodeId node) = 0;
};

// What tells pods apart for one plugin, so that equal pods may share results: appended to `signature`.
class SignPlugin {
 public:
  virtual ~SignPlugin() = default;
  // False: pods like this one must not be signed.
  virtual bool SignPod(const PodInfo& pod, std::string& signature) const = 0;
};

}  // namespace ksched
