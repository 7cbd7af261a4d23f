#include "scheduler/cluster_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/fake_plugins.h"

namespace ksched {
namespace {

using namespace testing_support;  // NOLINT
using testing::ElementsAre;
using testing::IsEmpty;

class StoppedClock final : public Clock {
 public:
  TimeNs Now() const override { return 0; }
};

class ClusterFeedTest : public testing::Test {
 protected:
  ClusterFeedTest() {
    configuration_.profiles = {profile_.profile};
    auto scheduler =
        Scheduler::Create({configuration_, cluster_.features}, {cluster_.state, clock_, profile_.registry, {}});
    EXPECT_TRUE(scheduler.ok());
    scheduler_ = std::move(*scheduler);
    handlers_.emplace(*scheduler_);
    feed_.emplace(cluster_.state, *handlers_);
  }

  static api::Pod Version(api::Pod pod, std::string uid = "u") { return pod.metadata.uid = std::move(uid), pod; }
  void Put(api::Pod pod) {
    EXPECT_TRUE(feed_->Put({api::KindClass::kScheduling, "v1", "Pod", Version(std::move(pod))}));
  }
  void PutOther(api::Pod pod) {
    EXPECT_TRUE(feed_->Put({api::KindClass::kScheduling, "v1", "Pod", Version(std::move(pod), "other")}));
  }
  void Put(api::Node node) { EXPECT_TRUE(feed_->Put({api::KindClass::kScheduling, "v1", "Node", std::move(node)})); }
  template <typename T>
  bool PutObject(const char* kind, T object) {
    return feed_->Put({api::KindClass::kScheduling, "", kind, std::move(object)});
  }
  void RemovePod(const char* name) { feed_->Remove("Pod", "default", name); }
  PodInfo* Pod(const char* name) { return cluster_.state.pod_store().Find("default", name); }
  // Names of the pods on the node, whether it is there or not.
  std::vector<std::string> On(const char* node) {
    std::vector<std::string> names;
    for (NodeId id = 0; id < cluster_.state.node_capacity(); ++id) {
      if (cluster_.state.node_name(id) != node) continue;
      for (const PodId pod : cluster_.state.pods(id)) names.push_back(cluster_.state.pod_store().Get(pod).name());
    }
    return names;
  }
  size_t Waiting() { return scheduler_->queue().num_active(); }
  PodInfo& Assume(const char* name, const char* node) {
    PodInfo& pod = *Pod(name);
    EXPECT_NE(scheduler_->queue().Pop(), nullptr);
    EXPECT_TRUE(scheduler_->cache().AssumePod(pod, *cluster_.state.FindNode(node)).ok());
    scheduler_->queue().Done(pod.id);
    return pod;
  }

