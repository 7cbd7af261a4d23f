// What a workload that is not complete waits for, in words for the user.
#pragma once

#include <cstdint>
#include <string>

namespace ksched::controllers {

// "2 of 3 pods are ready; 1 was rejected; 1 has yet to go". Never empty.
std::string WhatIsMissing(int64_t desired, int64_t ready, int64_t rejected, int64_t leaving);

}  // namespace ksched::controllers
