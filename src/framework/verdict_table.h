// VerdictTable: Filter statuses by number, so that a verdict of a node is four bytes and counting them is counting
// numbers.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include <boost/unordered/unordered_flat_map.hpp>

#include "framework/status.h"

namespace ksched {

using VerdictId = uint32_t;
inline constexpr VerdictId kUnknownVerdict = 0;  // not worked out yet
inline constexpr VerdictId kFeasible = 1;

class VerdictTable {
 public:
  VerdictTable() : statuses_(2) {}  // kUnknownVerdict stands for nothing, kFeasible for Success

  VerdictId Intern(const Status& status) {
    if (status.ok()) return kFeasible;
    scratch_.assign(1, static_cast<char>(status.code()));
    scratch_ += static_cast<char>(status.plugin());
    for (const ReasonId reason : status.reasons()) {
      scratch_.append(reinterpret_cast<const char*>(&reason), sizeof reason);
    }
    const auto [entry, added] = ids_.try_emplace(scratch_, static_cast<VerdictId>(statuses_.size()));
    if (added) statuses_.push_back(status);
    return entry->second;
  }

  // Valid as long as the table.
  const Status& Get(VerdictId id) const { return statuses_[id]; }
  uint32_t size() const { return static_cast<uint32_t>(statuses_.size()); }  // ids are below this

 private:
  std::deque<Status> statuses_;
  boost::unordered_flat_map<std::string, VerdictId> ids_;
  std::string scratch_;
};

}  // namespace ksched
