// The slots of DomainDeltas that InterPodAffinity uses.
#pragma once

#include <cstdint>

namespace ksched {

// By the position of the pod's own term, or by the key of terms of pods on nodes.
inline constexpr uint32_t kAffinitySlot = 1U << 28, kAntiAffinitySlot = 2U << 28, kExistingSlot = 3U << 28;
// Pods in all domains that required affinity means; of domain 0.
inline constexpr uint32_t kAffinityPodsSlot = 0;

}  // namespace ksched
