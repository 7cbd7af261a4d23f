// IdealCluster: the nodes of a cluster as they would be with nothing in the way: without pods, cordons and taints that
// come and go by themselves; and beside them nodes of the shapes that the policy says may come. What no node of these
// takes can never be scheduled.
//
// What counts there is what the profile's NodeAffinity, TaintToleration and NodeResourcesFit say, asked as they are, by
// scheduling cycles with these plugins alone.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/result.h"
#include "config/feature_gates.h"
#include "config/types.h"
#include "framework/registry.h"
#include "webhook/policy.h"
#include "webhook/rehearsal.h"

namespace ksched::webhook {

// How pods are scheduled. All of it outlives who has it.
struct SchedulingRules {
  const config::SchedulerConfiguration& configuration;
  const config::FeatureGates& features;
  const PluginRegistry& registry;
};

class IdealCluster {
 public:
  // `whole` is what pods are really scheduled by. Rules and policy outlive it.
  static Result<std::unique_ptr<IdealCluster>> Create(const SchedulingRules& rules, const Policy& policy,
                                                      const Scheduler& whole);

  // Takes over which nodes there are, and what they have. At a cost in proportion to their number, if any changed.
  void Follow(const ClusterState& cluster);

  size_t num_nodes() const { return num_nodes_; }  // without shapes
  size_t num_shapes() const { return num_shapes_; }
  // What could never take the pod.
  struct Verdict {
    bool possible = true;
    bool unknown = false;           // a plugin has failed: nothing can be said
    std::string reasons;            // "3 Insufficient cpu, 1 node(s) had untolerated taint {a: b}", as the scheduler
    std::vector<std::string> help;  // "1 would if the pod tolerated its taints": what alone would make nodes possible
    std::vector<std::string_view> plugins;
  };
  // The pod needs no name. The same object for pods that are alike, until something changes.
  std::shared_ptr<const Verdict> Judge(const api::Pod& pod);
  // How many nodes and shapes take the pod if requests do not count, and if they do.
  struct Daemon {
    size_t eligible = 0, possible = 0;
  };
  Daemon CountFor(const api::Pod& pod);

  const Scheduler& scheduler() const { return rehearsal_->scheduler(); }

 private:
  enum class Without : uint8_t { kNothing, kAffinity, kTaints, kRequests, kNothingCounted };
  IdealCluster(const Policy& policy, ResourceFeatures features) : policy_(policy), state_(features) {}
  static config::Profile ProfileOf(const config::Profile& profile, const Scheduler& whole, Without without);
  void PutNode(const api::Node& node);
  Verdict WorkOut(const api::Pod& pod);
  const CycleRecord* Try(const api::Pod& pod, Without without);
  void AddHelp(const api::Pod& pod, Verdict& verdict);
  std::string TooMuch(const ResourceAmounts& requests, std::span<const NodeId> nodes) const;

  const Policy& policy_;
  config::SchedulerConfiguration configuration_;
  ClusterState state_;
  std::unique_ptr<Rehearsal> rehearsal_;
  std::vector<NodePtr> seen_;    // by the cluster's NodeId
  uint64_t device_classes_ = 0;  // the version of the table that was seen
  size_t num_nodes_ = 0, num_shapes_ = 0;
  // By what tells classes of pods apart. Emptied when anything changes.
  boost::unordered_flat_map<std::string, std::shared_ptr<const Verdict>> known_;
  std::string key_;  // scratch
};

}  // namespace ksched::webhook
