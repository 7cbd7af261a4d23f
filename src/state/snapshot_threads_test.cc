// One writer and three readers on threads of their own: what a reader follows is always a whole state. Mostly for the
// thread sanitizer.
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "state/snapshot_publisher.h"
#include "state/snapshot_reader.h"
#include "state/snapshot_testing.h"

namespace ksched {
namespace {

using namespace snapshot_testing;  // NOLINT

constexpr int kNodes = 200, kPods = 400, kMoves = 3000;

// In every snapshot each pod is on exactly one node: the sums say so.
void Read(const SnapshotPublisher& publisher, const std::shared_ptr<ResourceNames>& names,
          const std::atomic<bool>& stop, int number, uint64_t& followed, uint64_t& wrong) {
  SnapshotReader reader({}, names);
  do {
    reader.Follow(publisher.Newest());
    ClusterState& state = reader.state();
    int64_t milli_cpu = 0;
    size_t pods = 0;
    for (const NodeId node : state.order()) {
      milli_cpu += state.requested(node, kCpu);
      pods += state.pods(node).size();
    }
    ++followed;
    if (state.num_nodes() != kNodes || pods != kPods || milli_cpu != kPods * 100) ++wrong;
    api::Pod own = Pod("own", "", 0);
    const std::string resource = "example.com/r-" + std::to_string((followed + static_cast<uint64_t>(number)) % 50);
    own.spec.containers[0].resources.requests[resource] = api::Quantity::FromUnits(1);
    PodInfo& pod = reader.AddOwnPod(std::move(own));
    const auto mark = state.SetMark();
    state.AddPodTo(pod, static_cast<NodeId>(followed % kNodes));
    if (state.requested(pod.node, state.resource_names().Intern(resource)) != 1) ++wrong;
    state.Rollback(mark);
    reader.RemoveOwnPods();
  } while (!stop.load());
}

TEST(SnapshotThreads, ReadersFollowWhileTheWriterWrites) {
  ClusterState writer;
  for (int i = 0; i < kNodes; ++i) writer.AddNode(Node("n" + std::to_string(i), i % 3, 4));
  for (int i = 0; i < kPods; ++i) {
    writer.AddPod(writer.pod_store().Add(Pod("p" + std::to_string(i), "n" + std::to_string(i % kNodes), 0)));
  }
  SnapshotPublisher publisher(writer);
  publisher.Publish();
  std::atomic<bool> stop = false;
  std::vector<uint64_t> followed(3, 0), wrong(3, 0);
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&, i] {
      const auto at = static_cast<size_t>(i);
      Read(publisher, writer.shared_resource_names(), stop, i, followed[at], wrong[at]);
    });
  }
  std::mt19937 random(1);
  for (int i = 0; i < kMoves; ++i) {
    PodInfo& pod = writer.pod_store().Get(static_cast<PodId>(random() % kPods));
    writer.RemovePod(pod);
    if (i % 3 == 0) writer.pod_store().Update(pod.id, Pod(pod.name(), "", 0));
    if (i % 5 == 0) writer.pod_store().Change(pod, [i](PodFacts& facts) { facts.start_time = i; });
    pod.node_name_of = &writer.node_name(static_cast<NodeId>(random() % kNodes));
    writer.AddPod(pod);
    if (i % 50 == 0)
      writer.UpdateNode(Node("n" + std::to_string(random() % kNodes), static_cast<int>(random() % 3), 6));
    if (i % 2 == 0) publisher.Publish();
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  for (int i = 0; i < 3; ++i) {
    EXPECT_GT(followed[static_cast<size_t>(i)], 0u);
    EXPECT_EQ(wrong[static_cast<size_t>(i)], 0u);
  }
}

}  // namespace
}  // namespace ksched
