#include "kube/pod_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "base/manual_clock.h"
#include "kube/http_test_util.h"

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

const PodName kPod{.ns = "shop", .name = "web-1", .uid = "u-1"};
const PodCondition kUnschedulable{
    .type = "PodScheduled", .status = "False", .reason = "Unschedulable", .message = "0/1 nodes are available."};

// Answers one after the other; the last one for ever.
class PodWriterTest : public testing::Test {
 protected:
  void Answers(std::vector<Reply> replies) {
    const std::lock_guard lock(mutex_);
    replies_ = std::move(replies);
  }
  PodWriter::Done Note() {
    return [this](const ApiError* error) { results_.push_back(error == nullptr ? "ok" : Describe(*error)); };
  }
  PodWriter::PreemptDone NotePreemption() {
    return [this](const ApiError* error, bool gone) {
      results_.push_back(error != nullptr ? Describe(*error) : gone ? "gone" : "ok");
    };
  }
  static std::string Describe(const ApiError& error) {
    return std::string(ToString(error.kind)) + " " + std::to_string(error.status);
  }
  std::string Result() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (results_.empty() && std::chrono::steady_clock::now() < end) client_->Poll(milliseconds(5));
    std::string result = results_.size() == 1 ? results_.front() : "(none, or several)";
    results_.clear();
    return result;
  }
  std::vector<std::string> Requests() const {
    std::vector<std::string> requests;
    for (const SeenRequest& seen : server_.seen()) requests.push_back(seen.method + " " + seen.target);
    return requests;
  }

  std::mutex mutex_;
  std::vector<Reply> replies_{Answer(201, "{}")};
  ScriptedServer server_{[this](const SeenRequest&, size_t nth) {
    const std::lock_guard lock(mutex_);
    return replies_[std::min(nth, replies_.size() - 1)];
  }};
  std::unique_ptr<HttpClient> client_ = MakeClient(ConfigFor(server_.url()));
  ManualClock wall_;
  PodWriter writer_{*client_, wall_, {.first_backoff = milliseconds(1)}};
  std::vector<std::string> results_;
};

TEST_F(PodWriterTest, Bind) {
  writer_.Bind(kPod, "node-7", Note());
  EXPECT_EQ(writer_.running(), 1U);
  EXPECT_EQ(Result(), "ok");
  EXPECT_EQ(writer_.running(), 0U);
  const SeenRequest seen = server_.seen().at(0);
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.target, "/api/v1/namespaces/shop/pods/web-1/binding");
  EXPECT_EQ(seen.Value("content-type"), "application/json");
  EXPECT_EQ(
      seen.body,
      R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"web-1","namespace":"shop","uid":"u-1"},"target":{"kind":"Node","name":"node-7"}})");
}

TEST_F(PodWriterTest, NamesAreEscaped) {
  writer_.Bind({.ns = "a/b", .name = "c?d%\"", .uid = "\"}"}, "n\"\n", Note());
  EXPECT_EQ(Result(), "ok");
  const SeenRequest seen = server_.seen().at(0);
  EXPECT_EQ(seen.target, "/api/v1/namespaces/a%2Fb/pods/c%3Fd%25%22/binding");
  EXPECT_THAT(seen.body, HasSubstr(R"("name":"c?d%\"","namespace":"a/b","uid":"\"}"})"));
  EXPECT_THAT(seen.body, HasSubstr(R"("name":"n\"\n")"));
}

TEST_F(PodWriterTest, Status) {
  wall_.now = 1'700'000'000 * kNsPerSecond;
  writer_.PatchStatus(kPod, {}, {.condition = kUnschedulable, .nominated_node = "node-7"}, Note());
  EXPECT_EQ(Result(), "ok");
  const SeenRequest seen = server_.seen().at(0);
  EXPECT_EQ(seen.method, "PATCH");
  EXPECT_EQ(seen.target, "/api/v1/namespaces/shop/pods/web-1/status");
  EXPECT_EQ(seen.Value("content-type"), "application/strategic-merge-patch+json");
  EXPECT_THAT(seen.body, HasSubstr(R"("lastTransitionTime":"2023-11-14T22:13:20Z")"));
  EXPECT_THAT(seen.body, HasSubstr(R"("nominatedNodeName":"node-7")"));
}

TEST_F(PodWriterTest, AStatusThatSaysItAllIsNotWritten) {
  writer_.PatchStatus(kPod, {.condition = kUnschedulable}, {.condition = kUnschedulable}, Note());
  EXPECT_EQ(results_, std::vector<std::string>{"ok"});
  EXPECT_TRUE(client_->idle());
}

TEST_F(PodWriterTest, DeleteAndEvict) {
  writer_.Delete(kPod, Note());
  EXPECT_EQ(Result(), "ok");
  writer_.Evict(kPod, Note());
  EXPECT_EQ(Result(), "ok");
  EXPECT_THAT(Requests(), ElementsAre("DELETE /api/v1/namespaces/shop/pods/web-1",
                                      "POST /api/v1/namespaces/shop/pods/web-1/eviction"));
  EXPECT_EQ(server_.seen()[0].body, R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u-1"}})");
  EXPECT_EQ(
      server_.seen()[1].body,
      R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"web-1","namespace":"shop"},"deleteOptions":{"preconditions":{"uid":"u-1"}}})");
}

