#include "framework/binding_run.h"

#include <gtest/gtest.h>

#include "framework/fake_plugins.h"

namespace ksched {
namespace {

using config::ExtensionPoint;
using namespace testing_support;  // NOLINT

class BindingRunTest : public ::testing::Test {
 protected:
  void Run() {
    auto framework = profile_.CreateFramework(cluster_);
    ASSERT_TRUE(framework) << framework.error().message;
    framework_ = std::move(*framework);
    kept_.status.reset();
    run_.Start(*framework_, cluster_.cycle, cluster_.AddPod(MakePod("p" + std::to_string(pods_++))), 0, kept_);
  }
  std::string Ended() const { return kept_.status ? cluster_.Text(*kept_.status) : "not yet"; }
  Status Error(const char* text) { return {Code::kError, cluster_.reasons.Intern(text)}; }

  TestCluster cluster_;
  FakeProfile profile_;
  std::unique_ptr<Framework> framework_;
  BindingRun run_;
  StatusKeeper kept_;
  int pods_ = 0;
};

TEST_F(BindingRunTest, PreBindPluginsAndThenBind) {
  std::string order;
  profile_.Add("A", {ExtensionPoint::kPreBind}).pre_bind = [&] { return order += "A", Status(); };
  profile_.Add("B", {ExtensionPoint::kPreBind}).pre_bind = [&] { return order += "B", Status(); };
  profile_.profile.plugins.At(ExtensionPoint::kBind).enabled.clear();
  profile_.Add("C", {ExtensionPoint::kBind}).bind = [&] { return order += "C", Status(); };
  Run();
  EXPECT_EQ(Ended(), "Success");
  EXPECT_EQ(order, "ABC");
}

TEST_F(BindingRunTest, WhatTakesItsTime) {
  StatusReceiver *pre_bind = nullptr, *bind = nullptr;
  profile_.Add("A", {ExtensionPoint::kPreBind}).pre_bind_pending = &pre_bind;
  profile_.profile.plugins.At(ExtensionPoint::kBind).enabled.clear();
  profile_.Add("C", {ExtensionPoint::kBind}).bind_pending = &bind;
  Run();
  ASSERT_NE(pre_bind, nullptr);
  EXPECT_EQ(bind, nullptr);
  pre_bind->OnStatus({});
  ASSERT_NE(bind, nullptr);
  EXPECT_EQ(Ended(), "not yet");
  bind->OnStatus(Error("conflict"));
  EXPECT_EQ(Ended(), "Error: running Bind plugin \"C\": conflict");
}

TEST_F(BindingRunTest, PluginsThatSkipAreLeftOut) {
  const PluginId skipped = static_cast<PluginId>(profile_.registry.size());
  profile_.Add("A", {ExtensionPoint::kPreBind}).pre_bind = [&] { return Error("not to be called"); };
  cluster_.cycle.skip_pre_bind.Insert(skipped);
  Run();
  EXPECT_EQ(Ended(), "Success");
}

TEST_F(BindingRunTest, FailuresOfPreBind) {
  FakeBehaviour& plugin = profile_.Add("A", {ExtensionPoint::kPreBind});
  plugin.pre_bind = [&] { return Error("no volume"); };
  Run();
  EXPECT_EQ(Ended(), "Error: running PreBind plugin \"A\": no volume");
  plugin.pre_bind = [&] { return Status::Unschedulable(cluster_.reasons.Intern("gone")); };
  Run();
  EXPECT_EQ(Ended(), "Unschedulable: gone");
  EXPECT_EQ(framework_->plugin_name(kept_.status->plugin()), "A");
}

TEST_F(BindingRunTest, BindGoesToTheNextPluginOnSkip) {
  profile_.profile.plugins.At(ExtensionPoint::kBind).enabled.clear();
  profile_.Add("First", {ExtensionPoint::kBind}).bind = [] { return Status::Skip(); };
  FakeBehaviour& second = profile_.Add("Second", {ExtensionPoint::kBind});
  Run();
  EXPECT_EQ(Ended(), "Success");
  second.bind = [&] { return Error("refused"); };
  Run();
  EXPECT_EQ(Ended(), "Error: running Bind plugin \"Second\": refused");
  second.bind = [] { return Status::Skip(); };
  Run();
  EXPECT_EQ(Ended(), "Skip");
}

TEST_F(BindingRunTest, StoppedBeforeItBinds) {
  StatusReceiver *pre_bind = nullptr, *bind = nullptr;
  profile_.Add("A", {ExtensionPoint::kPreBind}).pre_bind_pending = &pre_bind;
  profile_.profile.plugins.At(ExtensionPoint::kBind).enabled.clear();
  profile_.Add("C", {ExtensionPoint::kBind}).bind_pending = &bind;
  Run();
  EXPECT_TRUE(run_.StopBeforeBind(Error("preempted")));
  EXPECT_FALSE(run_.StopBeforeBind(Error("again")));
  pre_bind->OnStatus({});
  EXPECT_EQ(Ended(), "Error: preempted");
  EXPECT_EQ(bind, nullptr);
  Run();
  pre_bind->OnStatus({});
  EXPECT_FALSE(run_.StopBeforeBind(Error("too late")));
  bind->OnStatus({});
  EXPECT_EQ(Ended(), "Success");
}

}  // namespace
}  // namespace ksched
