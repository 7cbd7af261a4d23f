#include "queue/unschedulable_pods.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "queue/queue_test_support.h"

namespace ksched {
namespace {

using ::testing::ElementsAre;

class UnschedulablePodsTest : public ::testing::Test {
 protected:
  UnschedulablePodsTest() : infos_(6) {
    for (PodId i = 0; i < infos_.size(); ++i) {
      infos_[i].id = i;
      infos_[i].links.profile = 0;
      infos_[i].unschedulable_plugins = Plugins({i % 2 == 0 ? kFit : kTaints});
    }
  }
  template <typename Wanted>
  std::vector<PodId> Visit(Wanted&& wanted) const {
    std::vector<PodId> ids;
    pods_.ForEach(wanted, [&](QueuedPodInfo& info) { ids.push_back(info.id); });
    return ids;
  }
  std::vector<PodId> All() const {
    return Visit([](const UnschedulablePods::Group&) { return true; });
  }

  std::vector<QueuedPodInfo> infos_;
  UnschedulablePods pods_;
};

TEST_F(UnschedulablePodsTest, GroupsByWhoTurnedThePodsDown) {
  for (QueuedPodInfo& info : infos_) pods_.AddOrUpdate(info);
  EXPECT_EQ(pods_.size(), 6);
  EXPECT_THAT(All(), ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(Visit([](const UnschedulablePods::Group& group) { return group.rejectors.Has(kTaints); }),
              ElementsAre(1, 3, 5));
}

TEST_F(UnschedulablePodsTest, RemovesFromAnywhere) {
  for (PodId i : {0, 2, 4}) pods_.AddOrUpdate(infos_[i]);
  EXPECT_TRUE(pods_.Remove(infos_[2]));
  EXPECT_FALSE(pods_.Remove(infos_[2]));
  EXPECT_THAT(All(), ElementsAre(0, 4));
  EXPECT_TRUE(pods_.Remove(infos_[0]));
  EXPECT_THAT(All(), ElementsAre(4));
  EXPECT_TRUE(pods_.Remove(infos_[4]));
  EXPECT_THAT(All(), ElementsAre());
  pods_.AddOrUpdate(infos_[2]);
  EXPECT_THAT(All(), ElementsAre(2));
}

TEST_F(UnschedulablePodsTest, AddAgainIsNoChange) {
  for (PodId i : {0, 2}) pods_.AddOrUpdate(infos_[i]);
  pods_.AddOrUpdate(infos_[0]);
  EXPECT_EQ(pods_.size(), 2);
  EXPECT_THAT(All(), ElementsAre(0, 2));
}

TEST_F(UnschedulablePodsTest, OtherPluginsAnotherGroup) {
  for (PodId i : {0, 2, 4}) pods_.AddOrUpdate(infos_[i]);
  infos_[2].unschedulable_plugins.Insert(kGateA);
  infos_[2].gating_plugin = kGateA;
  pods_.AddOrUpdate(infos_[2]);
  infos_[4].links.profile = 1;
  pods_.AddOrUpdate(infos_[4]);
  EXPECT_EQ(pods_.size(), 3);
  EXPECT_THAT(Visit([](const UnschedulablePods::Group& group) { return group.gating_plugin == kGateA; }),
              ElementsAre(2));
  EXPECT_THAT(Visit([](const UnschedulablePods::Group& group) { return group.profile == 1; }), ElementsAre(4));
}

}  // namespace
}  // namespace ksched
