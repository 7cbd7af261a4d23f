#include "base/stop_signal.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace ksched {
namespace {

class StopSignalDeathTest : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Signals, StopSignalDeathTest, testing::Values(SIGINT, SIGTERM));

TEST_P(StopSignalDeathTest, TheFirstIsNotedAndTheSecondEnds) {
  for (const int second : {SIGINT, SIGTERM}) {
    const auto twice = [&] {
      const StopSignal stop;
      if (stop.requested()) std::_Exit(1);
      std::raise(GetParam());
      if (!stop.requested()) std::_Exit(2);
      std::raise(second);
      std::_Exit(3);
    };
    EXPECT_EXIT(twice(), testing::KilledBySignal(second), "");
  }
}

TEST_P(StopSignalDeathTest, WhoeverIsStoppedIsSeenToBe) {
  const auto obey = [&] {
    const StopSignal stop;
    stop.Obey();  // nothing came
    std::raise(GetParam());
    stop.Obey();
    std::_Exit(3);
  };
  EXPECT_EXIT(obey(), testing::KilledBySignal(GetParam()), "");
}

TEST_P(StopSignalDeathTest, WhatIsIgnoredStaysSo) {
  const auto ignore = [&] {
    std::signal(GetParam(), SIG_IGN);
    const StopSignal stop;
    std::raise(GetParam());
    std::_Exit(stop.requested() ? 1 : 0);
  };
  EXPECT_EXIT(ignore(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ksched
