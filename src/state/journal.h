// Journal: what changed on which node, in order, so that caches recompute only that.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "state/pod_store.h"

namespace ksched {

// What of a node changed, as bits. Plugins declare what their answers depend on in the same bits.
using Changes = uint32_t;
inline constexpr Changes kRequestedChanged = 1U << 0;  // sums of the pods' requests, number of pods
inline constexpr Changes kAllocatableChanged = 1U << 1;
inline constexpr Changes kPortsChanged = 1U << 2;       // host ports in use
inline constexpr Changes kNodeClassChanged = 1U << 3;   // labels in use, taints, unschedulable
inline constexpr Changes kImagesChanged = 1U << 4;      // images, or how many nodes have them, as the snapshot sees it
inline constexpr Changes kPodsChanged = 1U << 5;        // which pods are on the node
inline constexpr Changes kNodeObjectChanged = 1U << 6;  // anything else of the Node object
inline constexpr Changes kAllNodeChanges = (1U << 7) - 1;
// With kPodsChanged: to whom the node's pods belong has changed, because namespaces have. Nothing of the node itself.
inline constexpr Changes kByNamespaces = 1U << 7;

// Twelve bytes: caches read many of them. Their sequences, from 1 without gaps, are where they stand.
struct JournalRecord {
  NodeId node = kNoNode;
  uint32_t pod_class = 0;  // id, where sign is not 0
  uint16_t changes = 0;
  int8_t sign = 0;  // +1 a pod of the class came, -1 one left, 0 the node itself changed
};
static_assert(sizeof(JournalRecord) == 12);

// Records from `first()` on are held; older ones are gone and whoever has not seen them starts afresh.
class Journal {
 public:
  Journal() { records_.reserve(2 * kKept + 1); }  // all that it ever takes, so that appending never allocates
  void Append(NodeId node, Changes changes, uint32_t pod_class, int8_t sign) {
    ++next_;
    records_.push_back({node, pod_class, static_cast<uint16_t>(changes), sign});
    if (records_.size() - start_ > kKept) Trim();
  }
  uint64_t first() const { return next_ - (records_.size() - start_); }
  uint64_t next() const { return next_; }  // sequence of the record to come

  // Records with sequence >= from (from >= first()). Remembers that they were seen: they cannot be unmade any more.
  std::span<const JournalRecord> Since(uint64_t from) const {
    if (next_ > seen_) seen_ = next_;
    return {records_.data() + (records_.size() - (next_ - from)), next_ - from};
  }

  // Takes the records from `to` on back, as if they had never been, unless somebody has seen them already: then it
  // does nothing and returns false, and the caller appends the opposite changes.
  bool TakeBack(uint64_t to) {
    if (seen_ > to || to < first()) return false;
    records_.resize(records_.size() - (next_ - to));
    next_ = to;
    return true;
  }

 private:
  static constexpr size_t kKept = size_t{1} << 16;
  void Trim() {
    start_ += kKept / 2;
    if (start_ < kKept) return;
    records_.erase(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(start_));
    start_ = 0;
  }

  std::vector<JournalRecord> records_;
  size_t start_ = 0;
  uint64_t next_ = 1;
  mutable uint64_t seen_ = 1;
};

}  // namespace ksched
