#include "scheduler/node_search.h"

#include <algorithm>

#include <fmt/format.h>

namespace ksched {
namespace {

constexpr int32_t kMinFeasibleNodesToFind = 100;
constexpr int32_t kMinFeasibleNodesPercentage = 5;

}  // namespace

int32_t NumFeasibleNodesToFind(std::optional<int32_t> percentage, int32_t num_nodes) {
  if (num_nodes < kMinFeasibleNodesToFind) return num_nodes;
  int32_t percent = percentage.value_or(0);
  if (percent == 0) percent = std::max(50 - num_nodes / 125, kMinFeasibleNodesPercentage);
  return std::max(num_nodes * percent / 100, kMinFeasibleNodesToFind);
}

Status NodeSearch::Run(const SearchRequest& request, const PreFilterOutcome& pre_filter, std::vector<NodeId>& feasible,
                       Diagnosis& diagnosis) {
  const ClusterState& state = request.framework.state();
  // A few named nodes are not worth an entry.
  entry_ = request.cache == nullptr || pre_filter.node_names ? nullptr : &request.cache->Use(request.pod);
  feasible.clear();
  tried_first_ = kNoNode;
  FindNominatedNodes(request);
  diagnosis.unschedulable_plugins = pre_filter.narrowed_by;
  if (!request.pod.nominated_node_name().empty() && TryNominatedNode(request, feasible, diagnosis)) return {};

  std::span<const NodeId> nodes = state.order();
  if (pre_filter.node_names) {
    named_.clear();
    for (const std::string& name : *pre_filter.node_names) {
      const auto node = state.FindNode(name);
      if (node && state.in_snapshot(*node)) named_.push_back(*node);
    }
    nodes = named_;
    ReasonTable& reasons = request.framework.reasons();
    diagnosis.absent = Status::UnschedulableAndUnresolvable(reasons.Intern(fmt::format(
        "node(s) didn't satisfy plugin(s) [{}]", request.framework.PluginNames(diagnosis.unschedulable_plugins))));
  }
  Status status = Search(request, nodes, feasible, diagnosis);
  // What failed with an error has no status of its own.
  const size_t with_status = diagnosis.rejected.size() - (status.ok() ? 0 : 1);
  const auto processed = static_cast<uint32_t>(feasible.size() + with_status);
  next_start_ = (next_start_ + processed) % state.num_nodes();
  return status;
}

bool NodeSearch::TryNominatedNode(const SearchRequest& request, std::vector<NodeId>& feasible, Diagnosis& diagnosis) {
  const ClusterState& state = request.framework.state();
  const auto node = state.FindNode(request.pod.nominated_node_name());
  if (!node || !state.in_snapshot(*node)) return false;
  if (!request.framework.has_filters()) {
    feasible.push_back(*node);
    return true;
  }
  const VerdictId verdict = Check(request, *node);
  ++nodes_evaluated_;
  if (verdict == kFeasible) {
    feasible.push_back(*node);
    return true;
  }
  if (request.verdicts.Get(verdict).code() == Code::kError) return false;  // the search will meet it again
  Reject(*node, verdict, diagnosis);
  // Whoever turned it down is named among the plugins that narrow the search, as in the reference.
  diagnosis.AddPluginStatus(request.verdicts.Get(verdict));
  tried_first_ = *node;
  return false;
}

// Few nodes have nominated pods at any time: their names are looked up once, and all others go the short way.
void NodeSearch::FindNominatedNodes(const SearchRequest& request) {
  for (const NodeId node : nominated_) is_nominated_[node] = false;
  nominated_.clear();
  if (!request.nominator.AnyNominations()) return;
  const ClusterState& state = request.framework.state();
  is_nominated_.resize(state.node_capacity(), false);
  for (const std::string& name : request.nominator.NominatedNodes()) {
    const auto node = state.FindNode(name);
    if (!node) continue;
    nominated_.push_back(*node);
    is_nominated_[*node] = true;
  }
}

VerdictId NodeSearch::Check(const SearchRequest& request, NodeId node) const {
  Framework& framework = request.framework;
  if (HasNominations(node)) {
    return request.verdicts.Intern(framework.RunFilterWithNominatedPods(request.cycle, request.pod, node, false));
  }
  if (entry_ != nullptr) return request.cache->Verdict(*entry_, request.cycle, request.pod, node);
  return request.verdicts.Intern(framework.RunFilter(request.cycle, request.pod, NodeView(framework.state(), node)));
}

void NodeSearch::Reject(NodeId node, VerdictId verdict, Diagnosis& diagnosis) const {
  if (node == tried_first_) {
    diagnosis.rejected.front().verdict = verdict;
    return;
  }
  diagnosis.rejected.push_back({node, verdict});
}

Status NodeSearch::Search(const SearchRequest& request, std::span<const NodeId> nodes, std::vector<NodeId>& feasible,
                          Diagnosis& diagnosis) {
  const Framework& framework = request.framework;
  const auto num_nodes = static_cast<uint32_t>(nodes.size());
  auto wanted = static_cast<uint32_t>(
      NumFeasibleNodesToFind(request.percentage_of_nodes_to_score, static_cast<int32_t>(num_nodes)));
  if (!framework.has_scorers()) wanted = std::min(wanted, uint32_t{1});
  if (num_nodes == 0) return {};
  const uint32_t at = next_start_ % num_nodes;
  if (!framework.has_filters()) {
    for (uint32_t i = 0; i < wanted; ++i) feasible.push_back(nodes[(at + i) % num_nodes]);
    return {};
  }
  feasible.resize(wanted);
  SearchProgress progress{feasible.data(), wanted};
  // From where the last search ended to the end, then from the beginning to there.
  Status status = SearchPart(request, nodes.subspan(at), progress, diagnosis);
  if (status.ok() && !progress.done) status = SearchPart(request, nodes.first(at), progress, diagnosis);
  feasible.resize(progress.found);
  nodes_evaluated_ += progress.looked_at;
  return status;
}

Status NodeSearch::SearchPart(const SearchRequest& request, std::span<const NodeId> nodes, SearchProgress& progress,
                              Diagnosis& diagnosis) {
  // The usual case costs one look into what is known already.
  const bool known_counts = entry_ != nullptr && request.cache->AllFiltersCacheable(request.cycle);
  const VerdictId* known = known_counts ? entry_->verdicts().data() : nullptr;
  const bool any_nominated = !nominated_.empty();
  NodeId* const feasible = progress.feasible;
  const uint32_t wanted = progress.wanted;
  uint32_t found = progress.found;
  size_t i = 0;
  Status error;
  for (; i < nodes.size(); ++i) {
    const NodeId node = nodes[i];
    VerdictId verdict = known_counts ? known[node] : kUnknownVerdict;
    if (verdict == kUnknownVerdict || (any_nominated && is_nominated_[node])) {
      verdict = Check(request, node);
      if (verdict != kFeasible && request.verdicts.Get(verdict).code() == Code::kError) {
        Reject(node, verdict, diagnosis);
        error = request.verdicts.Get(verdict);
        break;
      }
    }
    if (verdict == kFeasible) {
      if (found == wanted) {  // one more than wanted: dropped, and the first of the next search
        progress.done = true;
        break;
      }
      feasible[found++] = node;
      continue;
    }
    Reject(node, verdict, diagnosis);
  }
  progress.found = found;
  progress.looked_at += i;
  return error;
}

}  // namespace ksched
