// Snapshots: a reader that follows them has what the writer has, and both do no more than what changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "state/snapshot_publisher.h"
#include "state/snapshot_reader.h"
#include "state/snapshot_testing.h"

namespace ksched {
namespace {

using namespace snapshot_testing;  // NOLINT
using ::testing::ElementsAre;

// The same cluster, from nothing: nodes first, then the pods.
void BuildAfresh(const ClusterState& from, ClusterState& state) {
  for (const NodeId id : from.order()) state.AddNode(from.node(id));
  for (const auto& [key, object] : from.objects().namespaces.all()) state.objects().namespaces.Put(object);
  for (const auto& [key, object] : from.objects().claims.all()) state.objects().claims.Put(object);
  state.NamespacesChanged();
  for (NodeId node = 0; node < from.node_capacity(); ++node) {
    for (const PodId id : from.pods(node)) {
      PodInfo& pod = state.pod_store().AddShared(from.pod_store().Get(id).facts);
      pod.node_name_of = state.pod_store().NodeName(from.node_name(node));
      state.AddPod(pod);
    }
  }
}

std::vector<std::string> NamesOf(const ClusterState& state, std::span<const PodId> pods) {
  std::vector<std::string> names;
  for (const PodId id : pods) names.push_back(state.pod_store().Get(id).name());
  return names;
}

class SnapshotTest : public ::testing::Test {
 protected:
  SnapshotReader MakeReader() { return SnapshotReader({}, writer_.shared_resource_names()); }
  PodInfo& Add(api::Pod pod) {
    PodInfo& info = writer_.pod_store().Add(std::move(pod));
    if (!info.node_name().empty()) writer_.AddPod(info);
    return info;
  }
  void AddNodes(int count) {
    for (int i = 0; i < count; ++i) writer_.AddNode(Node("n" + std::to_string(i), i % 3, 4));
  }
  ClusterState writer_;
};

TEST_F(SnapshotTest, AReaderHasWhatTheWriterHas) {
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    ClusterState writer;
    RandomChanges changes(writer, seed);
    for (uint32_t i = 0; i < 20 * (seed % 3); ++i) changes.Step();
    SnapshotPublisher publisher(writer);
    SnapshotReader often({}, writer.shared_resource_names()), rarely({}, writer.shared_resource_names());
    std::mt19937 random(seed);
    for (int round = 0; round < 60; ++round) {
      for (uint32_t i = random() % 25; i > 0; --i) changes.Step();
      const SnapshotPtr snapshot = publisher.Publish();
      often.Follow(snapshot);
      if (round % 7 == 3) rarely.Follow(snapshot);
      if (round % 5 != 0) continue;
      rarely.Follow(snapshot);
      const auto want = Description(writer, true).lines();
      ASSERT_EQ(Description(often.state(), true).lines(), want);
      ASSERT_EQ(Description(rarely.state(), true).lines(), want);
      SnapshotReader late({}, writer.shared_resource_names());
      late.Follow(snapshot);
      ASSERT_EQ(Description(late.state(), true).lines(), want);
      ASSERT_EQ(NamesOf(late.state(), late.nominated()), NamesOf(often.state(), often.nominated()));
      ClusterState afresh({}, writer.shared_resource_names());
      BuildAfresh(writer, afresh);
      ASSERT_EQ(Description(often.state(), false).lines(), Description(afresh, false).lines());
    }
  }
}

TEST_F(SnapshotTest, NothingNewIsTheSameSnapshot) {
  AddNodes(3);
  SnapshotPublisher publisher(writer_);
  const SnapshotPtr first = publisher.Publish();
  EXPECT_EQ(publisher.Publish(), first);
  EXPECT_EQ(publisher.Newest(), first);
}

TEST_F(SnapshotTest, ABindingCostsOneChunkAndOneNode) {
  AddNodes(1000);
  for (int i = 0; i < 3000; ++i) Add(Pod("p" + std::to_string(i), "n" + std::to_string(i % 1000), 0));
  for (int i = 0; i < 5000; ++i) {
    api::PersistentVolumeClaim claim;
    claim.metadata.name = "c" + std::to_string(i);
    writer_.objects().claims.Put(std::move(claim));
  }
  SnapshotPublisher publisher(writer_);
  SnapshotReader reader = MakeReader();
  reader.Follow(publisher.Publish());
  const PublisherCounters before = publisher.counters();
  const ReaderCounters read_before = reader.counters();
  const uint64_t sequence = reader.state().journal().next();

  Add(Pod("new", "n500", 0));
  const SnapshotPtr next = publisher.Publish();
  reader.Follow(next);
  const PublisherCounters& after = publisher.counters();
  EXPECT_EQ(after.chunks_made - before.chunks_made, 1u);
  EXPECT_EQ(after.nodes_made - before.nodes_made, 1u);
  EXPECT_EQ(after.pods_copied - before.pods_copied, 4u);
  EXPECT_EQ(after.table_copies - before.table_copies, 0u);
  EXPECT_EQ(after.orders_made - before.orders_made, 0u);
  EXPECT_EQ(reader.counters().nodes_followed - read_before.nodes_followed, 1u);
  EXPECT_EQ(reader.counters().pods_added - read_before.pods_added, 1u);
  EXPECT_EQ(reader.counters().pods_removed - read_before.pods_removed, 0u);
  EXPECT_EQ(reader.state().journal().next() - sequence, 1u) << "caches of the reader look at one node again";
}

TEST_F(SnapshotTest, AClaimCostsAFewPointersOfItsKindOnly) {
  for (int i = 0; i < 5000; ++i) {
    api::PersistentVolumeClaim claim;
    claim.metadata.name = "c" + std::to_string(i);
    writer_.objects().claims.Put(std::move(claim));
  }
  SnapshotPublisher publisher(writer_);
  SnapshotReader reader = MakeReader();
  reader.Follow(publisher.Publish());
  EXPECT_EQ(reader.state().objects().claims.size(), 5000u);
  const uint64_t copies = publisher.counters().table_copies, changed = reader.counters().objects_changed;
  const uint64_t volumes = reader.state().objects().volumes.version();
  api::PersistentVolumeClaim claim;
  claim.metadata.name = "c77";
  writer_.objects().claims.Put(claim);
  reader.Follow(publisher.Publish());
  EXPECT_LE(publisher.counters().table_copies - copies, 60u);
  EXPECT_EQ(reader.counters().objects_changed - changed, 1u);
  EXPECT_EQ(reader.state().objects().claims.Find("c77"), writer_.objects().claims.Find("c77")) << "one object for all";
  EXPECT_EQ(reader.state().objects().volumes.version(), volumes);
}

TEST_F(SnapshotTest, RecordsAndClassesAreShared) {
  AddNodes(2);
  const PodInfo& pod = Add(Pod("p", "n1", 0));
  SnapshotPublisher publisher(writer_);
  SnapshotReader reader = MakeReader();
  reader.Follow(publisher.Publish());
  const PodInfo* there = reader.state().pod_store().Find("default", "p");
  ASSERT_NE(there, nullptr);
  EXPECT_EQ(there->facts, pod.facts);
  EXPECT_EQ(there->pod_class, pod.pod_class);
  EXPECT_EQ(reader.state().node_object(1), writer_.node_object(1));
}

TEST_F(SnapshotTest, WhatAReaderHasSeenStaysAsItWas) {
  AddNodes(2);
  PodInfo& pod = Add(Pod("p", "n1", 0));
  SnapshotPublisher publisher(writer_);
  SnapshotReader reader = MakeReader();
  reader.Follow(publisher.Publish());
  const auto seen = Description(reader.state(), true).lines();
  writer_.pod_store().Change(pod, [](PodFacts& facts) { facts.start_time = 7; });
  writer_.RemovePod(pod);
  writer_.pod_store().Remove(pod.id);
  Add(Pod("q", "n0", 1));
  writer_.RemoveNode("n1");
  EXPECT_EQ(Description(reader.state(), true).lines(), seen);
  reader.Follow(publisher.Publish());
  EXPECT_EQ(Description(reader.state(), true).lines(), Description(writer_, true).lines());
}

TEST_F(SnapshotTest, NominatedPodsComeInTheOrderOfTheirNominations) {
  AddNodes(2);
  const auto pending = [](const char* name, const char* node) {
    api::Pod pod = Pod(name, "", 0);
    pod.status.nominated_node_name = node;
    return pod;
  };
  PodInfo& a = Add(pending("a", "n0"));
  SnapshotPublisher publisher(writer_);
  SnapshotReader reader = MakeReader();
  const auto followed = [&] {
    reader.Follow(publisher.Publish());
    return NamesOf(reader.state(), reader.nominated());
  };
  EXPECT_THAT(followed(), ElementsAre("a"));
  PodInfo& b = Add(pending("b", "n0"));
  Add(pending("c", ""));
  EXPECT_THAT(followed(), ElementsAre("a", "b"));
  writer_.pod_store().Change(a, [](PodFacts& facts) { facts.nominated_node_name = "n1"; });
  EXPECT_THAT(followed(), ElementsAre("b", "a"));
  b.node_name_of = &writer_.node_name(0);
  writer_.AddPod(b);
  EXPECT_THAT(followed(), ElementsAre("a")) << "b is on its node";
  EXPECT_EQ(reader.state().pods(0).size(), 1u);
  writer_.RemovePod(b);
  EXPECT_THAT(followed(), ElementsAre("b", "a")) << "it was not bound after all";
}

TEST_F(SnapshotTest, OwnPodsLieOnTop) {
  AddNodes(3);
  Add(Pod("p", "n1", 0));
  SnapshotPublisher publisher(writer_);
  SnapshotReader reader = MakeReader();
  reader.Follow(publisher.Publish());
  ClusterState& state = reader.state();
  const auto before = Description(state, true).lines();
  PodInfo& own = reader.AddOwnPod(Pod("p", "", 1));  // the cluster has one of that name
  PodInfo& nameless = reader.AddOwnPod(Pod("", "", 1));
  EXPECT_EQ(own.pod_class, nameless.pod_class);
  EXPECT_NE(own.pod_class->id, state.pod_store().Find("default", "p")->pod_class->id);
  const PodClass* own_class = own.pod_class;
  const auto mark = state.SetMark();
  state.AddPodTo(own, 2);
  state.AddPodTo(nameless, 2);
  EXPECT_EQ(state.requested(2, kCpu), 400);
  state.Rollback(mark);
  reader.RemoveOwnPods();
  EXPECT_EQ(Description(state, true).lines(), before);
  EXPECT_EQ(state.pod_store().Find("default", "p")->node, 1u);
  EXPECT_EQ(reader.AddOwnPod(Pod("later", "", 1)).pod_class, own_class) << "classes are kept for the next pod";
}

TEST_F(SnapshotTest, OfOwnClassesTheLastUsedStay) {
  SnapshotReader reader = MakeReader();
  for (int i = 0; i < 5000; ++i) {
    api::Pod pod = Pod("p", "", 0);
    pod.metadata.labels["n"] = std::to_string(i);
    reader.AddOwnPod(std::move(pod));
    reader.RemoveOwnPods();
  }
  EXPECT_LE(reader.state().pod_store().classes().size(), 2049u);
}

}  // namespace
}  // namespace ksched
