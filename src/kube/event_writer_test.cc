#include "kube/event_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "base/manual_clock.h"
#include "kube/http_test_util.h"

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

EventMessage About(const std::string& pod) {
  return {.controller = "ksched",
          .type = "Normal",
          .reason = "Scheduled",
          .action = "Binding",
          .note = "Successfully assigned",
          .regarding = {.ns = "shop", .name = pod, .uid = "u-" + pod}};
}

EventWriterOptions Quick() {
  EventWriterOptions options{.hostname = "host"};
  options.retry_wait = milliseconds(2);
  options.max_tries = 3;
  return options;
}

// Answers creations and patches each in the same way, unless a test says otherwise.
class EventWriterTest : public testing::Test {
 protected:
  void Make(const EventWriterOptions& options) { writer_ = std::make_unique<EventWriter>(*client_, wall_, options); }
  bool Until(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      client_->Poll(milliseconds(5));
    }
    return true;
  }
  bool UntilWritten() {
    return Until([&] { return writer_->pending() == 0; });
  }
  std::vector<std::string> Requests() const {
    std::vector<std::string> requests;
    for (const SeenRequest& seen : server_.seen()) requests.push_back(seen.method + " " + seen.target);
    return requests;
  }
  Reply Serve(const SeenRequest& request) {
    const int status = request.method == "POST" ? create_status_.load() : patch_status_.load();
    if (status == 0) return {.reset = true};
    const std::string reason = status == 409 ? "AlreadyExists" : status == 404 ? "NotFound" : "Other";
    return status < 300 ? Answer(status, "{}") : StatusAnswer(status, reason, "no");
  }

  std::atomic<int> create_status_ = 201, patch_status_ = 200;
  ScriptedServer server_{[this](const SeenRequest& request, size_t) { return Serve(request); }};
  std::unique_ptr<HttpClient> client_ = MakeClient(ConfigFor(server_.url()));
  ManualClock wall_;
  std::unique_ptr<EventWriter> writer_;
};

constexpr auto kCreate = "POST /apis/events.k8s.io/v1/namespaces/shop/events";
constexpr auto kPatch = "PATCH /apis/events.k8s.io/v1/namespaces/shop/events/a.64";

TEST_F(EventWriterTest, CreatesAndThenTellsOfRepetitions) {
  wall_.now = 100;
  Make(Quick());
  writer_->Record(About("a"));
  ASSERT_TRUE(UntilWritten());
  writer_->Record(About("a"));
  writer_->Record(About("a"));
  ASSERT_TRUE(UntilWritten());
  EXPECT_THAT(Requests(), ElementsAre(kCreate, kPatch));
  const SeenRequest patch = server_.seen()[1];
  EXPECT_EQ(patch.Value("content-type"), "application/strategic-merge-patch+json");
  EXPECT_THAT(patch.body, HasSubstr(R"({"series":{"count":2,)"));
  EXPECT_EQ(writer_->counters().recorded, 3U);
  EXPECT_EQ(writer_->counters().written, 2U);
}

TEST_F(EventWriterTest, SeriesAreToldAgainAndEnd) {
  wall_.now = 100;
  EventWriterOptions options = Quick();
  options.refresh_period = milliseconds(20);
  Make(options);
  for (int i = 0; i < 5; ++i) writer_->Record(About("a"));
  ASSERT_TRUE(Until([&] { return server_.seen().size() >= 4; }));  // at least two refreshments
  EXPECT_THAT(server_.seen().back().body, HasSubstr(R"({"series":{"count":5,)"));

  options = Quick();
  options.finish_period = milliseconds(20);
  Make(options);
  for (int i = 0; i < 3; ++i) writer_->Record(About("b"));
  wall_.AdvanceMs(21);
  const auto finished = [&] {
    return server_.seen().back().body.find(R"({"series":{"count":3,)") != std::string::npos;
  };
  ASSERT_TRUE(Until(finished));
  const size_t requests = server_.seen().size();
  writer_->Record(About("b"));
  ASSERT_TRUE(Until([&] { return server_.seen().size() > requests; }));
  EXPECT_EQ(server_.seen()[requests].method, "POST");
}

