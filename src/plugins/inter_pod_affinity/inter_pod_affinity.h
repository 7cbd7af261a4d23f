// Keeps a pod to topology domains with pods that its required affinity asks for, off domains with pods that its
// required anti-affinity, or theirs, keeps apart from it; prefers domains by the weights of preferred terms of both
// sides. Reference: pkg/scheduler/framework/plugins/interpodaffinity, v1.37.2; no differences.
//
// Counts by domain are kept over cycles (affinity_counts.h) and do not change within one: what AddPod and RemovePod
// change lies on top of them.
#pragma once

#include <memory>
#include <vector>

#include "framework/registry.h"
#include "plugins/common/domain_deltas.h"
#include "plugins/inter_pod_affinity/affinity_counts.h"

namespace ksched {

class InterPodAffinity final : public Plugin,
                               public PreFilterPlugin,
                               public PreFilterExtensions,
                               public FilterPlugin,
                               public PreScorePlugin,
                               public ScorePlugin,
                               public EnqueueExtensions,
                               public SignPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  InterPodAffinity(const config::InterPodAffinityArgs& args, const PluginContext& context);

  std::string_view name() const override { return "InterPodAffinity"; }
  Status PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const override;
  const PreFilterExtensions* extensions() const override { return this; }
  Status AddPod(CycleState& cycle, const PodInfo& pod, const PodInfo& added, const NodeView& node) const override;
  Status RemovePod(CycleState& cycle, const PodInfo& pod, const PodInfo& removed, const NodeView& node) const override;
  Status Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const override;
  Status PreScore(CycleState& cycle, const PodInfo& pod, std::span<const NodeId> nodes) const override;
  Status Score(const CycleState& cycle, const PodInfo& pod, const NodeView& node, int64_t& score) const override;
  bool normalizes() const override { return true; }
  Status NormalizeScore(const CycleState& cycle, const PodInfo& pod, std::span<int64_t> scores) const override;
  std::vector<ClusterEventWithHint> EventsToRegister() const override;
  bool SignPod(const PodInfo& pod, std::string& signature) const override;
  // Nothing may be cached: the answers read pods on other nodes.

  // How often a node was asked for its pods or terms, since the start: what cycles cost beyond look-ups.
  uint64_t nodes_asked() const { return counts_.nodes_asked(); }

 private:
  // Terms of pods on nodes with one topology key; null: only dry runs have brought some.
  struct ExistingTerm {
    TopologyKeyId key = 0;
    const DomainSums* sums = nullptr;
  };
  struct ScoredTerm {
    TopologyKeyId key = 0;
    const DomainSums* sums = nullptr;
    int64_t weight = 0;
  };
  struct Data final : StateData {
    const ClassTerms* own = nullptr;
    bool self_match = false;             // all terms of required affinity mean the pod itself
    bool host_affinity = false;          // required affinity is to be checked on the node alone
    int64_t affinity_pods = 0;           // pods that they mean, once per key that their node has
    std::vector<ExistingTerm> existing;  // required anti-affinity that means the pod; those of one key together
    DomainDeltas deltas;
    std::vector<ScoredTerm> scored;  // those of one key together

    size_t SetMark() override { return deltas.SetMark(); }
    void Rollback(size_t mark) override { deltas.Rollback(mark); }
  };

  Status Change(CycleState& cycle, const PodInfo& pod, const PodInfo& changed, NodeId node, int sign) const;
  bool MeetsAffinity(const Data& data, NodeId node) const;
  bool MeetsAntiAffinity(const Data& data, NodeId node) const;
  bool MeetsExistingAntiAffinity(const Data& data, NodeId node) const;

  // With the gate InterPodAffinityHostnameFastPath: terms by kubernetes.io/hostname mean pods on the very node, also if
  // nodes share a value of that label (host_scoped.cc).
  bool IsHostScoped(TopologyKeyId key) const { return host_fast_path_ && key == host_key_; }
  int64_t PodsInGroup(SelectorGroupId group) const;  // on nodes of the snapshot, whatever their labels
  bool AnyHostScopedAntiAffinity() const;            // whether a pod on one of them has such a term, whoever it means
  bool NodeMeetsAffinity(const Data& data, NodeId node) const;
  bool NodeMeetsExistingAntiAffinity(const PodInfo& pod, NodeId node) const;

  // How much of an existing term of this kind counts for the score; 0: it does not.
  int64_t ScoreWeight(TermKind kind) const;

  Result<QueueingHint> AfterPodChange(const PodInfo& pod, const EventObjects& objects) const;
  Result<QueueingHint> AfterNodeChange(const PodInfo& pod, const EventObjects& objects) const;

  PluginId id_;
  ClusterState& state_;
  config::InterPodAffinityArgs args_;
  bool host_fast_path_ = false;
  TopologyKeyId host_key_ = 0;     // only with host_fast_path_
  mutable AffinityCounts counts_;  // of what the state says: no decision of its own
  ReasonId affinity_, anti_affinity_, existing_anti_affinity_, no_pre_filter_, no_pre_score_;
};

}  // namespace ksched
