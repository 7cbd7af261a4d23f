#include "queue/in_flight.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "queue/queue_test_support.h"

namespace ksched {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class InFlightTest : public ::testing::Test {
 protected:
  void Record(const std::string& node_name) {
    api::Node node;
    node.metadata.name = node_name;
    in_flight_.Record(kNodeAdd, {.new_node = &node});
  }
  std::vector<std::string> Since(const QueuedPodInfo& info) const {
    std::vector<std::string> names;
    in_flight_.ForEachEventSince(info, [&](const ClusterEvent&, const EventObjects& objects) {
      names.push_back(objects.new_node->metadata.name);
      return true;
    });
    return names;
  }

  ResourceNames names_;
  PodStore pods_{names_, {}};
  InFlight in_flight_{pods_.classes()};
  QueuedPodInfo a_, b_, c_;
};

TEST_F(InFlightTest, APodSeesWhatCameAfterIt) {
  in_flight_.Start(a_);
  Record("1");
  in_flight_.Start(b_);
  Record("2");
  in_flight_.Start(c_);
  EXPECT_EQ(in_flight_.size(), 3);
  EXPECT_THAT(Since(a_), ElementsAre("1", "2"));
  EXPECT_THAT(Since(b_), ElementsAre("2"));
  EXPECT_THAT(Since(c_), IsEmpty());
}

TEST_F(InFlightTest, StopsWhenToldTo) {
  in_flight_.Start(a_);
  Record("1");
  Record("2");
  int visited = 0;
  in_flight_.ForEachEventSince(a_, [&](const ClusterEvent&, const EventObjects&) { return ++visited < 1; });
  EXPECT_EQ(visited, 1);
}

TEST_F(InFlightTest, EventsGoWithTheOldestPodThatCanAskForThem) {
  in_flight_.Start(a_);
  Record("1");
  in_flight_.Start(b_);
  Record("2");
  Record("3");
  in_flight_.Start(c_);
  Record("4");
  in_flight_.Done(b_);  // a still needs them
  EXPECT_EQ(in_flight_.num_events(), 4);
  EXPECT_THAT(Since(a_), ElementsAre("1", "2", "3", "4"));
  in_flight_.Done(a_);
  EXPECT_EQ(in_flight_.num_events(), 1);
  EXPECT_THAT(Since(c_), ElementsAre("4"));
  Record("5");
  EXPECT_THAT(Since(c_), ElementsAre("4", "5"));
  in_flight_.Done(c_);
  in_flight_.Done(c_);
  EXPECT_TRUE(in_flight_.empty());
  EXPECT_EQ(in_flight_.num_events(), 0);
  in_flight_.Start(a_);
  EXPECT_THAT(Since(a_), IsEmpty());
}

TEST_F(InFlightTest, AFewOldEventsAreForgottenWithoutMoving) {
  in_flight_.Start(a_);
  Record("1");
  in_flight_.Start(b_);
  for (int i = 2; i <= 9; ++i) Record(std::to_string(i));
  in_flight_.Done(a_);
  EXPECT_EQ(in_flight_.num_events(), 8);
  EXPECT_THAT(Since(b_), ElementsAre("2", "3", "4", "5", "6", "7", "8", "9"));
}

TEST_F(InFlightTest, KeepsCopiesOfPods) {
  api::Pod pod;
  pod.metadata.name = "p";
  pod.metadata.labels["version"] = "1";
  const PodId id = pods_.Add(api::Pod(pod)).id;
  in_flight_.Start(a_);
  pod.metadata.labels["version"] = "2";
  {
    const PodInfo old_pod = pods_.Update(id, api::Pod(pod));
    in_flight_.Record({EventResource::kTargetPod, kUpdatePodLabel}, {.old_pod = &old_pod, .new_pod = &pods_.Get(id)});
  }
  pods_.Remove(id);
  std::vector<std::string> versions;
  in_flight_.ForEachEventSince(a_, [&](const ClusterEvent&, const EventObjects& objects) {
    versions.push_back(objects.old_pod->pod_class->labels.at("version"));
    versions.push_back(objects.new_pod->pod_class->labels.at("version"));
    return true;
  });
  EXPECT_THAT(versions, ElementsAre("1", "2"));
  in_flight_.Done(a_);
}

}  // namespace
}  // namespace ksched
