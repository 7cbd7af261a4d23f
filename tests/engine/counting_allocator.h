// Counts what the whole program allocates. In a file of its own, so that the compiler does not look through it.
#pragma once

namespace ksched {

// From now on allocations are counted, from 0.
void StartCountingAllocations();
// How many there were; counting ends.
int StopCountingAllocations();

}  // namespace ksched
