// Keeps pods off nodes that their nodeSelector and required node affinity do not match, or that the profile's
// addedAffinity does not; prefers nodes that preferred terms of both match, by weight.
// Reference: pkg/scheduler/framework/plugins/nodeaffinity, v1.37.2; no differences.
#pragma once

#include <memory>
#include <vector>

#include "framework/registry.h"
#include "plugins/common/node_selector.h"

namespace ksched {

class NodeAffinity final : public Plugin,
                           public PreFilterPlugin,
                           public FilterPlugin,
                           public PreScorePlugin,
                           public ScorePlugin,
                           public EnqueueExtensions,
                           public SignPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  // `added` is valid.
  NodeAffinity(api::NodeAffinity added, const PluginContext& context);

  std::string_view name() const override { return "NodeAffinity"; }
  Status PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const override;
  Status Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const override;
  Status PreScore(CycleState& cycle, const PodInfo& pod, std::span<const NodeId> nodes) const override;
  // The sum of the weights of the preferred terms that match.
  Status Score(const CycleState& cycle, const PodInfo& pod, const NodeView& node, int64_t& score) const override;
  bool normalizes() const override { return true; }
  Status NormalizeScore(const CycleState& cycle, const PodInfo& pod, std::span<int64_t> scores) const override;
  std::vector<ClusterEventWithHint> EventsToRegister() const override;
  bool SignPod(const PodInfo& pod, std::string& signature) const override;
  Dependencies dependencies() const override;

 private:
  // The class of the pod that the programs were compiled for; they are good for no other.
  struct Programs final : StateData {
    // Of the PodClass that the programs borrow from: one of the same spec is not enough, it may be gone.
    uint64_t required_serial = 0, preferred_serial = 0;
    RequiredNodeAffinity required;
    NodeSelectorTerms preferred;
    std::string preferred_problems;
  };

  bool MatchesAdded(const api::Node& node) const { return !added_.required || added_required_.MatchesAny(node); }
  void CompileRequired(const PodClass& pod, Programs& programs) const;
  void CompilePreferred(const PodClass& pod, Programs& programs) const;
  Result<bool> MatchesRequired(const PodInfo& pod, const api::Node& node) const;
  Result<QueueingHint> AfterNodeChange(const PodInfo& pod, const EventObjects& objects) const;

  PluginId id_;
  ClusterState& state_;  // told which label keys matter
  ReasonTable& reasons_;
  api::NodeAffinity added_;
  NodeSelectorTerms added_required_, added_preferred_;  // borrow from added_
  ReasonId other_node_, enforced_, conflict_;
};

}  // namespace ksched
