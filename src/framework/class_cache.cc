#include "framework/class_cache.h"

#include <algorithm>

namespace ksched {
namespace {

// A filter that reads nothing of a node but its class.
bool IsStatic(const Dependencies& dependencies) {
  return dependencies.cacheable_filter && (dependencies.filter & ~kNodeClassChanged) == 0;
}

}  // namespace

ClassCache::ClassCache(const Framework& framework, VerdictTable& verdicts, size_t max_bytes)
    : framework_(framework), state_(framework.state()), verdicts_(verdicts), max_bytes_(max_bytes) {
  for (const auto& entry : framework.filters()) {
    if (entry.dependencies.cacheable_filter) {
      filter_changes_ |= entry.dependencies.filter;
    } else {
      uncacheable_filters_.Insert(entry.id);
    }
  }
  for (const auto& entry : framework.scorers()) {
    if (!entry.dependencies.cacheable_score) continue;
    score_changes_ |= entry.dependencies.score;
    scores_count_nodes_ |= entry.dependencies.score_counts_nodes;
    cacheable_scorers_.Insert(entry.id);
    ++num_columns_;
  }
}

ClassCache::Entry& ClassCache::Use(const PodInfo& pod) {
  const PodClass& pod_class = *pod.pod_class;
  if (entries_.size() <= pod_class.spec_id) entries_.resize(pod_class.spec_id + 1);
  std::unique_ptr<Entry>& slot = entries_[pod_class.spec_id];
  if (slot == nullptr) {
    if ((live_ + 1) * BytesPerEntry() > max_bytes_) DropLeastRecentlyUsed();
    slot = std::make_unique<Entry>();
    ++live_;
    ++counters_.entries_made;
  }
  Entry& entry = *slot;
  entry.last_used_ = ++uses_;
  // The id may have belonged to another class before; and the journal does not reach back for ever.
  if (entry.spec_serial_ != pod_class.spec_serial || entry.seen_ < state_.journal().first()) {
    Reset(entry, pod);
  } else {
    Replay(entry);
  }
  return entry;
}

size_t ClassCache::BytesPerEntry() const {
  return state_.node_capacity() * (sizeof(VerdictId) + 1 + num_columns_ * sizeof(int64_t)) + sizeof(Entry);
}

void ClassCache::DropLeastRecentlyUsed() {
  std::unique_ptr<Entry>* oldest = nullptr;
  for (std::unique_ptr<Entry>& slot : entries_) {
    if (slot != nullptr && (oldest == nullptr || slot->last_used_ < (*oldest)->last_used_)) oldest = &slot;
  }
  if (oldest == nullptr) return;
  oldest->reset();
  --live_;
  ++counters_.entries_dropped;
}

void ClassCache::Clear() {
  entries_.clear();
  live_ = 0;
}

void ClassCache::Reset(Entry& entry, const PodInfo& pod) {
  entry.spec_serial_ = pod.pod_class->spec_serial;
  entry.seen_ = state_.journal().next();
  entry.verdicts_.assign(state_.node_capacity(), kUnknownVerdict);
  entry.static_verdicts_.assign(framework_.filters().size(), {});
  entry.scored_.assign(state_.node_capacity(), 0);
  entry.scores_.assign(num_columns_, std::vector<int64_t>(state_.node_capacity(), 0));
  (void)state_.journal().Since(entry.seen_);  // what came before cannot be unmade any more
}

void ClassCache::Grow(Entry& entry) const {
  const size_t nodes = state_.node_capacity();
  if (entry.verdicts_.size() >= nodes) return;
  entry.verdicts_.resize(nodes, kUnknownVerdict);
  entry.scored_.resize(nodes, 0);
  for (std::vector<int64_t>& column : entry.scores_) column.resize(nodes, 0);
}

void ClassCache::Replay(Entry& entry) {
  Grow(entry);
  for (const JournalRecord& record : state_.journal().Since(entry.seen_)) {
    if ((record.changes & filter_changes_) != 0) entry.verdicts_[record.node] = kUnknownVerdict;
    if ((record.changes & score_changes_) != 0) entry.scored_[record.node] = 0;
  }
  entry.seen_ = state_.journal().next();
}

VerdictId ClassCache::Verdict(Entry& entry, const CycleState& cycle, const PodInfo& pod, NodeId node) {
  VerdictId known = entry.verdicts_[node];
  if (known == kUnknownVerdict) {
    known = ComputeCacheable(entry, cycle, pod, node);
    // An error is for this cycle only: the next one asks again.
    const bool failed = known != kFeasible && verdicts_.Get(known).code() == Code::kError;
    if (!failed) entry.verdicts_[node] = known;
  }
  if (AllFiltersCacheable(cycle)) return known;
  // The first plugin in order that rejects the node has the word: cacheable or not.
  const PluginId rejector = known == kFeasible ? kNoPlugin : verdicts_.Get(known).plugin();
  for (const auto& filter : framework_.filters()) {
    if (filter.id == rejector) return known;
    if (filter.dependencies.cacheable_filter || cycle.skip_filter.Has(filter.id)) continue;
    const Status status = framework_.RunFilterPlugin(filter, cycle, pod, NodeView(state_, node));
    if (!status.ok()) return verdicts_.Intern(status);
  }
  return known;
}

VerdictId ClassCache::ComputeCacheable(Entry& entry, const CycleState& cycle, const PodInfo& pod, NodeId node) {
  ++counters_.filters_computed;
  const auto& filters = framework_.filters();
  for (size_t i = 0; i < filters.size(); ++i) {
    const auto& filter = filters[i];
    if (!filter.dependencies.cacheable_filter || cycle.skip_filter.Has(filter.id)) continue;
    VerdictId verdict;
    if (IsStatic(filter.dependencies) && !pod.pod_class->has_node_name_selector) {
      verdict = RunStatic(entry, i, cycle, pod, node);
    } else {
      verdict = verdicts_.Intern(framework_.RunFilterPlugin(filter, cycle, pod, NodeView(state_, node)));
    }
    if (verdict != kFeasible) return verdict;
  }
  return kFeasible;
}

VerdictId ClassCache::RunStatic(Entry& entry, size_t filter, const CycleState& cycle, const PodInfo& pod, NodeId node) {
  std::vector<VerdictId>& by_class = entry.static_verdicts_[filter];
  const NodeClassId node_class = state_.node_class(node);
  if (by_class.size() <= node_class) by_class.resize(state_.num_node_classes(), kUnknownVerdict);
  if (by_class[node_class] == kUnknownVerdict) {
    const Status status = framework_.RunFilterPlugin(framework_.filters()[filter], cycle, pod, NodeView(state_, node));
    if (status.code() == Code::kError) return verdicts_.Intern(status);
    by_class[node_class] = verdicts_.Intern(status);
  }
  return by_class[node_class];
}

// Which scorers PreScore skipped, and how many nodes there are, is part of what scores depend on.
void ClassCache::ForgetScoresOfOtherCycles(Entry& entry, const CycleState& cycle) const {
  PluginSet skipped;
  cycle.skip_score.ForEach([&](PluginId id) {
    if (cacheable_scorers_.Has(id)) skipped.Insert(id);
  });
  const bool other_count = scores_count_nodes_ && entry.num_nodes_ != state_.num_nodes();
  if (other_count || skipped != entry.skipped_scorers_) std::fill(entry.scored_.begin(), entry.scored_.end(), 0);
  entry.skipped_scorers_ = skipped;
  entry.num_nodes_ = state_.num_nodes();
}

bool ClassCache::EnsureScores(Entry& entry, const CycleState& cycle, const PodInfo& pod,
                              std::span<const NodeId> nodes) {
  ForgetScoresOfOtherCycles(entry, cycle);
  const uint8_t* scored = entry.scored_.data();
  for (const NodeId node : nodes) {
    if (scored[node] == 0 && !ComputeScores(entry, cycle, pod, node)) return false;
  }
  return true;
}

bool ClassCache::ComputeScores(Entry& entry, const CycleState& cycle, const PodInfo& pod, NodeId node) {
  ++counters_.scores_computed;
  int64_t& fixed = entry.scores_[0][node];
  fixed = 0;
  size_t column = 0;
  for (const auto& scorer : framework_.scorers()) {
    if (!scorer.dependencies.cacheable_score) continue;
    int64_t& score = entry.scores_[++column][node];
    score = 0;
    if (cycle.skip_score.Has(scorer.id)) continue;
    if (!scorer.plugin->Score(cycle, pod, NodeView(state_, node), score).ok()) return false;
    if (scorer.plugin->normalizes()) continue;
    if (score < 0 || score > kMaxNodeScore) return false;
    fixed += score * scorer.weight;
  }
  entry.scored_[node] = 1;
  return true;
}

}  // namespace ksched
