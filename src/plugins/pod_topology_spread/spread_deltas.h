// SpreadDeltas: what dry runs add to the counts of domains. Pods of one node come and go at a time, so there are few
// entries.
#pragma once

#include <cstdint>
#include <vector>

#include "state/topology.h"

namespace ksched {

class SpreadDeltas {
 public:
  struct Entry {
    uint32_t constraint = 0;
    DomainId domain = 0;
    int64_t delta = 0;
  };
  void Add(uint32_t constraint, DomainId domain, int64_t delta) {
    uint32_t at = 0;
    while (at < entries_.size() && !(entries_[at].constraint == constraint && entries_[at].domain == domain)) ++at;
    if (at == entries_.size()) entries_.push_back({constraint, domain, 0});
    entries_[at].delta += delta;
    log_.push_back({at, delta});
  }
  const std::vector<Entry>& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }
  void Clear() {
    entries_.clear();
    log_.clear();
  }

  size_t SetMark() const { return log_.size(); }
  void Rollback(size_t mark) {
    for (; log_.size() > mark; log_.pop_back()) entries_[log_.back().entry].delta -= log_.back().delta;
    // Entries come in the order of their first change: those that have none any more are the last ones.
    size_t used = 0;
    for (const Change& change : log_) used = change.entry >= used ? change.entry + 1 : used;
    entries_.resize(used);
  }

 private:
  struct Change {
    uint32_t entry = 0;
    int64_t delta = 0;
  };
  std::vector<Entry> entries_;
  std::vector<Change> log_;
};

}  // namespace ksched
