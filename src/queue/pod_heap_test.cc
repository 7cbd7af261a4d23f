#include "queue/pod_heap.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ksched {
namespace {

struct ByPriority {
  bool operator()(const QueuedPodInfo& a, const QueuedPodInfo& b) const { return a.links.priority < b.links.priority; }
};
using Heap = PodHeap<&QueuedPodInfo::Links::in_active, ByPriority>;

// Random adds, changes and removals against a sorted list.
TEST(PodHeap, AgainstASortedList) {
  std::mt19937 random(1);
  std::vector<QueuedPodInfo> infos(200);
  Heap heap{ByPriority{}};
  for (int step = 0; step < 20'000; ++step) {
    QueuedPodInfo& info = infos[random() % infos.size()];
    switch (random() % 4) {
      case 0:
      case 1:
        info.links.priority = static_cast<int32_t>(random() % 50);
        heap.AddOrFix(info);
        break;
      case 2: {
        const bool was_there = Heap::Has(info);
        EXPECT_EQ(heap.Remove(info), was_there);
        break;
      }
      default: {
        if (heap.empty()) break;
        int32_t least = 1000;
        for (const QueuedPodInfo& other : infos) {
          if (Heap::Has(other)) least = std::min(least, other.links.priority);
        }
        EXPECT_EQ(heap.Pop().links.priority, least);
      }
    }
    const auto there = std::count_if(infos.begin(), infos.end(), [](const QueuedPodInfo& i) { return Heap::Has(i); });
    ASSERT_EQ(heap.size(), static_cast<size_t>(there));
  }
}

}  // namespace
}  // namespace ksched
