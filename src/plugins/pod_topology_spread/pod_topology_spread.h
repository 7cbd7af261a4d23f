// Spreads pods over topology domains. Hard constraints (DoNotSchedule) keep a pod off nodes in whose domain there would
// be more than maxSkew pods more than in the domain with the fewest; soft ones (ScheduleAnyway) prefer nodes with
// fewer. Pods without constraints get the profile's default ones, with the selectors of their Services and their
// controller. Reference: pkg/scheduler/framework/plugins/podtopologyspread, v1.37.2; no differences.
//
// The reference keeps two "critical paths" per constraint, filled in random order, and updates them approximately. With
// changes in one domain only, which is all that nominated pods and preemption on one node bring about, their minimum is
// the exact one whatever the order: they start as the two least counts; the domain that changes is one of them, or it
// comes in when it falls below the second; the other one stays the least of all the others. So the exact minimum is
// what is used here, for any number of changing domains.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "framework/registry.h"
#include "plugins/common/domain_deltas.h"
#include "plugins/pod_topology_spread/spread_table.h"

namespace ksched {

class PodTopologySpread final : public Plugin,
                                public PreFilterPlugin,
                                public PreFilterExtensions,
                                public FilterPlugin,
                                public PreScorePlugin,
                                public ScorePlugin,
                                public EnqueueExtensions,
                                public SignPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  PodTopologySpread(SpreadDefaults defaults, const PluginContext& context);

  std::string_view name() const override { return "PodTopologySpread"; }
  // Skip: there are no hard constraints.
  Status PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const override;
  const PreFilterExtensions* extensions() const override { return this; }
  Status AddPod(CycleState& cycle, const PodInfo& pod, const PodInfo& added, const NodeView& node) const override;
  Status RemovePod(CycleState& cycle, const PodInfo& pod, const PodInfo& removed, const NodeView& node) const override;
  Status Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const override;
  // Skip: there are no soft constraints.
  Status PreScore(CycleState& cycle, const PodInfo& pod, std::span<const NodeId> nodes) const override;
  // How many pods there are in the node's domains, weighted; fewer is better.
  Status Score(const CycleState& cycle, const PodInfo& pod, const NodeView& node, int64_t& score) const override;
  bool normalizes() const override { return true; }
  Status NormalizeScore(const CycleState& cycle, const PodInfo& pod, std::span<int64_t> scores) const override;
  std::vector<ClusterEventWithHint> EventsToRegister() const override;
  bool SignPod(const PodInfo& pod, std::string& signature) const override;

 private:
  // Of one hard constraint, in this cycle.
  struct Hard {
    TopologyKeyId key = 0;
    DomainSums* sums = nullptr;
    int64_t allowed = 0;  // maxSkew, less the pod itself if the constraint means it
    bool too_few_domains = false;
    int64_t least = 0;  // the global minimum, without changes of dry runs
  };
  // Of one soft constraint.
  struct Soft {
    double weight = 0;
    int64_t without_label = 0;   // see Score
    std::vector<uint32_t> seen;  // by domain: the number of the PreScore that saw it last
  };
  struct Data final : StateData {
    std::shared_ptr<SpreadCounts> hard_counts, soft_counts;
    std::vector<Hard> hard;
    DomainDeltas deltas;  // by position of the constraint
    std::vector<Soft> soft;
    std::vector<uint8_t> ignored;  // by position among the nodes of PreScore
    uint32_t pre_scores = 0;

    size_t SetMark() override { return deltas.SetMark(); }
    void Rollback(size_t mark) override { deltas.Rollback(mark); }
  };

  void Change(CycleState& cycle, const PodInfo& pod, const PodInfo& changed, NodeId node, int64_t delta) const;
  static int64_t LeastWithDeltas(const Data& data, uint32_t constraint);
  uint32_t NumDomainsAmong(std::span<const NodeId> nodes, size_t constraint, Data& data) const;

  Result<QueueingHint> AfterAssignedPodChange(const PodInfo& pod, const EventObjects& objects) const;
  Result<QueueingHint> AfterTargetPodChange(const PodInfo& pod, const EventObjects& objects) const;
  Result<QueueingHint> AfterNodeChange(const PodInfo& pod, const EventObjects& objects) const;
  const std::vector<SpreadConstraint>& HardConstraintsOf(const PodInfo& pod) const;

  PluginId id_;
  ClusterState& state_;
  bool signs_;                 // pods without constraints have none by default either
  mutable SpreadTable table_;  // a cache
  ReasonId skewed_, no_label_, no_pre_filter_, no_pre_score_;
};

}  // namespace ksched
