// The parts of --watch: when it answers, what it prints of an answer, and what it tells of trouble.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "app/cli/answer_printer.h"
#include "app/cli/answer_times.h"
#include "app/cli/trouble_teller.h"

namespace ksched::cli {
namespace {

using std::chrono::milliseconds;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class AnswerTimesTest : public testing::Test {
 protected:
  // How long it takes until it is time, with `changes` from now on.
  milliseconds Until(uint64_t changes) {
    const auto start = now_;
    while (!times_.IsTime(changes, now_) && now_ - start < std::chrono::minutes(10)) now_ += milliseconds(50);
    return std::chrono::duration_cast<milliseconds>(now_ - start);
  }
  void Answer(bool failed, milliseconds duration = milliseconds(0)) {
    times_.Answered(now_, now_ + duration, failed);
    now_ += duration;
  }

  AnswerTimes times_;
  AnswerTimes::TimePoint now_{std::chrono::hours(5)};
};

TEST_F(AnswerTimesTest, AfterChangesOnly) {
  Answer(false);
  EXPECT_EQ(Until(0), std::chrono::minutes(10));
  EXPECT_EQ(Until(1), milliseconds(200));
  Answer(false, milliseconds(1000));
  EXPECT_EQ(Until(1), milliseconds(3000));
}

TEST_F(AnswerTimesTest, NotForEverUntilItIsQuiet) {
  Answer(false);
  uint64_t changes = 1;
  const auto start = now_;
  while (!times_.IsTime(changes++, now_)) now_ += milliseconds(50);
  EXPECT_EQ(now_ - start, milliseconds(2000));
}

TEST_F(AnswerTimesTest, AfterAFailureAlsoWithoutChanges) {
  Answer(true);
  for (const int seconds : {1, 2, 4, 8, 16, 30, 30}) {
    const milliseconds waited = Until(0);
    EXPECT_GE(waited, std::chrono::seconds(seconds));
    EXPECT_LE(waited, std::chrono::seconds(2 * seconds) + milliseconds(50));
    Answer(true);
  }
  EXPECT_EQ(Until(1), milliseconds(200));
  Answer(false);
  EXPECT_EQ(Until(0), std::chrono::minutes(10));
  Answer(true);
  EXPECT_LE(Until(0), milliseconds(2050));
}

class AnswerPrinterTest : public testing::Test {
 protected:
  // What an answer prints: to standard output, and to standard error.
  std::pair<std::string, std::string> Print(int status, const std::string& out, const std::string& err,
                                            const ObjectStore::Changes& changes = {1, {"Node n"}}) {
    out_.str("");
    err_.str("");
    printer_.Print(status, out, err, changes);
    return {out_.str(), err_.str()};
  }

  std::ostringstream out_, err_;
  Streams streams_{out_, err_};
  AnswerPrinter printer_{streams_, OutputFormat::kYaml};
};

using Printed = std::pair<std::string, std::string>;

TEST_F(AnswerPrinterTest, AnotherAnswerAndWhatHadChanged) {
  EXPECT_EQ(Print(kExitSuccess, "a\n", "note\n"), Printed("a\n", "note\n"));
  EXPECT_EQ(Print(kExitSuccess, "a\n", "note\n"), Printed("", ""));
  const auto [out, err] = Print(kExitNotPlaced, "b\n", "note\n", {5, {"Node n", "Pod d/p", "Pod d/q"}});
  EXPECT_EQ(out, "---\nb\n");
  EXPECT_THAT(err, ContainsRegex("^[0-9:]* after Node n, Pod d/p, Pod d/q and more .5 changes.\n$"));
}

TEST_F(AnswerPrinterTest, NoAnswerLeavesTheOneOfBefore) {
  EXPECT_EQ(Print(kExitSuccess, "a\n", ""), Printed("a\n", ""));
  for (const int status : {kExitUsage, kExitCluster}) {
    const auto [out, err] = Print(status, "", "error: no\n");
    EXPECT_EQ(out, "");
    EXPECT_THAT(err, ContainsRegex("after Node n\nerror: no\n$"));
    EXPECT_EQ(Print(status, "", "error: no\n", {}), Printed("", ""));
    const auto [out_again, err_again] = Print(kExitSuccess, "a\n", "", {});
    EXPECT_EQ(out_again, "");
    EXPECT_THAT(err_again, ContainsRegex("^[0-9:]* asked again\nthe answer is the one of before\n$"));
  }
  Print(kExitCluster, "", "error: no\n");
  EXPECT_EQ(Print(kExitNotPlaced, "b\n", "").first, "---\nb\n");
}

class TroubleTellerTest : public testing::Test {
 protected:
  TroubleTellerTest() : statuses_(2) {
    nodes_.resource = kube::FindResource("", "nodes");
    limits_.resource = kube::FindResource("", "limitranges");
  }
  // What is told of the statuses as they are.
  std::string Tell() {
    err_.str("");
    changes_ = teller_.Tell(statuses_);
    return err_.str();
  }
  void Fail(kube::ReflectorStatus& status, const std::string& message,
            kube::ErrorKind kind = kube::ErrorKind::kForbidden) {
    status.watching = false;
    ++status.errors;
    status.last_error = kube::ApiError{.kind = kind, .message = message};
  }

