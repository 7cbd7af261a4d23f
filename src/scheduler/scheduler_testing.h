// For tests: a scheduler with one profile of fake plugins, and its event handlers, on a state of its own.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "framework/fake_plugins.h"
#include "scheduler/event_handlers.h"
#include "scheduler/scheduler.h"

namespace ksched::testing_support {

class SchedulerTest : public testing::Test {
 protected:
  // With the plugins that profile_ has by now.
  void CreateScheduler(const Ports& ports = {}) {
    configuration_.profiles = {profile_.profile};
    auto scheduler =
        Scheduler::Create({configuration_, cluster_.features}, {cluster_.state, clock_, profile_.registry, ports});
    ASSERT_TRUE(scheduler) << scheduler.error().message;
    scheduler_ = std::move(*scheduler);
    handlers_.emplace(*scheduler_);
  }

  TestCluster cluster_;
  FakeProfile profile_;
  ManualClock clock_;
  config::SchedulerConfiguration configuration_;
  std::unique_ptr<Scheduler> scheduler_;
  std::optional<EventHandlers> handlers_;
};

}  // namespace ksched::testing_support
