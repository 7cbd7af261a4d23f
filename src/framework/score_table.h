// ScoreTable: the scores of one cycle, a row per plugin and a column per feasible node. Its memory is used again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/status.h"

namespace ksched {

class ScoreTable {
 public:
  struct Row {
    PluginId plugin = kNoPlugin;
    std::vector<int64_t> scores;  // raw, then normalised, then weighted
  };

  void Start(size_t nodes) {
    used_ = 0;
    totals_.assign(nodes, 0);
  }
  // A row for the plugin; what stands in it is for the caller to set.
  void AddRow(PluginId plugin) {
    if (used_ == rows_.size()) rows_.emplace_back();
    Row& row = rows_[used_++];
    row.plugin = plugin;
    row.scores.resize(totals_.size());
  }
  std::span<Row> rows() { return {rows_.data(), used_}; }
  std::span<const Row> rows() const { return {rows_.data(), used_}; }
  std::vector<int64_t>& totals() { return totals_; }
  const std::vector<int64_t>& totals() const { return totals_; }

 private:
  std::vector<Row> rows_;
  size_t used_ = 0;
  std::vector<int64_t> totals_;
};

}  // namespace ksched