TEST_F(PodWriterTest, DryRun) {
  PodWriter writer(*client_, wall_, {.dry_run = true});
  writer.Bind(kPod, "node-7", Note());
  EXPECT_EQ(Result(), "ok");
  writer.Evict(kPod, Note());
  EXPECT_EQ(Result(), "ok");
  EXPECT_THAT(Requests(), ElementsAre("POST /api/v1/namespaces/shop/pods/web-1/binding?dryRun=All",
                                      "POST /api/v1/namespaces/shop/pods/web-1/eviction?dryRun=All"));
}

struct RetryCase {
  std::string name;
  Reply reply;
  size_t bind, status, remove, evict;  // requests, if it is always answered like that
};

class PodWriterRetryTest : public PodWriterTest, public testing::WithParamInterface<RetryCase> {
 protected:
  size_t RequestsOf(const std::function<void(PodWriter&, PodWriter::Done)>& write) {
    const size_t before = server_.seen().size();
    write(writer_, Note());
    EXPECT_NE(Result(), "ok");
    return server_.seen().size() - before;
  }
};

TEST_P(PodWriterRetryTest, Retries) {
  const RetryCase& test = GetParam();
  Answers({test.reply});
  EXPECT_EQ(RequestsOf([](PodWriter& writer, auto done) { writer.Bind(kPod, "n", done); }), test.bind);
  EXPECT_EQ(RequestsOf([](PodWriter& writer, auto done) {
              writer.PatchStatus(kPod, {}, {.condition = kUnschedulable}, done);
            }),
            test.status);
  EXPECT_EQ(RequestsOf([](PodWriter& writer, auto done) { writer.Delete(kPod, done); }), test.remove);
  EXPECT_EQ(RequestsOf([](PodWriter& writer, auto done) { writer.Evict(kPod, done); }), test.evict);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, PodWriterRetryTest,
    testing::Values(RetryCase{"internal_error", StatusAnswer(500, "InternalError", "etcd"), 4, 4, 1, 1},
                    RetryCase{"unavailable", StatusAnswer(503, "ServiceUnavailable", "later"), 4, 4, 1, 1},
                    RetryCase{"a_bare_500", Answer(500, "oops", "text/plain"), 4, 4, 1, 1},
                    RetryCase{"time_out_of_the_server", StatusAnswer(504, "Timeout", "slow"), 1, 1, 1, 1},
                    RetryCase{"conflict", StatusAnswer(409, "Conflict", "bound already"), 1, 4, 1, 1},
                    RetryCase{"not_found", StatusAnswer(404, "NotFound", "no pod"), 1, 1, 1, 1},
                    RetryCase{"forbidden", StatusAnswer(403, "Forbidden", "no"), 1, 1, 1, 1},
                    RetryCase{"budget", StatusAnswer(429, "TooManyRequests", "budget"), 1, 1, 1, 1},
                    RetryCase{"broken_connection", Reply{.reset = true}, 1, 1, 1, 1}),
    [](const auto& info) { return info.param.name; });

TEST_F(PodWriterTest, ATryThatSucceedsEndsIt) {
  Answers(
      {StatusAnswer(500, "InternalError", "etcd"), StatusAnswer(503, "ServiceUnavailable", "x"), Answer(201, "{}")});
  writer_.Bind(kPod, "n", Note());
  EXPECT_EQ(Result(), "ok");
  EXPECT_EQ(server_.seen().size(), 3U);
  EXPECT_EQ(server_.seen()[0].body, server_.seen()[2].body);
}

// Not even by curl, which likes to try again what an old connection gave no answer to.
TEST_F(PodWriterTest, WhatMayHaveBeenDoneIsNotDoneAgain) {
  for (const Reply& silence : {Reply{.reset = true}, Reply{.close = true}}) {
    const size_t before = server_.seen().size();
    std::vector<Reply> replies(before);
    replies.insert(replies.end(), {Answer(201, "{}"), silence, Answer(201, "{}")});
    Answers(std::move(replies));
    writer_.Bind(kPod, "n", Note());
    EXPECT_EQ(Result(), "ok");
    writer_.Bind(kPod, "n", Note());
    EXPECT_EQ(Result(), "Unreachable 0");
    EXPECT_EQ(server_.seen().size(), before + 2);
  }
}