  std::vector<kube::ReflectorStatus> statuses_;
  kube::ReflectorStatus &nodes_ = statuses_[0], &limits_ = statuses_[1];
  std::ostringstream err_;
  TroubleTeller teller_{err_};
  std::vector<std::string> changes_;
};

TEST_F(TroubleTellerTest, WhatFailsIsToldOnceAndOnceMoreWhenItIsBack) {
  EXPECT_EQ(Tell(), "");
  Fail(nodes_, "away", kube::ErrorKind::kUnreachable);
  EXPECT_EQ(Tell(), "warning: nodes: away: trying again\n");
  Fail(nodes_, "broken", kube::ErrorKind::kTruncated);
  EXPECT_EQ(Tell(), "");
  Fail(nodes_, "no", kube::ErrorKind::kForbidden);
  EXPECT_EQ(Tell(), "warning: nodes: no: trying again\n");
  Fail(nodes_, "away", kube::ErrorKind::kUnreachable);
  EXPECT_EQ(Tell(), "");
  nodes_.synced = nodes_.watching = true;
  EXPECT_EQ(Tell(), "nodes: watched again\n");
  Fail(nodes_, "nodes is forbidden");
  EXPECT_EQ(Tell(), "warning: nodes: nodes is forbidden: trying again, and going on with what was there before\n");
  Fail(nodes_, "nodes is forbidden");
  EXPECT_EQ(Tell(), "");
  nodes_.watching = true;
  EXPECT_EQ(Tell(), "nodes: watched again\n");
  EXPECT_THAT(changes_, IsEmpty());
}

TEST_F(TroubleTellerTest, WhatIsAbsentFromTheStartIsNotTold) {
  limits_.last_error = kube::ApiError{.kind = kube::ErrorKind::kForbidden, .message = "no"};
  limits_.absent = kube::Absence::kForbidden;
  limits_.synced = true;
  EXPECT_EQ(Tell(), "");
  EXPECT_THAT(changes_, IsEmpty());
  limits_.absent = kube::Absence::kNo;
  EXPECT_EQ(Tell(), "limitranges: can be listed now\n");
  EXPECT_THAT(changes_, ElementsAre("limitranges can be listed"));
  EXPECT_EQ(Tell(), "");
  EXPECT_THAT(changes_, IsEmpty());
}

TEST_F(TroubleTellerTest, WhatIsGoneIsTold) {
  nodes_.synced = nodes_.watching = true;
  EXPECT_EQ(Tell(), "");
  Fail(nodes_, "404");
  EXPECT_THAT(Tell(), HasSubstr("trying again"));
  nodes_.absent = kube::Absence::kNotFound;
  EXPECT_EQ(Tell(), "warning: nodes: 404: all of them count as gone\n");
  EXPECT_THAT(changes_, ElementsAre("nodes cannot be listed"));
  nodes_.absent = kube::Absence::kNo;
  EXPECT_EQ(Tell(), "nodes: can be listed now\n");
  EXPECT_THAT(changes_, ElementsAre("nodes can be listed"));
}

TEST_F(TroubleTellerTest, WhatCannotBeReadIsTold) {
  nodes_.refused = 3;
  nodes_.last_refusal = "Node n: cpu";
  EXPECT_EQ(Tell(), "warning: nodes: Node n: cpu (and 2 more)\n");
  nodes_.refused = 4;
  EXPECT_EQ(Tell(), "");
  nodes_.refused = 5;
  nodes_.last_refusal = "nodes: Node m: cpu";
  EXPECT_EQ(Tell(), "warning: nodes: Node m: cpu\n");
}

TEST_F(TroubleTellerTest, WhatIsMissing) {
  teller_.TellMissing(statuses_);
  EXPECT_EQ(err_.str(), "still waiting for the lists of nodes, limitranges\n");
  err_.str("");
  nodes_.synced = limits_.synced = true;
  teller_.TellMissing(statuses_);
  EXPECT_EQ(err_.str(), "");
}

}  // namespace
}  // namespace ksched::cli