TEST_F(EventWriterTest, ASeriesOfAnEventThatHasGoneIsCreated) {
  wall_.now = 100;
  Make(Quick());
  writer_->Record(About("a"));
  ASSERT_TRUE(UntilWritten());
  patch_status_ = 404;
  writer_->Record(About("a"));
  ASSERT_TRUE(UntilWritten());
  EXPECT_THAT(Requests(), ElementsAre(kCreate, kPatch, kCreate));
  EXPECT_THAT(server_.seen()[2].body, HasSubstr(R"("series":{"count":2,)"));
  EXPECT_EQ(writer_->counters().written, 2U);
  // It was there after all: created between the two.
  create_status_ = 409;
  writer_->Record(About("b"));
  ASSERT_TRUE(UntilWritten());
  EXPECT_EQ(writer_->counters().rejected, 1U);  // an event that exists
  writer_->Record(About("b"));
  ASSERT_TRUE(UntilWritten());
  EXPECT_EQ(writer_->counters().given_up, 1U);  // a series is tried again
}

TEST_F(EventWriterTest, WhatIsRejectedIsNotTriedAgain) {
  Make(Quick());
  for (const int status : {403, 404, 422, 429, 500, 503}) {
    create_status_ = status;
    const size_t before = server_.seen().size();
    writer_->Record(About("pod-" + std::to_string(status)));
    ASSERT_TRUE(UntilWritten());
    EXPECT_EQ(server_.seen().size(), before + 1) << status;
  }
  EXPECT_EQ(writer_->counters().rejected, 6U);
}

TEST_F(EventWriterTest, WhatDoesNotReachTheServerIsTriedAgain) {
  Make(Quick());
  create_status_ = 0;
  writer_->Record(About("a"));
  ASSERT_TRUE(UntilWritten());
  EXPECT_EQ(server_.seen().size(), 3U);
  EXPECT_EQ(writer_->counters().given_up, 1U);
  writer_->Record(About("b"));
  ASSERT_TRUE(Until([&] { return server_.seen().size() == 4; }));
  create_status_ = 201;
  ASSERT_TRUE(UntilWritten());
  EXPECT_EQ(writer_->counters().written, 1U);
}

TEST_F(EventWriterTest, TheQueueIsBounded) {
  EventWriterOptions options = Quick();
  options.max_pending = 5;
  options.max_in_flight = 2;
  Make(options);
  for (int i = 0; i < 8; ++i) writer_->Record(About("pod-" + std::to_string(i)));
  EXPECT_EQ(writer_->pending(), 5U);
  EXPECT_EQ(writer_->counters().dropped, 3U);
  ASSERT_TRUE(UntilWritten());
  EXPECT_EQ(writer_->counters().written, 5U);
  writer_->Record(About("later"));
  ASSERT_TRUE(UntilWritten());
  EXPECT_EQ(writer_->counters().written, 6U);
}

TEST_F(EventWriterTest, NamesDifferAtTheSameTime) {
  Make(Quick());
  for (const char* reason : {"Scheduled", "Preempted", "FailedScheduling"}) {
    EventMessage message = About("a");
    message.reason = reason;
    writer_->Record(message);
  }
  ASSERT_TRUE(UntilWritten());
  std::set<std::string> names;
  for (const SeenRequest& seen : server_.seen()) names.insert(seen.body.substr(0, seen.body.find("eventTime")));
  EXPECT_EQ(names.size(), 3U);
}

TEST_F(EventWriterTest, WhatMayNotBeSentIsDropped) {
  EventWriterOptions options = Quick();
  options.sender.allowed = [] { return false; };
  Make(options);
  writer_->Record(About("a"));
  ASSERT_TRUE(UntilWritten());
  EXPECT_EQ(writer_->counters().rejected, 1U);
  EXPECT_TRUE(server_.seen().empty());
}

TEST_F(EventWriterTest, MayGoAtAnyTime) {
  create_status_ = 0;
  for (int polls = 0; polls < 8; ++polls) {
    Make(Quick());
    for (int i = 0; i < 40; ++i) writer_->Record(About("pod-" + std::to_string(i)));
    for (int i = 0; i < polls; ++i) client_->Poll(milliseconds(1));
  }
  writer_.reset();
  EXPECT_TRUE(client_->idle());
  EXPECT_FALSE(client_->timers().next());
}

}  // namespace
}  // namespace ksched::kube