TEST_F(PodWriterTest, TheServerSaysWhen) {
  Answers({StatusAnswer(429, "TooManyRequests", "busy", "Retry-After: 1\r\n"), Answer(201, "{}")});
  writer_.Bind(kPod, "n", Note());
  EXPECT_EQ(Result(), "ok");
}

TEST_F(PodWriterTest, RefusedConnectionsAreTriedAgain) {
  auto gone = std::make_unique<ScriptedServer>([](const SeenRequest&, size_t) { return Answer(200, "{}"); });
  const std::string url = gone->url();
  gone.reset();
  const auto client = MakeClient(ConfigFor(url));
  PodWriter writer(*client, wall_, {.first_backoff = milliseconds(1)});
  std::optional<ApiError> failure;
  writer.Bind(kPod, "n", [&](const ApiError* error) { failure = *error; });
  while (!failure) client->Poll(milliseconds(5));
  EXPECT_TRUE(failure->refused);
  EXPECT_EQ(client->counters().attempts, 4U);
}

TEST_F(PodWriterTest, Preempt) {
  wall_.now = 1'700'000'000 * kNsPerSecond;
  writer_.Preempt(kPod, {.condition_types = {"Ready"}}, DisruptionTarget("ksched", 3), NotePreemption());
  EXPECT_EQ(Result(), "ok");
  EXPECT_THAT(Requests(), ElementsAre("PATCH /api/v1/namespaces/shop/pods/web-1/status",
                                      "DELETE /api/v1/namespaces/shop/pods/web-1"));
  EXPECT_EQ(
      server_.seen()[0].body,
      R"({"metadata":{"uid":"u-1"},"status":{"$setElementOrder/conditions":[{"type":"Ready"},{"type":"DisruptionTarget"}],"conditions":[{"lastProbeTime":null,"lastTransitionTime":"2023-11-14T22:13:20Z","message":"ksched: preempting to accommodate a higher priority pod","observedGeneration":3,"reason":"PreemptionByScheduler","status":"True","type":"DisruptionTarget"}]}})");
}

TEST_F(PodWriterTest, AVictimThatHasItsConditionIsOnlyDeleted) {
  writer_.Preempt(kPod, {.condition = DisruptionTarget("ksched", 3)}, DisruptionTarget("ksched", 3), NotePreemption());
  EXPECT_EQ(Result(), "ok");
  EXPECT_THAT(Requests(), ElementsAre("DELETE /api/v1/namespaces/shop/pods/web-1"));
}

TEST_F(PodWriterTest, VictimsThatAreGone) {
  Answers({StatusAnswer(404, "NotFound", "no pod")});
  writer_.Preempt(kPod, {}, DisruptionTarget("ksched", 3), NotePreemption());
  EXPECT_EQ(Result(), "gone");
  EXPECT_EQ(server_.seen().size(), 1U);
  Answers({{}, Answer(200, "{}"), StatusAnswer(404, "NotFound", "no pod")});
  writer_.Preempt(kPod, {}, DisruptionTarget("ksched", 3), NotePreemption());
  EXPECT_EQ(Result(), "gone");
  Answers({{}, {}, {}, Answer(200, "{}"), StatusAnswer(409, "Conflict", "Precondition failed: UID in precondition")});
  writer_.Preempt(kPod, {}, DisruptionTarget("ksched", 3), NotePreemption());
  EXPECT_EQ(Result(), "gone");
}

TEST_F(PodWriterTest, VictimsThatStay) {
  Answers({StatusAnswer(403, "Forbidden", "no")});
  writer_.Preempt(kPod, {}, DisruptionTarget("ksched", 3), NotePreemption());
  EXPECT_EQ(Result(), "Forbidden 403");
  EXPECT_EQ(server_.seen().size(), 1U);
}

TEST_F(PodWriterTest, MayGoAtAnyTime) {
  Answers({StatusAnswer(500, "InternalError", "etcd")});
  for (int polls = 0; polls < 8; ++polls) {
    PodWriter writer(*client_, wall_, {.first_backoff = milliseconds(2)});
    writer.Bind(kPod, "n", Note());
    writer.Preempt(kPod, {}, DisruptionTarget("ksched", 3), NotePreemption());
    for (int i = 0; i < polls; ++i) client_->Poll(milliseconds(1));
  }
  EXPECT_TRUE(client_->idle());
  EXPECT_FALSE(client_->timers().next());
}

}  // namespace
}  // namespace ksched::kube
