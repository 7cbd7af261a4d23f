// ClassCache: per class of pods (of the same spec) what is known of each node: whether it is feasible, for what reason
// not, and each plugin's raw score. Before it is used, an entry replays the journal and forgets what it knows of nodes
// that changed in something that its plugins depend on; only those are worked out again, when somebody asks.
//
// What is kept: answers of plugins that declare them cacheable (Dependencies). The others run at every question.
// Normalised scores are never kept: they depend on the window of nodes. Nodes with nominated pods bypass the cache.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "framework/framework.h"

namespace ksched {

// How much work was done, for tests and --stats.
struct CacheCounters {
  uint64_t filters_computed = 0;  // nodes whose verdict was worked out
  uint64_t scores_computed = 0;   // nodes whose raw scores were worked out
  uint64_t entries_made = 0, entries_dropped = 0;
};

class ClassCache {
 public:
  static constexpr size_t kDefaultMaxBytes = size_t{256} << 20;
  // Framework, state and verdicts outlive the cache.
  ClassCache(const Framework& framework, VerdictTable& verdicts, size_t max_bytes = kDefaultMaxBytes);

  // What is known about one class.
  class Entry {
   public:
    // By NodeId; kUnknownVerdict: ask ClassCache::Verdict.
    std::span<const VerdictId> verdicts() const { return verdicts_; }
    // By NodeId, after EnsureScores: column 0 has the weighted sum of the scores that are not normalised, then the raw
    // scores of each cacheable scorer follow, in the order of Framework::scorers().
    std::span<const int64_t> scores(size_t column) const { return scores_[column]; }

   private:
    friend class ClassCache;
    uint64_t spec_serial_ = 0;
    uint64_t seen_ = 0;  // sequence in the journal from which it has not seen anything
    uint64_t last_used_ = 0;
    uint32_t num_nodes_ = 0;  // when scores were last worked out, for plugins that count nodes
    PluginSet skipped_scorers_;
    std::vector<VerdictId> verdicts_;
    std::vector<std::vector<VerdictId>>
        static_verdicts_;                       // [filter][NodeClassId], of filters that only read the node's class
    std::vector<uint8_t> scored_;               // by NodeId
    std::vector<std::vector<int64_t>> scores_;  // [column][NodeId]
  };

  // The entry of the pod's class, true to the state as it is now. Good until the next call.
  Entry& Use(const PodInfo& pod);

  // The verdict of all Filter plugins, nominated pods left out. PreFilter has run.
  VerdictId Verdict(Entry& entry, const CycleState& cycle, const PodInfo& pod, NodeId node);

  // Whether Entry::verdicts() says it all, once it is known: every Filter plugin that runs in this cycle is cacheable.
  bool AllFiltersCacheable(const CycleState& cycle) const {
    return (uncacheable_filters_.bits() & ~cycle.skip_filter.bits()) == 0;
  }

  // Works out what the cacheable scorers say of these nodes, as far as it is not known. PreScore has run. False if one
  // of them failed or is out of range.
  bool EnsureScores(Entry& entry, const CycleState& cycle, const PodInfo& pod, std::span<const NodeId> nodes);

  // Forgets everything: for changes that are no node's (DeviceClasses).
  void Clear();

  const CacheCounters& counters() const { return counters_; }

 private:
  void Reset(Entry& entry, const PodInfo& pod);
  void Replay(Entry& entry);
  void Grow(Entry& entry) const;
  void DropLeastRecentlyUsed();
  size_t BytesPerEntry() const;
  VerdictId ComputeCacheable(Entry& entry, const CycleState& cycle, const PodInfo& pod, NodeId node);
  VerdictId RunStatic(Entry& entry, size_t filter, const CycleState& cycle, const PodInfo& pod, NodeId node);
  void ForgetScoresOfOtherCycles(Entry& entry, const CycleState& cycle) const;
  bool ComputeScores(Entry& entry, const CycleState& cycle, const PodInfo& pod, NodeId node);

  const Framework& framework_;
  const ClusterState& state_;
  VerdictTable& verdicts_;
  size_t max_bytes_;
  Changes filter_changes_ = 0, score_changes_ = 0;  // any cacheable plugin depends on
  PluginSet uncacheable_filters_;
  bool scores_count_nodes_ = false;
  size_t num_columns_ = 1;  // of Entry::scores_
  PluginSet cacheable_scorers_;
  std::vector<std::unique_ptr<Entry>> entries_;  // by PodClass::spec_id
  size_t live_ = 0;
  uint64_t uses_ = 0;
  CacheCounters counters_;
};

}  // namespace ksched
