// A Lease of coordination.k8s.io/v1 as a lock that is fought for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ksched::kube {

// What a leader writes: client-go's LeaderElectionRecord. Times are the server's text.
struct LeaseRecord {
  std::string holder;  // empty: nobody
  int64_t duration_seconds = 0;
  std::string acquire_time, renew_time;
  int64_t transitions = 0;                 // how often the holder changed
  std::string strategy, preferred_holder;  // of coordinated elections; read to notice changes only
  bool operator==(const LeaseRecord&) const = default;
};

// Both are errors of what a server sent: it is no Lease.
Result<LeaseRecord> ReadLease(std::string_view lease);
// The Lease with that record in place of its own. All else stays, so its resourceVersion, too: an update of a Lease
// that has changed meanwhile is a conflict.
Result<std::string> LeaseWith(std::string_view lease, const LeaseRecord& record);

std::string NewLease(std::string_view ns, std::string_view name, const LeaseRecord& record);

}  // namespace ksched::kube
