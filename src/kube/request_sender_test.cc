#include "kube/request_sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/http_test_util.h"

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

HttpRequest Post(const std::string& target) {
  return {.method = "POST", .target = target, .body = "{}", .content_type = "application/json"};
}

class RequestSenderTest : public testing::Test {
 protected:
  RequestSender::Done Note() {
    return [this](const ApiError* error, std::string_view body) {
      answers_.push_back(error != nullptr ? std::string(ToString(error->kind)) : std::string(body));
      if (error != nullptr) message_ = error->message;
    };
  }
  void Until(size_t answers) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (answers_.size() < answers && std::chrono::steady_clock::now() < end) client_->Poll(milliseconds(5));
    ASSERT_EQ(answers_.size(), answers);
  }

  ScriptedServer server_{[](const SeenRequest& request, size_t) {
    if (request.target == "/hang") return Reply{.hang = true};
    return request.target == "/no" ? StatusAnswer(403, "Forbidden", "no") : Answer(201, request.target);
  }};
  std::unique_ptr<HttpClient> client_ = MakeClient(ConfigFor(server_.url()));
  std::vector<std::string> answers_;
  std::string message_;
};

TEST_F(RequestSenderTest, GivesWholeAnswersAndErrors) {
  RequestSender sender(*client_, {});
  sender.Send(Post("/a"), Note());
  sender.Send(Post("/no"), Note());
  EXPECT_EQ(sender.running(), 2U);
  Until(2);
  EXPECT_THAT(answers_, testing::UnorderedElementsAre("/a", "Forbidden"));
  EXPECT_EQ(sender.running(), 0U);
}

TEST_F(RequestSenderTest, WaitsForItsTurn) {
  RateLimiter limiter(client_->timers(), {.qps = 50, .burst = 1});
  RequestSender sender(*client_, {.limiter = &limiter});
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 4; ++i) sender.Send(Post("/" + std::to_string(i)), Note());
  sender.Cancel(sender.Send(Post("/x"), Note()));
  Until(4);
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(60));
  EXPECT_THAT(answers_, testing::ElementsAre("/0", "/1", "/2", "/3"));
  EXPECT_EQ(server_.seen().size(), 4U);
}

TEST_F(RequestSenderTest, AsksRightBeforeItSends) {
  RateLimiter limiter(client_->timers(), {.qps = 20, .burst = 1});
  bool allowed = true;
  RequestSender sender(*client_, {.limiter = &limiter, .allowed = [&] { return allowed; }});
  sender.Send(Post("/a"), Note());
  sender.Send(Post("/b"), Note());
  Until(1);
  allowed = false;  // "/b" waits for its turn
  Until(2);
  EXPECT_THAT(answers_, testing::UnorderedElementsAre("/a", "NotSent"));
  EXPECT_THAT(message_, HasSubstr("POST"));
  EXPECT_EQ(server_.seen().size(), 1U);
}

// As after a pause of the process, in which somebody else has begun to write.
TEST_F(RequestSenderTest, WhatHasBegunIsNotSentEither) {
  bool allowed = true;
  RequestSender sender(*client_, {.allowed = [&] { return allowed; }});
  sender.Send(Post("/a"), Note());
  allowed = false;
  Until(1);
  EXPECT_THAT(answers_, testing::ElementsAre("NotSent"));
  EXPECT_EQ(server_.seen().size(), 0U);
}

TEST_F(RequestSenderTest, TellsNothingWithinSend) {
  RequestSender sender(*client_, {.allowed = [] { return false; }});
  sender.Send(Post("/a"), Note());
  EXPECT_TRUE(answers_.empty());
  Until(1);
}

TEST_F(RequestSenderTest, SoManyAtOnceAndNoMore) {
  RequestSender sender(*client_, {.max_in_flight = 2});
  const RequestSender::Id first = sender.Send(Post("/hang"), Note());
  const RequestSender::Id second = sender.Send(Post("/hang"), Note());
  const RequestSender::Id third = sender.Send(Post("/never"), Note());
  sender.Send(Post("/a"), Note());
  sender.Send(Post("/b"), Note());
  for (int i = 0; i < 10; ++i) client_->Poll(milliseconds(2));
  EXPECT_EQ(server_.seen().size(), 2U);
  EXPECT_EQ(sender.running(), 5U);
  EXPECT_EQ(sender.waiting(), 3U);
  sender.Cancel(third);
  EXPECT_EQ(sender.waiting(), 2U);
  sender.Cancel(first);
  Until(2);
  EXPECT_THAT(answers_, testing::ElementsAre("/a", "/b"));
  EXPECT_EQ(sender.waiting(), 0U);
  sender.Cancel(second);
  EXPECT_EQ(sender.running(), 0U);
}

TEST_F(RequestSenderTest, CancelledOnesAreSilent) {
  RequestSender sender(*client_, {});
  const RequestSender::Id id = sender.Send(Post("/hang"), Note());
  sender.Send(Post("/a"), Note());
  Until(1);
  sender.Cancel(id);
  sender.Cancel(id);
  EXPECT_EQ(sender.running(), 0U);
  EXPECT_TRUE(client_->idle());
}

TEST_F(RequestSenderTest, MayGoAtAnyTime) {
  RateLimiter limiter(client_->timers(), {.qps = 1, .burst = 1});
  {
    RequestSender sender(*client_, {.limiter = &limiter});
    sender.Send(Post("/hang"), Note());
    sender.Send(Post("/a"), Note());
    client_->Poll(milliseconds(1));
  }
  EXPECT_TRUE(client_->idle());
  EXPECT_EQ(limiter.waiting(), 0U);
  auto sender = std::make_unique<RequestSender>(*client_, SenderOptions{});
  sender->Send(Post("/b"), [&](const ApiError*, std::string_view body) {
    answers_.emplace_back(body);
    sender.reset();
  });
  Until(1);
}

}  // namespace
}  // namespace ksched::kube
