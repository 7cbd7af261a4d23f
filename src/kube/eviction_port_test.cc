#include "kube/eviction_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "kube/http_test_util.h"
#include "scheduler/scheduler_testing.h"

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace testing_support;  // NOLINT

class EvictionPortTest : public SchedulerTest {
 protected:
  void SetUp() override {
    CreateScheduler();
    port_.set_scheduler(*scheduler_);
    handlers_->AddNode(MakeNode("n1"));
    preemptor_ = &Add(MakePod("new"));
    for (const char* name : {"a", "b"}) victims_.push_back(Add(MakePod(name).Label("app", name).Node("n1")).id);
  }
  PodInfo& Add(const MakePod& pod) {
    PodInfo& added = cluster_.state.pod_store().Add(api::Pod(pod.pod));
    handlers_->AddPod(added);
    return added;
  }
  void Gone(const char* name) { handlers_->RemovePod(*cluster_.state.pod_store().Find("default", name)); }
  void Evict() { port_.Evict(victims_, *preemptor_, "n1"); }
  void PollUntil(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done() && std::chrono::steady_clock::now() < end) {
      client_->Poll(milliseconds(5));
      port_.Look();
    }
    EXPECT_TRUE(done());
  }
  void Answers(const std::string& part, Reply reply) {
    const std::lock_guard lock(mutex_);
    replies_[part] = std::move(reply);
  }
  Reply Serve(const SeenRequest& request) {
    const std::lock_guard lock(mutex_);
    for (const auto& [part, reply] : replies_) {
      if (request.target.find(part) != std::string::npos) return reply;
    }
    return Answer(201, "{}");
  }
  std::vector<std::string> Requests() const {
    std::vector<std::string> requests;
    for (const SeenRequest& seen : server_.seen()) {
      requests.push_back(seen.method + " " + seen.target.substr(seen.target.find("/pods/") + 6));
    }
    return requests;
  }
  size_t asked(const std::string& what) const { return std::ranges::count(Requests(), what); }
  bool preempting() const { return port_.IsPreempting(*preemptor_); }

  std::mutex mutex_;
  std::map<std::string, Reply> replies_;  // by a part of the path
  ScriptedServer server_{[this](const SeenRequest& request, size_t) { return Serve(request); }};
  std::unique_ptr<HttpClient> client_ = MakeClient(ConfigFor(server_.url()));
  PodWriter writer_{*client_, clock_, {.first_backoff = milliseconds(1)}};
  std::vector<std::string> progress_, failed_;
  EvictionPort port_{
      writer_,
      client_->timers(),
      cluster_.state,
      {.progress = [this](const std::string& line) { progress_.push_back(line); },
       .failed = [this](const std::string& uid, const std::string& why) { failed_.push_back(uid + ": " + why); }},
      milliseconds(20)};
  PodInfo* preemptor_ = nullptr;
  std::vector<PodId> victims_;
};

TEST_F(EvictionPortTest, TheNominationComesFirstAndAllHaveToGo) {
  Evict();
  PollUntil([&] { return progress_.size() == 3; });
  EXPECT_EQ(Requests().front(), "PATCH new/status");
  EXPECT_THAT(server_.seen().front().body, HasSubstr(R"("nominatedNodeName":"n1")"));
  EXPECT_THAT(Requests(), Contains("POST a/eviction"));
  EXPECT_THAT(Requests(), Contains("POST b/eviction"));
  EXPECT_EQ(progress_.front(), "pod default/new: nominated to node n1: evicting default/a, default/b");
  Gone("a");
  port_.Look();
  EXPECT_TRUE(preempting());
  EXPECT_EQ(port_.WaitsFor(preemptor_->uid()), "default/b");
  Gone("b");
  port_.Look();
  EXPECT_FALSE(preempting());
  EXPECT_EQ(progress_.back(), "pod default/b: gone");
  EXPECT_TRUE(failed_.empty());
}

TEST_F(EvictionPortTest, WhatABudgetForbidsIsAskedAgain) {
  api::PodDisruptionBudget budget;
  budget.metadata.ns = "default";
  budget.metadata.name = "keep";
  budget.selector.emplace().match_labels["app"] = "a";
  cluster_.state.objects().disruption_budgets.Put(std::move(budget));
  Answers("/a/eviction", StatusAnswer(429, "TooManyRequests", "Cannot evict pod"));
  Evict();
  PollUntil([&] { return asked("POST a/eviction") >= 3; });
  const std::string forbidden = "not while its disruption budget forbids it: keep";
  EXPECT_THAT(port_.WaitsFor(preemptor_->uid()), HasSubstr("default/a (" + forbidden + ")"));
  EXPECT_EQ(
      std::ranges::count_if(progress_, [&](const std::string& line) { return line.find(forbidden) != line.npos; }), 1)
      << "it is said once";
  Answers("/a/eviction", Answer(201, "{}"));
  PollUntil([&] { return std::ranges::count(progress_, "pod default/a: evicted, waiting for its end") == 1; });
  EXPECT_EQ(asked("POST b/eviction"), 1u);
}

TEST_F(EvictionPortTest, WhoGivesUpTakesTheNominationBackIfNobodyHasLeft) {
  for (const char* path : {"/a/eviction", "/b/eviction"}) Answers(path, StatusAnswer(429, "TooManyRequests", "no"));
  Evict();
  PollUntil([&] { return asked("POST a/eviction") > 0 && asked("POST b/eviction") > 0; });
  PollUntil([&] { return port_.WaitsFor(preemptor_->uid()).find("b (") != std::string::npos; });
  port_.GiveUp(preemptor_->uid());
  EXPECT_FALSE(preempting());
  PollUntil([&] { return asked("PATCH new/status") == 2; });
  EXPECT_THAT(server_.seen().back().body, HasSubstr(R"("nominatedNodeName":null)"));
}

TEST_F(EvictionPortTest, ANominationThatIsRefusedEndsIt) {
  Answers("/new/status", StatusAnswer(403, "Forbidden", "not you"));
  Evict();
  PollUntil([&] { return !failed_.empty(); });
  EXPECT_THAT(failed_.front(), HasSubstr("default/new: it could not be nominated: "));
  EXPECT_EQ(Requests(), std::vector<std::string>{"PATCH new/status"});
  EXPECT_FALSE(preempting());
}

TEST_F(EvictionPortTest, AnotherErrorEndsItToo) {
  Answers("/a/eviction", StatusAnswer(403, "Forbidden", "not you"));
  Evict();
  PollUntil([&] { return !failed_.empty(); });
  EXPECT_THAT(failed_.front(), HasSubstr("pod default/a could not be evicted: "));
}

TEST_F(EvictionPortTest, WhoHasGoneMeanwhileIsFine) {
  Answers("/a/eviction", StatusAnswer(404, "NotFound", "gone"));
  Answers("/b/eviction", StatusAnswer(409, "Conflict", "another uid"));
  Evict();
  PollUntil([&] { return asked("POST b/eviction") == 1 && asked("POST a/eviction") == 1; });
  Gone("a");
  Gone("b");
  PollUntil([&] { return !preempting(); });
  EXPECT_TRUE(failed_.empty());
}

}  // namespace
}  // namespace ksched::kube
