// DomainDeltas: what a dry run adds to and takes from counts by topology domain, on top of sums that it leaves alone.
// What was added since a mark can be taken back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "state/topology.h"

namespace ksched {

// `slot` is the caller's number for one count by domain. Few of them differ from 0 at a time: a look-up goes through
// all that do.
class DomainDeltas {
 public:
  struct Entry {
    uint32_t slot = 0;
    DomainId domain = 0;
    int64_t delta = 0;
  };
  void Add(uint32_t slot, DomainId domain, int64_t delta) {
    Apply(slot, domain, delta);
    log_.push_back({slot, domain, delta});
  }
  int64_t Get(uint32_t slot, DomainId domain) const {
    for (const Entry& entry : entries_) {
      if (entry.slot == slot && entry.domain == domain) return entry.delta;
    }
    return 0;
  }
  // Those that are not 0, in any order. Good until the next change.
  const std::vector<Entry>& entries() const { return entries_; }
  // Everything is 0.
  bool empty() const { return entries_.empty(); }

  // Rollback takes back all that was added since the call that gave the mark. Marks nest.
  size_t SetMark() const { return log_.size(); }
  void Rollback(size_t mark) {
    for (; log_.size() > mark; log_.pop_back()) Apply(log_.back().slot, log_.back().domain, -log_.back().delta);
  }
  // Everything is 0, and no mark is good any more. Keeps its memory.
  void Clear() {
    entries_.clear();
    log_.clear();
  }

 private:
  void Apply(uint32_t slot, DomainId domain, int64_t delta) {
    for (Entry& entry : entries_) {
      if (entry.slot != slot || entry.domain != domain) continue;
      entry.delta += delta;
      if (entry.delta != 0) return;
      entry = entries_.back();
      entries_.pop_back();
      return;
    }
    if (delta != 0) entries_.push_back({slot, domain, delta});
  }

  std::vector<Entry> entries_;
  std::vector<Entry> log_;  // what was added, in order
};

}  // namespace ksched
