#include "kube/lease_elector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "kube/boot_clock.h"
#include "kube/lease_test_util.h"

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using Mood = LeaseServer::Mood;

LeaseOptions Options(const std::string& identity) {
  LeaseOptions options{.name = "ksched", .identity = identity};
  options.retry_period = milliseconds(5);
  return options;
}

LeaseRecord HeldBy(const std::string& holder, const std::string& renewed = "2023-11-14T22:13:20.000000Z") {
  return {.holder = holder, .duration_seconds = 15, .acquire_time = renewed, .renew_time = renewed, .transitions = 4};
}

// One that wants to lead: its client, and what it was told. Time passes when the test says so; what waits for a while
// waits for real, but briefly.
class Candidate {
 public:
  explicit Candidate(const LeaseServer& server, const LeaseOptions& options)
      : client_(MakeClient(ConfigFor(server.url()))),
        elector_(*client_, steady, wall, options,
                 {.on_started_leading = [this] { told.emplace_back("started"); },
                  .on_stopped_leading = [this] { told.emplace_back("stopped"); },
                  .on_new_leader = [this](const std::string& holder) { told.push_back("leader " + holder); }}) {
    wall.now = 1'700'000'000 * kNsPerSecond;
    steady.now = 1000 * kNsPerSecond;
  }

  void Pass(int64_t ms) {
    steady.AdvanceMs(ms);
    wall.AdvanceMs(ms);
  }
  void Poll() { client_->Poll(milliseconds(2)); }
  // False if it does not come true.
  bool Until(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      Poll();
    }
    return true;
  }
  bool UntilLeading() {
    return Until([this] { return elector_.leading(); });
  }
  bool UntilStopped() {
    return Until([this] { return elector_.stopped(); });
  }
  void PollFor(milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) Poll();
  }
  LeaseElector& operator*() { return elector_; }
  LeaseElector* operator->() { return &elector_; }
  HttpClient& client() { return *client_; }

  ManualClock steady, wall;
  std::vector<std::string> told;

 private:
  std::unique_ptr<HttpClient> client_;
  LeaseElector elector_;
};

