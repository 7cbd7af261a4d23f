// A steady run of attempts allocates nothing: this program counts its allocations.
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "queue/queue_test_support.h"

namespace {
std::atomic<size_t> allocations{0};
}  // namespace

// Inlined, one without the other, they would look mismatched to g++.
[[gnu::noinline]] void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size != 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace ksched {
namespace {

TEST(SchedulingQueueAllocation, NoneOnceItIsWarm) {
  QueueHarness h;
  h.Listen(kFit, kNodeAdd);
  SchedulingQueue& queue = h.Start();
  std::vector<PodId> pods;
  for (int i = 0; i < 200; ++i) pods.push_back(h.Make("pod-" + std::to_string(i)));

  const auto round = [&] {
    for (PodId pod : pods) queue.Add(pod);
    for (size_t i = 0; i < pods.size(); ++i) {
      QueuedPodInfo& info = *queue.Pop();
      if (i % 2 == 0) {
        queue.Done(info.id);
      } else {
        h.Return(info, i % 3 == 0 ? PluginSet() : Plugins({kFit}));
      }
      queue.MoveAllToActiveOrBackoffQueue(kAssignedPodAdd, {});  // nobody listens
    }
    queue.MoveAllToActiveOrBackoffQueue(kNodeAdd, {});
    h.clock.AdvanceMs(2000);
    queue.FlushBackoff();
    queue.FlushUnschedulableLeftovers();
    while (QueuedPodInfo* info = queue.Pop()) queue.Done(info->id);
  };
  round();
  const size_t before = allocations;
  for (int i = 0; i < 5; ++i) round();
  EXPECT_EQ(allocations - before, 0U);
}

}  // namespace
}  // namespace ksched
