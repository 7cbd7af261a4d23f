// Which of some schedulers run, as far as the cluster tells: by the Leases of kube-system that they hold, and by pods
// of kube-scheduler that run there. A scheduler that elects no leader and runs elsewhere leaves no trace.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "kube/http_client.h"

namespace ksched::kube {

// By schedulerName what was found of those that run: "the Lease kube-system/kube-scheduler is held by node-1_c1".
using RunningSchedulers = std::map<std::string, std::string>;

// `names`: of schedulers. An error if that cannot be read.
Result<RunningSchedulers> FindRunningSchedulers(HttpClient& client, const std::set<std::string>& names);

// The names of Leases that a scheduler may hold: its own name; default-scheduler has kube-scheduler.
std::string LeaseNameOf(const std::string& scheduler);

// Of a LeaseList in JSON: who holds which Lease at `now`, by the Lease's name. One that has run out is held by nobody.
Result<std::map<std::string, std::string>> HoldersOfLeases(std::string_view leases, TimeNs now);

// The Date of an answer, in nanoseconds since 1970; `otherwise` if there is none.
TimeNs TimeOfAnswer(const ResponseHead& head, TimeNs otherwise);

}  // namespace ksched::kube
