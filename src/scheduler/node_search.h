// NodeSearch: finds the nodes that a pod fits on, as many as are wanted, from where the last search ended.
// Reference: findNodesThatFitPod in pkg/scheduler/schedule_one.go, v1.37.2, at parallelism 1 (docs/report.md, rule 1).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "framework/class_cache.h"
#include "framework/diagnosis.h"
#include "framework/framework.h"

namespace ksched {

// How many feasible nodes end a search over `num_nodes`. `percentage`: the profile's, else the configuration's; 0 or
// absent: adaptive.
int32_t NumFeasibleNodesToFind(std::optional<int32_t> percentage, int32_t num_nodes);

// One pod in its cycle.
struct SearchRequest {
  Framework& framework;
  ClassCache* cache;  // null: the plain form
  const PodNominator& nominator;
  VerdictTable& verdicts;
  CycleState& cycle;
  const PodInfo& pod;
  std::optional<int32_t> percentage_of_nodes_to_score;
};

class NodeSearch {
 public:
  // PreFilter has passed. Feasible nodes come in the order of the search; the diagnosis gets every other node that was
  // looked at. An error is that of the first node where a plugin failed; it is among the rejected.
  Status Run(const SearchRequest& request, const PreFilterOutcome& pre_filter, std::vector<NodeId>& feasible,
             Diagnosis& diagnosis);

  // What the cache knows of the pod of the last Run; null in the plain form.
  ClassCache::Entry* entry() const { return entry_; }
  uint64_t nodes_evaluated() const { return nodes_evaluated_; }

 private:
  void FindNominatedNodes(const SearchRequest& request);
  bool HasNominations(NodeId node) const { return !nominated_.empty() && is_nominated_[node]; }
  VerdictId Check(const SearchRequest& request, NodeId node) const;
  bool TryNominatedNode(const SearchRequest& request, std::vector<NodeId>& feasible, Diagnosis& diagnosis);
  struct SearchProgress {
    NodeId* feasible;
    uint32_t wanted;
    uint32_t found = 0;
    uint64_t looked_at = 0;
    bool done = false;  // enough were found
  };
  Status SearchPart(const SearchRequest& request, std::span<const NodeId> nodes, SearchProgress& progress,
                    Diagnosis& diagnosis);
  Status Search(const SearchRequest& request, std::span<const NodeId> nodes, std::vector<NodeId>& feasible,
                Diagnosis& diagnosis);
  void Reject(NodeId node, VerdictId verdict, Diagnosis& diagnosis) const;

  uint32_t next_start_ = 0;
  ClassCache::Entry* entry_ = nullptr;
  uint64_t nodes_evaluated_ = 0;
  NodeId tried_first_ = kNoNode;  // the nominated node, if it was rejected before the search
  std::vector<NodeId> named_;
  std::vector<NodeId> nominated_;   // nodes with nominated pods, in this search
  std::vector<bool> is_nominated_;  // by NodeId
};

}  // namespace ksched