TEST(LeaseElector, OptionsAreChecked) {
  EXPECT_TRUE(CheckLeaseOptions({.name = "x", .identity = "me"}));
  const auto problem = [](const std::function<void(LeaseOptions&)>& change) {
    LeaseOptions options{.name = "x", .identity = "me"};
    change(options);
    const Result<void> checked = CheckLeaseOptions(options);
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_THAT(problem([](auto& o) { o.identity = ""; }), HasSubstr("identity"));
  EXPECT_THAT(problem([](auto& o) { o.renew_deadline = o.lease_duration; }), HasSubstr("greater than renewDeadline"));
  EXPECT_THAT(problem([](auto& o) { o.retry_period = milliseconds(8'334); }), HasSubstr("JitterFactor"));
  EXPECT_THAT(problem([](auto& o) { o.retry_period = milliseconds(0); }), HasSubstr("retryPeriod"));
  EXPECT_THAT(problem([](auto& o) {
                o.lease_duration = milliseconds(999);
                o.renew_deadline = milliseconds(500);
                o.retry_period = milliseconds(100);
              }),
              HasSubstr("one second"));
}

TEST(LeaseElector, CreatesTheLeaseAndRenewsIt) {
  LeaseServer server;
  Candidate me(server, Options("me"));
  me->Start();
  EXPECT_FALSE(me->leading());
  ASSERT_TRUE(me.UntilLeading());
  EXPECT_THAT(me.told, ElementsAre("leader me", "started"));
  const LeaseRecord first = server.record();
  EXPECT_EQ(first, (LeaseRecord{.holder = "me",
                                .duration_seconds = 15,
                                .acquire_time = "2023-11-14T22:13:20.000000Z",
                                .renew_time = "2023-11-14T22:13:20.000000Z"}));
  me.Pass(3'000);
  ASSERT_TRUE(me.Until([&] { return server.record().renew_time == "2023-11-14T22:13:23.000000Z"; }));
  EXPECT_EQ(server.record().acquire_time, first.acquire_time);
  EXPECT_EQ(server.record().transitions, 0);
  EXPECT_THAT(server.lease(), HasSubstr(R"("labels":{"kept":"yes"})"));
  EXPECT_EQ(server.count("GET"), 1U);  // renewals look at nothing
  EXPECT_THAT(me.told, ElementsAre("leader me", "started"));
  EXPECT_TRUE(me->healthy(milliseconds(0)));
}

TEST(LeaseElector, WaitsForAWholeLeaseByItsOwnClock) {
  LeaseServer server;
  server.Set(HeldBy("other", "1999-01-01T00:00:00.000000Z"));  // long over, if clocks were compared
  Candidate me(server, Options("me"));
  me->Start();
  ASSERT_TRUE(me.Until([&] { return me->holder() == "other"; }));
  me.Pass(14'999);
  me.PollFor(milliseconds(60));
  EXPECT_EQ(server.record().holder, "other");
  EXPECT_THAT(me.told, ElementsAre("leader other"));
  me.Pass(1);
  ASSERT_TRUE(me.UntilLeading());
  EXPECT_THAT(me.told, ElementsAre("leader other", "leader me", "started"));
  EXPECT_EQ(server.record().transitions, 5);
  EXPECT_EQ(server.record().acquire_time, server.record().renew_time);
}

TEST(LeaseElector, ALeaseThatIsRenewedIsNotTaken) {
  LeaseServer server;
  server.Set(HeldBy("other"));
  Candidate me(server, Options("me"));
  me->Start();
  for (int i = 0; i < 5; ++i) {
    const size_t looks = server.count("GET");
    ASSERT_TRUE(me.Until([&] { return server.count("GET") >= looks + 2; }));
    me.Pass(14'000);
    server.Set(HeldBy("other", "2023-11-14T22:13:2" + std::to_string(i) + ".000000Z"));
  }
  EXPECT_FALSE(me->leading());
  EXPECT_EQ(server.count("PUT"), 0U);
}

TEST(LeaseElector, AReleasedLeaseIsTakenAtOnce) {
  LeaseServer server;
  server.Set(HeldBy(""));
  Candidate me(server, Options("me"));
  me->Start();
  ASSERT_TRUE(me.UntilLeading());
  EXPECT_EQ(server.record().transitions, 5);
}

TEST(LeaseElector, WhoWritesLaterLoses) {
  LeaseServer server;
  server.Set(HeldBy(""));
  server.Be(Mood::kConflicts);  // somebody writes between our look and our write
  Candidate me(server, Options("me"));
  me->Start();
  ASSERT_TRUE(me.Until([&] { return server.count("PUT") == 1; }));
  me.PollFor(milliseconds(3));
  EXPECT_FALSE(me->leading() && server.count("PUT") == 1);
  ASSERT_TRUE(me.UntilLeading());
  EXPECT_EQ(server.count("PUT"), 2U);
}

TEST(LeaseElector, ARenewalThatFailsIsTriedAgainAfterALook) {
  LeaseServer server;
  Candidate me(server, Options("me"));
  me->Start();
  ASSERT_TRUE(me.UntilLeading());
  server.Be(Mood::kConflicts);
  const size_t looks = server.count("GET");
  ASSERT_TRUE(me.Until([&] { return server.count("GET") > looks; }));
  me.Pass(9'000);
  me.PollFor(milliseconds(30));
  EXPECT_TRUE(me->leading());
  EXPECT_EQ(server.record().transitions, 0);
  EXPECT_THAT(me.told, ElementsAre("leader me", "started"));
}

TEST(LeaseElector, AWriteWhoseAnswerIsLostIsFoundOut) {
  LeaseServer server;
  server.Set(HeldBy(""));
  server.Be(Mood::kForgetsToAnswerWrites);
  Candidate me(server, Options("me"));
  me->Start();
  ASSERT_TRUE(me.Until([&] { return server.record().holder == "me"; }));
  EXPECT_FALSE(me->leading());
  server.Be(Mood::kFine);
  ASSERT_TRUE(me.UntilLeading());
  EXPECT_EQ(server.record().transitions, 5);  // it was ours already
}

TEST(LeaseElector, StopsWhenItCannotRenew) {
  LeaseOptions options = Options("me");
  options.lease_duration = milliseconds(1'000);
  options.renew_deadline = milliseconds(200);
  for (const Mood mood : {Mood::kFailsWrites, Mood::kFailsAll, Mood::kHangs}) {
    LeaseServer server;
    Candidate me(server, options);
    me->Start();
    ASSERT_TRUE(me.UntilLeading());
    const TimeNs start = me.steady.now;
    server.Be(mood);
    while (me->leading()) {
      ASSERT_LT(me.steady.now - start, 1'000 * kNsPerMs);
      me.Pass(10);
      me.PollFor(milliseconds(4));
    }
    // Renewing began within a few steps.
    EXPECT_GE(me.steady.now - start, 200 * kNsPerMs);
    EXPECT_LT(me.steady.now - start, 900 * kNsPerMs);
    ASSERT_TRUE(me.UntilStopped());
    EXPECT_THAT(me.told, ElementsAre("leader me", "started", "stopped"));
    me.PollFor(milliseconds(20));
    EXPECT_TRUE(me.client().idle());
    EXPECT_FALSE(me.client().timers().next());
  }
}

// Others may count from when the server has its renewal, however late the answer comes.
TEST(LeaseElector, ItsTimeCountsFromWhenItAsked) {
  LeaseServer server;
  server.Be(Mood::kHoldsAnswers);
  LeaseOptions options = Options("me");
  options.retry_period = milliseconds(2'000);
  Candidate me(server, options);
  me->Start();
  ASSERT_TRUE(me.Until([&] { return server.holds_an_answer(); }));
  me.Pass(5'000);
  server.Be(Mood::kFine);
  ASSERT_TRUE(me.UntilLeading());
  me.Pass(7'999);
  EXPECT_TRUE(me->leading());
  me.Pass(1);
  EXPECT_FALSE(me->leading());
}

TEST(LeaseElector, AnAnswerThatComesTooLateMakesNoLeader) {
  LeaseServer server;
  server.Be(Mood::kHoldsAnswers);
  Candidate me(server, Options("me"));
  me->Start();
  ASSERT_TRUE(me.Until([&] { return server.holds_an_answer(); }));
  me.Pass(15'000);
  server.Be(Mood::kFine);
  me.Poll();
  me.Poll();
  EXPECT_FALSE(me->leading());
  ASSERT_TRUE(me.UntilLeading());  // it asks again
  EXPECT_THAT(server.requests(), ElementsAre("GET", "POST", "PUT"));
}

TEST(LeaseElector, OneThatWasPausedKnowsAtOnce) {
  LeaseServer server;
  Candidate me(server, Options("me"));
  me->Start();
  ASSERT_TRUE(me.UntilLeading());
  me.Pass(16'000);
  EXPECT_FALSE(me->leading());
  EXPECT_FALSE(me->healthy(milliseconds(1'000)));
  server.Set(HeldBy("other"));  // as others may by now
  ASSERT_TRUE(me.UntilStopped());
  EXPECT_EQ(server.record().holder, "other");
  EXPECT_EQ(me.told.back(), "stopped");
  EXPECT_TRUE(me->healthy(milliseconds(0)));
}

TEST(LeaseElector, StopsAtOnceWhenSomebodyElseHasIt) {
  LeaseServer server;
  Candidate me(server, Options("me"));
  me->Start();
  ASSERT_TRUE(me.UntilLeading());
  server.Set(HeldBy("other"));  // by force
  ASSERT_TRUE(me.UntilStopped());
  EXPECT_THAT(me.told, ElementsAre("leader me", "started", "leader other", "stopped"));
  EXPECT_EQ(server.record().holder, "other");
}

TEST(LeaseElector, StopReleases) {
  LeaseServer server;
  Candidate me(server, Options("me"));
  me->Start();
  ASSERT_TRUE(me.UntilLeading());
  server.Be(Mood::kConflicts);  // a renewal that was on its way
  me->Stop();
  EXPECT_FALSE(me->leading());
  ASSERT_TRUE(me.UntilStopped());
  EXPECT_EQ(server.record().holder, "");
  EXPECT_EQ(server.record().duration_seconds, 1);
  EXPECT_THAT(me.told, ElementsAre("leader me", "started", "leader ", "stopped"));
  me->Start();
  ASSERT_TRUE(me.UntilLeading());
  EXPECT_EQ(server.record().transitions, 1);
}

TEST(LeaseElector, StopLeavesOthersAlone) {
  LeaseServer server;
  Candidate me(server, Options("me"));
  me->Start();
  ASSERT_TRUE(me.UntilLeading());
  server.Set(HeldBy("other"));
  me->Stop();
  ASSERT_TRUE(me.UntilStopped());
  EXPECT_EQ(server.record().holder, "other");
}

TEST(LeaseElector, StopDoesNotWaitForEver) {
  LeaseServer server;
  LeaseOptions options = Options("me");
  options.renew_deadline = milliseconds(100);
  Candidate me(server, options);
  me->Start();
  ASSERT_TRUE(me.UntilLeading());
  server.Be(Mood::kHangs);
  me->Stop();
  me->Stop();
  EXPECT_FALSE(me->stopped());
  ASSERT_TRUE(me.UntilStopped());
  EXPECT_EQ(std::count(me.told.begin(), me.told.end(), "stopped"), 1);
}

TEST(LeaseElector, StopWithoutReleaseAndBeforeLeading) {
  LeaseServer server;
  LeaseOptions options = Options("me");
  options.release_on_stop = false;
  Candidate me(server, options);
  me->Start();
  me->Stop();
  EXPECT_THAT(me.told, ElementsAre("stopped"));
  me->Start();
  ASSERT_TRUE(me.UntilLeading());
  me->Stop();
  EXPECT_TRUE(me->stopped());
  EXPECT_EQ(server.record().holder, "me");
}

TEST(LeaseElector, ALeaseThatIsDeletedIsMadeAnew) {
  LeaseServer server;
  Candidate me(server, Options("me"));
  me->Start();
  ASSERT_TRUE(me.UntilLeading());
  server.Delete();
  ASSERT_TRUE(me.Until([&] { return server.record().holder == "me"; }));
  EXPECT_TRUE(me->leading());
}

TEST(LeaseElector, FailuresAreSaid) {
  LeaseServer server;
  server.Be(Mood::kFailsAll);
  Candidate me(server, Options("me"));
  me->Start();
  ASSERT_TRUE(me.Until([&] { return !me->last_error().empty(); }));
  EXPECT_THAT(me->last_error(), HasSubstr("etcd"));
  server.Be(Mood::kFine);
  ASSERT_TRUE(me.UntilLeading());
  EXPECT_EQ(me->last_error(), "");
}

// Several of them for real, with leaders that hang, go on, stop and are killed: never two at once.
TEST(LeaseElector, NeverTwoAtOnce) {
  LeaseServer server;
  std::vector<std::unique_ptr<Candidate>> candidates;
  for (int i = 0; i < 3; ++i) {
    LeaseOptions options = Options("candidate-" + std::to_string(i));
    options.seed = static_cast<uint64_t>(i);
    candidates.push_back(std::make_unique<Candidate>(server, options));
    candidates.back()->wall.now += i * 3'600 * kNsPerSecond;  // their walls' clocks differ
    (*candidates.back())->Start();
  }
  Rng rng(7);
  size_t paused = 0, led = 0, polls_left = 0;
  for (int step = 0; step < 600; ++step) {
    if (polls_left-- == 0) {
      paused = rng.Next() % 4;  // 3: none of them
      polls_left = 20 + rng.Next() % 40;
      if (rng.Next() % 4 == 0) server.Be(rng.Next() % 2 == 0 ? Mood::kFailsWrites : Mood::kConflicts);
      if (rng.Next() % 2 == 0) server.Be(Mood::kFine);
    }
    size_t leaders = 0;
    for (size_t i = 0; i < candidates.size(); ++i) {
      candidates[i]->Pass(700);
      if (i != paused) candidates[i]->Poll();
      if ((*candidates[i])->stopped()) (*candidates[i])->Start();
    }
    for (const auto& candidate : candidates) leaders += (*candidate)->leading() ? 1 : 0;
    ASSERT_LE(leaders, 1U) << "step " << step;
    led += leaders;
  }
  EXPECT_GT(led, 100U);
  EXPECT_GT(server.record().transitions, 0);
}

TEST(LeaseElector, MayGoAtAnyTime) {
  LeaseServer server;
  const auto client = MakeClient(ConfigFor(server.url()));
  const BootClock steady;
  const SystemClock wall;
  for (int polls = 0; polls < 12; ++polls) {
    LeaseElector elector(*client, steady, wall, Options("me"),
                         {.on_started_leading = [] {}, .on_stopped_leading = [] { FAIL(); }, .on_new_leader = {}});
    elector.Start();
    for (int i = 0; i < polls; ++i) client->Poll(milliseconds(1));
  }
  EXPECT_TRUE(client->idle());
  EXPECT_FALSE(client->timers().next());
}

}  // namespace
}  // namespace ksched::kube