  TestCluster cluster_;
  FakeProfile profile_;
  StoppedClock clock_;
  config::SchedulerConfiguration configuration_;
  std::unique_ptr<Scheduler> scheduler_;
  std::optional<EventHandlers> handlers_;
  std::optional<ClusterFeed> feed_;
};

TEST_F(ClusterFeedTest, PodsMayComeBeforeTheirNodeAndStayAfterIt) {
  Put(MakePod("a").Node("n1").Requests({{"cpu", "1"}}));
  EXPECT_THAT(On("n1"), ElementsAre("a"));
  EXPECT_EQ(cluster_.state.FindNode("n1"), std::nullopt);
  Put(MakeNode("n1"));
  EXPECT_EQ(cluster_.state.requested(*cluster_.state.FindNode("n1"), kCpu), 1000);
  feed_->Remove("Node", "", "n1");
  EXPECT_THAT(On("n1"), ElementsAre("a"));
  Put(MakeNode("n1"));
  EXPECT_EQ(cluster_.state.requested(*cluster_.state.FindNode("n1"), kCpu), 1000);
  RemovePod("a");
  EXPECT_EQ(cluster_.state.requested(*cluster_.state.FindNode("n1"), kCpu), 0);
  EXPECT_EQ(Pod("a"), nullptr);
  RemovePod("a");  // nothing happens
}

TEST_F(ClusterFeedTest, APendingPodWaitsUntilItIsBoundOrGone) {
  Put(MakeNode("n1"));
  Put(MakePod("a"));
  Put(MakePod("b"));
  EXPECT_EQ(Waiting(), 2u);
  Put(MakePod("a").Node("n1"));  // by somebody else
  EXPECT_EQ(Waiting(), 1u);
  EXPECT_THAT(On("n1"), ElementsAre("a"));
  RemovePod("b");
  EXPECT_EQ(Waiting(), 0u);
}

TEST_F(ClusterFeedTest, PodsThatAreOverAreGone) {
  Put(MakeNode("n1"));
  Put(MakePod("a").Node("n1"));
  api::Pod over = MakePod("a").Node("n1");
  over.status.phase = "Succeeded";
  Put(over);
  EXPECT_THAT(On("n1"), IsEmpty());
  EXPECT_EQ(Pod("a"), nullptr);
  Put(over);
  EXPECT_EQ(Pod("a"), nullptr);
}

TEST_F(ClusterFeedTest, AnotherPodOfTheSameName) {
  Put(MakeNode("n1"));
  Put(MakePod("a").Node("n1"));
  PutOther(MakePod("a"));
  EXPECT_THAT(On("n1"), IsEmpty());
  EXPECT_EQ(Waiting(), 1u);
  Put(MakePod("a").Node("n2"));
  EXPECT_EQ(Waiting(), 0u);
  EXPECT_THAT(On("n2"), ElementsAre("a"));
}

TEST_F(ClusterFeedTest, AChangedPodIsCountedAsItIsNow) {
  Put(MakeNode("n1"));
  Put(MakePod("a").Node("n1").Requests({{"cpu", "1"}}));
  Put(MakePod("a").Node("n1").Requests({{"cpu", "2"}}));
  const NodeId n1 = *cluster_.state.FindNode("n1");
  EXPECT_EQ(cluster_.state.requested(n1, kCpu), 2000);
  Put(MakePod("a").Node("n2").Requests({{"cpu", "2"}}));  // what cannot be is still counted once
  EXPECT_EQ(cluster_.state.requested(n1, kCpu), 0);
  Put(MakePod("a"));
  EXPECT_THAT(On("n2"), IsEmpty());
  EXPECT_EQ(Waiting(), 1u);
}

TEST_F(ClusterFeedTest, TheClusterConfirmsAnAssumedPod) {
  Put(MakeNode("n1"));
  Put(MakeNode("n2"));
  Put(MakePod("a"));
  PodInfo& pod = Assume("a", "n1");
  api::Pod changed = MakePod("a").Label("x", "y");
  Put(changed);  // it says nothing of a node yet
  EXPECT_TRUE(handlers_->IsAssumed(pod));
  EXPECT_EQ(pod.pod_class->labels.count("x"), 0u);
  Put(MakePod("a").Node("n1").Label("x", "y"));
  EXPECT_FALSE(handlers_->IsAssumed(pod));
  EXPECT_EQ(pod.pod_class->labels.count("x"), 1u);
  EXPECT_THAT(On("n1"), ElementsAre("a"));
}

TEST_F(ClusterFeedTest, AnAssumedPodThatWasBoundElsewhere) {
  Put(MakeNode("n1"));
  Put(MakeNode("n2"));
  Put(MakePod("a"));
  Assume("a", "n1");
  Put(MakePod("a").Node("n2"));
  EXPECT_THAT(On("n1"), IsEmpty());
  EXPECT_THAT(On("n2"), ElementsAre("a"));
}

TEST_F(ClusterFeedTest, AForgottenPodIsAsTheClusterSaidMeanwhile) {
  Put(MakeNode("n1"));
  Put(MakePod("a"));
  PodInfo& pod = Assume("a", "n1");
  Put(MakePod("a").Label("x", "y"));
  scheduler_->cache().ForgetPod(pod);
  handlers_->Forgotten(pod);
  EXPECT_EQ(pod.pod_class->labels.count("x"), 1u);
  EXPECT_EQ(pod.node_name(), "");
  handlers_->Forgotten(pod);  // nothing is held any more
}

TEST_F(ClusterFeedTest, AnAssumedPodThatIsBeingDeletedTakesNothing) {
  Put(MakeNode("n1"));
  Put(MakePod("a"));
  PodInfo& pod = Assume("a", "n1");
  api::Pod deleting = MakePod("a");
  deleting.metadata.deletion_timestamp = 1;
  Put(deleting);
  EXPECT_FALSE(handlers_->IsAssumed(pod));
  EXPECT_THAT(On("n1"), IsEmpty());
  RemovePod("a");
  EXPECT_EQ(Pod("a"), nullptr);
}

TEST_F(ClusterFeedTest, AnAssumedPodThatIsDeleted) {
  Put(MakeNode("n1"));
  Put(MakePod("a"));
  Assume("a", "n1");
  RemovePod("a");
  EXPECT_THAT(On("n1"), IsEmpty());
  EXPECT_EQ(Pod("a"), nullptr);
}

TEST_F(ClusterFeedTest, OtherObjectsGoIntoTheirTables) {
  api::StorageClass fast;
  fast.metadata.name = "fast";
  EXPECT_TRUE(PutObject("StorageClass", fast));
  EXPECT_NE(cluster_.state.objects().storage_classes.Find("fast"), nullptr);
  feed_->Remove("StorageClass", "", "fast");
  EXPECT_EQ(cluster_.state.objects().storage_classes.Find("fast"), nullptr);
  api::Workload replicas;
  replicas.kind = "ReplicaSet";
  replicas.metadata.ns = "default";
  replicas.metadata.name = "web";
  replicas.selector.emplace().match_labels["app"] = "web";
  replicas.pod_template.spec.containers.emplace_back().image = "large";
  EXPECT_TRUE(PutObject("ReplicaSet", replicas));
  const auto kept = cluster_.state.objects().replica_sets.Find("default", "web");
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->selector->match_labels.size(), 1u);
  EXPECT_TRUE(kept->pod_template.spec.containers.empty()) << "nobody reads it";
  EXPECT_FALSE(PutObject("LimitRange", api::LimitRange()));
  feed_->Remove("LimitRange", "default", "x");
}

}  // namespace
}  // namespace ksched
