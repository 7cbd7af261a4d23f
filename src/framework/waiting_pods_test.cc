#include "framework/waiting_pods.h"

#include <gtest/gtest.h>

#include "framework/testing.h"

namespace ksched {
namespace {

using namespace testing_support;  // NOLINT
using std::chrono::seconds;

class WaitingPodsTest : public ::testing::Test {
 protected:
  // Two plugins ask pod 7 to wait.
  void Add() { pods_.Add(7, {{1, "Gang", seconds(10)}, {2, "Quota", seconds(5)}}, 100 * kNsPerSecond); }
  std::string Ended() const { return kept_.status ? cluster_.Text(*kept_.status) : "waits"; }

  TestCluster cluster_;
  WaitingPods pods_{cluster_.reasons};
  StatusKeeper kept_;
};

TEST_F(WaitingPodsTest, AllThatAskedHaveToAllow) {
  Add();
  pods_.Wait(7, kept_);
  pods_.Allow(7, 1);
  pods_.Allow(7, 1);
  pods_.Allow(7, 3);  // has not asked
  pods_.Allow(8, 2);  // another pod
  EXPECT_EQ(Ended(), "waits");
  EXPECT_EQ(pods_.All(), std::vector<PodId>{7});
  pods_.Allow(7, 2);
  EXPECT_EQ(Ended(), "Success");
  EXPECT_FALSE(pods_.Has(7));
}

TEST_F(WaitingPodsTest, OneRejectionEndsIt) {
  Add();
  pods_.Wait(7, kept_);
  EXPECT_TRUE(pods_.Reject(7, 2, "over the quota"));
  EXPECT_EQ(Ended(), "Unschedulable: over the quota");
  EXPECT_EQ(kept_.status->plugin(), 2);
  EXPECT_FALSE(pods_.Reject(7, 1, "too late"));
}

TEST_F(WaitingPodsTest, WhatEndsBeforeSomebodyAsksIsKept) {
  Add();
  EXPECT_TRUE(pods_.Reject(7, 1, "no"));
  EXPECT_FALSE(pods_.Reject(7, 2, "the first one counts"));
  EXPECT_TRUE(pods_.Has(7));
  pods_.Wait(7, kept_);
  EXPECT_EQ(Ended(), "Unschedulable: no");
  EXPECT_FALSE(pods_.Has(7));
}

TEST_F(WaitingPodsTest, PreemptionIsAnError) {
  Add();
  pods_.Wait(7, kept_);
  EXPECT_TRUE(pods_.Preempt(7, 4, "preempted"));
  EXPECT_EQ(Ended(), "Error: waiting on permit for pod: preempted");
}

TEST_F(WaitingPodsTest, WhoDoesNotWaitGoesOn) {
  pods_.Wait(7, kept_);
  EXPECT_EQ(Ended(), "Success");
}

TEST_F(WaitingPodsTest, TimeIsUpAtTheFirstPlugin) {
  Add();
  pods_.Wait(7, kept_);
  EXPECT_EQ(pods_.next_deadline(), 105 * kNsPerSecond);
  pods_.Expire(105 * kNsPerSecond - 1);
  EXPECT_EQ(Ended(), "waits");
  pods_.Expire(105 * kNsPerSecond);
  EXPECT_EQ(Ended(), "Unschedulable: rejected due to timeout after waiting 5s at plugin Quota");
  EXPECT_EQ(pods_.next_deadline(), std::nullopt);
}

TEST_F(WaitingPodsTest, APluginThatAllowsNeedsNoTimeAnyMore) {
  Add();
  pods_.Wait(7, kept_);
  pods_.Allow(7, 2);
  pods_.Expire(106 * kNsPerSecond);
  EXPECT_EQ(Ended(), "waits");
  pods_.Expire(110 * kNsPerSecond);
  EXPECT_EQ(Ended(), "Unschedulable: rejected due to timeout after waiting 10s at plugin Gang");
}

}  // namespace
}  // namespace ksched
