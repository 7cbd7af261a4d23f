#include "cache/cache.h"

#include <gtest/gtest.h>

namespace ksched {
namespace {

class CacheTest : public ::testing::Test {
 protected:
  CacheTest() {
    for (const char* name : {"n1", "n2"}) {
      api::Node node;
      node.metadata.name = name;
      state_.AddNode(std::move(node));
    }
    api::Pod pod;
    pod.metadata.ns = "default";
    pod.metadata.name = pod.metadata.uid = "p";
    pod_ = &state_.pod_store().Add(std::move(pod));
  }
  size_t On(const char* node) { return state_.pods(*state_.FindNode(node)).size(); }

  ClusterState state_;
  Cache cache_{state_};
  PodInfo* pod_;
};

TEST_F(CacheTest, AnAssumedPodIsOnItsNodeAndForgottenIsNot) {
  ASSERT_TRUE(cache_.AssumePod(*pod_, *state_.FindNode("n1")));
  EXPECT_TRUE(cache_.IsAssumed(pod_->id));
  EXPECT_EQ(pod_->node_name(), "n1");
  EXPECT_EQ(On("n1"), 1u);
  cache_.ForgetPod(*pod_);
  EXPECT_FALSE(cache_.IsAssumed(pod_->id));
  EXPECT_EQ(pod_->node_name(), "");
  EXPECT_EQ(On("n1"), 0u);
  cache_.ForgetPod(*pod_);  // nothing happens
}

TEST_F(CacheTest, APodThatIsOnANodeCannotBeAssumed) {
  ASSERT_TRUE(cache_.AssumePod(*pod_, *state_.FindNode("n1")));
  const auto again = cache_.AssumePod(*pod_, *state_.FindNode("n2"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, "pod p(default/p) is in the cache, so can't be assumed");
}

TEST_F(CacheTest, TheClusterConfirmsAnAssumedPod) {
  ASSERT_TRUE(cache_.AssumePod(*pod_, *state_.FindNode("n1")));
  cache_.AddPod(*pod_);
  EXPECT_FALSE(cache_.IsAssumed(pod_->id));
  EXPECT_EQ(On("n1"), 1u);
  cache_.ForgetPod(*pod_);
  EXPECT_EQ(On("n1"), 1u) << "it is not assumed any more";
}

TEST_F(CacheTest, APodThatWasBoundElsewhereMoves) {
  ASSERT_TRUE(cache_.AssumePod(*pod_, *state_.FindNode("n1")));
  pod_->node_name_of = state_.pod_store().NodeName("n2");
  cache_.AddPod(*pod_);
  EXPECT_EQ(On("n1"), 0u);
  EXPECT_EQ(On("n2"), 1u);
}

TEST_F(CacheTest, RemovingAPodThatIsNotCountedDoesNothing) {
  cache_.RemovePod(*pod_);
  pod_->node_name_of = state_.pod_store().NodeName("n1");
  cache_.AddPod(*pod_);
  cache_.RemovePod(*pod_);
  cache_.RemovePod(*pod_);
  EXPECT_EQ(On("n1"), 0u);
}

}  // namespace
}  // namespace ksched
