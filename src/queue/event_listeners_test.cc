#include "queue/event_listeners.h"

#include <vector>

#include <gtest/gtest.h>

#include "queue/queue_test_support.h"

namespace ksched {
namespace {

TEST(EventListeners, ByProfileAndTogether) {
  std::vector<QueueProfile> profiles(2);
  profiles[0].events = {{kFit, {{{EventResource::kPod, kDelete}, nullptr}, {kNodeAdd, nullptr}}},
                        {kTaints, {{{EventResource::kNode, kAdd | kUpdateNodeTaint}, nullptr}}}};
  profiles[1].events = {{kDevices, {{{EventResource::kWildCard, kAllActions}, nullptr}}}};
  EventListeners listeners(profiles);

  const EventListeners::OfEvent& node_add = listeners.Of(kNodeAdd);
  EXPECT_EQ(node_add.any_profile, Plugins({kFit, kTaints, kDevices}));
  EXPECT_EQ(node_add.by_profile[0].plugins, Plugins({kFit, kTaints}));
  EXPECT_EQ(node_add.by_profile[0].hints.size(), 2);
  EXPECT_EQ(node_add.by_profile[1].plugins, Plugins({kDevices}));

  EXPECT_EQ(listeners.Of(kNodeLabel).any_profile, Plugins({kDevices}));
  // What is registered for Pod is for every kind of pod.
  for (EventResource resource :
       {EventResource::kAssignedPod, EventResource::kUnscheduledPod, EventResource::kTargetPod}) {
    EXPECT_EQ(listeners.Of({resource, kDelete}).by_profile[0].plugins, Plugins({kFit}));
    EXPECT_TRUE(listeners.Of({resource, kAdd}).by_profile[0].plugins.empty());
  }
  EXPECT_EQ(&listeners.Of(kNodeAdd), &node_add);
}

TEST(EventListeners, APluginMayRegisterAnEventTwice) {
  std::vector<QueueProfile> profiles(1);
  profiles[0].events = {
      {kFit, {{kNodeAdd, Hint(QueueingHint::kSkip)}, {{EventResource::kNode, kAllActions}, nullptr}}}};
  EXPECT_EQ(EventListeners(profiles).Of(kNodeAdd).by_profile[0].hints.size(), 2);
}

TEST(EventListeners, DefaultEvents) {
  std::vector<QueueProfile> profiles(1);
  profiles[0].events = {{kFit, DefaultEventsToRegister()}};
  EventListeners listeners(profiles);
  EXPECT_FALSE(listeners.Of(kNodeAdd).any_profile.empty());
  EXPECT_FALSE(listeners.Of({EventResource::kTargetPod, kUpdate}).any_profile.empty());
  EXPECT_FALSE(listeners.Of({EventResource::kDeviceClass, kDelete}).any_profile.empty());
  EXPECT_TRUE(listeners.Of({EventResource::kResourceSlice, kAdd}).any_profile.empty());
  EXPECT_TRUE(listeners.Of({EventResource::kVolumeAttachment, kAdd}).any_profile.empty());
}

}  // namespace
}  // namespace ksched
