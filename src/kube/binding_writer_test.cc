#include "kube/binding_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "base/manual_clock.h"
#include "kube/http_test_util.h"

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;

const PodName kPod{.ns = "shop", .name = "web-1", .uid = "u-1"};

Reply PodOn(const std::string& node, const std::string& uid = "u-1") {
  return Answer(200, R"({"metadata":{"uid":")" + uid + R"("},"spec":{"nodeName":")" + node + R"("}})");
}

struct BindingCase {
  std::string name;
  std::vector<Reply> bindings;  // the answers to POST and GET, each one after the other; the last one for ever
  std::vector<Reply> pods;
  std::string result;  // "", or what the error says
  size_t tries, questions;
};

class BindingWriterTest : public testing::TestWithParam<BindingCase> {
 protected:
  static Reply Next(std::vector<Reply>& replies) {
    if (replies.empty()) return StatusAnswer(400, "BadRequest", "nobody should ask that");
    Reply reply = replies.front();
    if (replies.size() > 1) replies.erase(replies.begin());
    return reply;
  }
};

TEST_P(BindingWriterTest, Ends) {
  BindingCase test = GetParam();
  std::mutex mutex;
  ScriptedServer server([&](const SeenRequest& request, size_t) {
    const std::lock_guard lock(mutex);
    return Next(request.method == "POST" ? test.bindings : test.pods);
  });
  const auto client = MakeClient(ConfigFor(server.url()));
  ManualClock wall;
  PodWriter writer(*client, wall, {.first_backoff = milliseconds(1)});
  BindingWriterOptions options;
  options.backoff = {milliseconds(1), milliseconds(5)};
  BindingWriter binder(*client, writer, options);
  std::vector<std::string> results;
  binder.Bind(kPod, "n1", [&](const ApiError* error) { results.push_back(error == nullptr ? "" : error->message); });
  EXPECT_TRUE(client->PollUntil([&] { return !results.empty(); }));
  ASSERT_EQ(results.size(), 1U);
  if (test.result.empty()) {
    EXPECT_EQ(results.front(), "");
  } else {
    EXPECT_THAT(results.front(), testing::HasSubstr(test.result));
  }
  size_t tries = 0, questions = 0;
  for (const SeenRequest& seen : server.seen()) ++(seen.method == "POST" ? tries : questions);
  EXPECT_EQ(tries, test.tries);
  EXPECT_EQ(questions, test.questions);
}

const Reply kLost{.close = true};
const Reply kConflict = StatusAnswer(409, "Conflict", "pod web-1 is already assigned");

INSTANTIATE_TEST_SUITE_P(
    Cases, BindingWriterTest,
    testing::Values(
        BindingCase{"at_once", {Answer(201, "{}")}, {}, "", 1, 0},
        BindingCase{"refused", {StatusAnswer(422, "Invalid", "no such node")}, {}, "no such node", 1, 0},
        BindingCase{"the_answer_is_lost", {kLost}, {PodOn("n1")}, "", 1, 1},
        BindingCase{"the_request_is_lost", {kLost, Answer(201, "{}")}, {PodOn("")}, "", 2, 1},
        BindingCase{"late", {kLost, kConflict}, {PodOn(""), PodOn("n1")}, "", 2, 2},
        BindingCase{"bound_elsewhere", {kLost}, {PodOn("n2")}, "assigned to node \"n2\"", 1, 1},
        BindingCase{"an_internal_error_that_was_none",
                    {StatusAnswer(500, "InternalError", "etcd"), kConflict},
                    {PodOn("n1")},
                    "",
                    2,
                    1},
        BindingCase{"a_conflict_about_something_else", {kConflict}, {PodOn("")}, "is already assigned", 1, 1},
        BindingCase{"gone", {kLost}, {StatusAnswer(404, "NotFound", "no pod")}, "no pod", 1, 1},
        BindingCase{"another_pod", {kLost}, {PodOn("n1", "u-2")}, "another one has its name", 1, 1},
        BindingCase{"nobody_knows_for_a_while",
                    {kLost},
                    {kLost, StatusAnswer(500, "InternalError", "x"), Answer(200, "?"), PodOn("n1")},
                    "",
                    1,
                    4},
        BindingCase{"may_not_ask", {kLost}, {StatusAnswer(403, "Forbidden", "no")}, "Unable to connect", 1, 1}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ksched::kube
