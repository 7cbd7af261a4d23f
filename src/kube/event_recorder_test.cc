#include "kube/event_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "kube/change_test_util.h"

namespace ksched::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// Takes everything, or nothing.
class Next final : public ChangeSink {
 public:
  Result<void> OnAdd(const WatchedObject&, const api::ObjectHead&) override { return Take(); }
  Result<void> OnUpdate(const WatchedObject&, const api::ObjectHead&) override { return Take(); }
  void OnRemove(const Resource&, std::string_view, std::string_view) override { ++calls; }

  int calls = 0;
  bool refuses = false;

 private:
  Result<void> Take() {
    ++calls;
    if (refuses) return Error{"no"};
    return {};
  }
};

// Writes to a stream; the time stands still.
class EventRecorderTest : public testing::Test {
 protected:
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    std::istringstream text(out_.str());
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  Result<void> Say(bool add, const std::string& name, const std::string& cpu) {
    return SayNode(recorder_, add, name, cpu);
  }

  const Resource& nodes_ = *FindResource("", "nodes");
  std::ostringstream out_;
  OutputFile file_{"-", out_};
  Next next_;
  EventRecorder recorder_{file_, next_, [] { return std::chrono::steady_clock::time_point(); }};
};

TEST_F(EventRecorderTest, NamesAreText) {
  ASSERT_TRUE(Say(true, R"(n\"1)", "4"));
  recorder_.OnRemove(nodes_, "", "n\"1");
  recorder_.OnRemove(*FindResource("", "pods"), "a\\b", "p\n");
  EXPECT_EQ(Lines().at(1), R"({"atMs":0,"type":"delete","object":{"apiVersion":"v1","kind":"Node",)"
                           R"("metadata":{"name":"n\"1"}}})");
  EXPECT_EQ(Lines().at(2), R"({"atMs":0,"type":"delete","object":{"apiVersion":"v1","kind":"Pod",)"
                           R"("metadata":{"namespace":"a\\b","name":"p\n"}}})");
}

TEST_F(EventRecorderTest, WhatCannotBeReadIsSaidAndNotRecorded) {
  const auto said = Say(true, "n", "many");
  ASSERT_FALSE(said);
  EXPECT_THAT(said.error().message, HasSubstr("cpu"));
  EXPECT_THAT(said.error().message, HasSubstr("not recorded"));
  EXPECT_EQ(next_.calls, 1);
  // It begins when it can be read.
  EXPECT_FALSE(Say(false, "n", "more"));
  ASSERT_TRUE(Say(false, "n", "4"));
  EXPECT_FALSE(Say(false, "n", "many"));
  ASSERT_TRUE(Say(false, "n", "5"));
  recorder_.OnRemove(nodes_, "", "n");
  EXPECT_THAT(Lines(),
              ElementsAre(StartsWith(R"({"atMs":0,"type":"add",)"), StartsWith(R"({"atMs":0,"type":"update",)"),
                          StartsWith(R"({"atMs":0,"type":"delete",)")));
  EXPECT_EQ(recorder_.events(), 3U);
}

TEST_F(EventRecorderTest, WhatHasNeverBeenRecordedIsNotDeleted) {
  EXPECT_FALSE(Say(true, "n", "many"));
  recorder_.OnRemove(nodes_, "", "n");
  EXPECT_EQ(next_.calls, 2);
  EXPECT_THAT(Lines(), ElementsAre());
}

TEST_F(EventRecorderTest, WhatComesNextIsHeard) {
  next_.refuses = true;
  const auto said = Say(true, "n", "4");
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().message, "no");
  EXPECT_EQ(Lines().size(), 1U);
}

}  // namespace
}  // namespace ksched::kube
