// Pods as the controllers of workloads would make them, with numbers for names where they draw random ones.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "api/types_workload.h"

namespace ksched {

// How many pods the workload has at once. Of a Job: as many as it runs at a time; none while it is suspended.
int64_t PodCountOf(const api::Workload& workload);

// Makes the pods one after the other: NAME-0, NAME-1, ... (a StatefulSet from its ordinals.start). `is_taken` says
// whether the namespace has a pod of that name; its number is left out. Ends early when `add` returns false.
void MakePods(const api::Workload& workload, const std::function<bool(const std::string& name)>& is_taken,
              const std::function<bool(api::Pod&&)>& add);

// generateName and the first free number from `next` on, which is then the one after it.
std::string GenerateName(const std::string& generate_name, int64_t& next,
                         const std::function<bool(const std::string& name)>& is_taken);

}  // namespace ksched
