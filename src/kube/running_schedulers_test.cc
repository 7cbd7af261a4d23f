#include "kube/running_schedulers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "api/json_values.h"
#include "kube/http_test_util.h"

namespace ksched::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr TimeNs kNow = 1'700'000'000 * kNsPerSecond;  // 2023-11-14T22:13:20Z

std::string Lease(const std::string& name, const std::string& holder, TimeNs renewed) {
  return R"({"metadata":{"name":")" + name + R"("},"spec":{"holderIdentity":")" + holder +
         R"(","leaseDurationSeconds":15,"renewTime":")" + api::FormatTime(renewed) + R"("}})";
}
std::string List(const std::string& items) { return R"({"kind":"LeaseList","items":[)" + items + "]}"; }

TEST(HoldersOfLeases, OnlyThoseThatAreHeldNow) {
  const auto holders = HoldersOfLeases(
      List(Lease("fresh", "a", kNow - 10 * kNsPerSecond) + "," + Lease("old", "b", kNow - 60 * kNsPerSecond) + "," +
           Lease("given-back", "", kNow) + "," + R"({"metadata":{"name":"new"},"spec":{"holderIdentity":"c"}})"),
      kNow);
  ASSERT_TRUE(holders);
  EXPECT_THAT(*holders, ElementsAre(Pair("fresh", "a")));
}

TEST(HoldersOfLeases, NoList) {
  EXPECT_FALSE(HoldersOfLeases("{}", kNow));
  EXPECT_FALSE(HoldersOfLeases("[", kNow));
}

class RunningSchedulersTest : public testing::Test {
 protected:
  Result<RunningSchedulers> Find(const std::set<std::string>& names) {
    auto client = MakeClient(ConfigFor(server_.url()));
    return FindRunningSchedulers(*client, names);
  }
  Reply Serve(const SeenRequest& request) {
    if (request.target.ends_with("/leases")) {
      return leases_.empty() ? StatusAnswer(403, "Forbidden", "no leases for you")
                             : Answer(200, leases_, "application/json", "Date: Tue, 14 Nov 2023 22:13:20 GMT\r\n");
    }
    return pods_.empty() ? StatusAnswer(403, "Forbidden", "no pods for you") : Answer(200, pods_);
  }
  static std::string PodOf(const std::string& phase) {
    return R"({"items":[{"metadata":{"namespace":"kube-system","name":"s"},"spec":{"containers":[
      {"image":"k/kube-scheduler:v1"}]},"status":{"phase":")" +
           phase + "\"}}]}";
  }

  std::string leases_ = List(""), pods_ = PodOf("Pending");
  ScriptedServer server_{[this](const SeenRequest& request, size_t) { return Serve(request); }};
};

TEST_F(RunningSchedulersTest, ByTheirLeases) {
  leases_ = List(Lease("kube-scheduler", "node-1_x", kNow) + "," + Lease("mine", "m", kNow));
  const auto found = Find({"default-scheduler", "mine", "other"});
  ASSERT_TRUE(found);
  EXPECT_THAT(*found, ElementsAre(Pair("default-scheduler", "the Lease kube-system/kube-scheduler is held by node-1_x"),
                                  Pair("mine", "the Lease kube-system/mine is held by m")));
}

TEST_F(RunningSchedulersTest, ByAPodWhereNoLeaseIsHeld) {
  EXPECT_THAT(*Find({"default-scheduler"}), IsEmpty());
  pods_ = PodOf("Running");
  EXPECT_THAT(*Find({"default-scheduler"}), ElementsAre(Pair("default-scheduler", "its pod kube-system/s runs")));
  EXPECT_THAT(*Find({"mine"}), IsEmpty());
}

TEST_F(RunningSchedulersTest, WhatCannotBeReadIsAnError) {
  pods_.clear();
  EXPECT_THAT(Find({"default-scheduler"}).error().message, HasSubstr("no pods for you"));
  EXPECT_TRUE(Find({"mine"}));
  leases_.clear();
  EXPECT_THAT(Find({"mine"}).error().message, HasSubstr("no leases for you"));
  EXPECT_TRUE(Find({}));
}

}  // namespace
}  // namespace ksched::kube
