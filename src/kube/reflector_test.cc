#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "kube/watch_harness.h"

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kPods = "/api/v1/pods?watch=true&allowWatchBookmarks=true";

// Each of them with both encodings.
class Reflector : public testing::TestWithParam<bool> {
 protected:
  bool json() const { return GetParam(); }
  TestEvents events() const { return TestEvents(json()); }
  ReflectorOptions Pages() const { return QuickReflectors(/*streaming=*/false, json()); }
  ReflectorOptions Streams() const { return QuickReflectors(/*streaming=*/true, json()); }
  std::string Pod(const std::string& type, const std::string& name, const std::string& version) const {
    return events().Object(type, name, version);
  }
};

INSTANTIATE_TEST_SUITE_P(Encodings, Reflector, testing::Bool(),
                         [](const auto& info) { return info.param ? "json" : "protobuf"; });

TEST_P(Reflector, ListsAndWatchesFromThere) {
  ScriptedServer server(
      InTurn({events().List({"a", "b"}, "7"), events().Open(Pod("ADDED", "c", "8") + Pod("MODIFIED", "b", "9") +
                                                            Pod("DELETED", "a", "10") + events().Bookmark("12"))}));
  Watching watching(server, Pages());
  ASSERT_TRUE(watching.Until([&] { return watching.status().bookmarks == 1; }));
  EXPECT_THAT(watching.sink.log, ElementsAre("begin", "list a", "list b", "end", "add c", "modify b", "delete a"));
  const ReflectorStatus& status = watching.status();
  EXPECT_TRUE(status.synced && status.watching && status.last_event);
  EXPECT_EQ(status.resource_version, "12");
  EXPECT_EQ(status.version, "v1");
  EXPECT_EQ(status.listed, 2U);
  EXPECT_EQ(status.events, 3U);
  EXPECT_EQ(status.lists, 1U);
  EXPECT_EQ(status.watches, 1U);
  EXPECT_EQ(status.relists + status.errors + status.refused + status.stalls, 0U);
  const auto seen = server.seen();
  EXPECT_EQ(seen[0].target, "/api/v1/pods?limit=500&resourceVersion=0");
  EXPECT_THAT(seen[1].target, StartsWith(std::string(kPods) + "&resourceVersion=7&timeoutSeconds="));
  const int seconds = std::stoi(seen[1].target.substr(seen[1].target.rfind('=') + 1));
  EXPECT_TRUE(seconds >= 300 && seconds < 600) << seconds;
  EXPECT_EQ(seen[1].Value("accept"),
            json() ? "application/json" : "application/vnd.kubernetes.protobuf;stream=watch,application/json");
}

// In the middle of a watch, of a list and of waiting.
TEST_P(Reflector, ListsAnewWhenItIsAsked) {
  ScriptedServer server(
      InTurn({events().List({"a", "b"}, "7"), events().Open(Pod("ADDED", "c", "8")), Reply{.hang = true},
              events().List({"a", "d"}, "9"), StatusAnswer(500, "InternalError", "etcd"), events().List({"e"}, "11"),
              events().Open(Pod("ADDED", "f", "12"))}));
  ReflectorOptions options = Pages();
  options.backoff.first = options.backoff.cap = std::chrono::minutes(1);
  Watching watching(server, options);
  const auto asked = [&](size_t requests) { return watching.Until([&] { return server.seen().size() == requests; }); };
  ASSERT_TRUE(watching.UntilPods({"a", "b", "c"}));
  watching.Relist();
  EXPECT_FALSE(watching.status().synced);
  EXPECT_THAT(watching.sink.names["pods"], ElementsAre("a", "b", "c"));
  ASSERT_TRUE(asked(3));
  watching.Relist();
  ASSERT_TRUE(watching.UntilPods({"a", "d"}));
  ASSERT_TRUE(asked(5) && watching.Until([&] { return watching.status().errors == 1; }));
  watching.Relist();
  ASSERT_TRUE(watching.UntilPods({"e", "f"}));
  EXPECT_THAT(server.seen()[5].target, testing::Not(HasSubstr("resourceVersion=0")));
}

TEST_P(Reflector, StreamsTheListWhereTheServerCan) {
  ScriptedServer server(
      InTurn({events().Open(Pod("ADDED", "b", "5") + Pod("ADDED", "a", "3") + events().Bookmark("6") +
                            Pod("ADDED", "a", "8") + Pod("MODIFIED", "b", "9") + Pod("ADDED", "x", "10") +
                            Pod("DELETED", "x", "11") + events().Bookmark("12", true) + Pod("MODIFIED", "a", "13"))}));
  Watching watching(server, Streams());
  ASSERT_TRUE(watching.Until([&] { return watching.status().resource_version == "13"; }));
  EXPECT_THAT(watching.sink.log,
              ElementsAre("begin", "list b", "list a", "list a", "list b", "list x", "delete x", "end", "modify a"));
  EXPECT_THAT(watching.sink.names["pods"], ElementsAre("a", "b"));
  EXPECT_TRUE(watching.status().watching);
  EXPECT_THAT(server.seen().at(0).target,
              StartsWith(std::string(kPods) +
                         "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=&timeoutSeconds="));
  EXPECT_EQ(server.seen().size(), 1U);
}

TEST_P(Reflector, CutAnywhereTheSameIsSeenInTheEnd) {
  const std::vector<std::string> parts{Pod("ADDED", "a", "3"),   events().Bookmark("4", true), Pod("ADDED", "b", "5"),
                                       Pod("DELETED", "a", "6"), events().Bookmark("7"),       Pod("ADDED", "c", "8")};
  std::string body;
  for (const std::string& part : parts) body += part;
  std::atomic<size_t> cut = 0;
  std::atomic<bool> whole = false;
  // The first stream breaks off; what is asked then goes on behind what came whole.
  ScriptedServer server([&](const SeenRequest& request, size_t) {
    if (!whole.exchange(true)) return events().Broken(body.substr(0, cut));
    if (IsStreamedList(request)) return events().Open(body);
    const size_t version = request.target.find("resourceVersion=") + 16;
    std::string rest;
    for (size_t i = std::stoul(request.target.substr(version)) - 2; i < parts.size(); ++i) rest += parts[i];
    return events().Open(rest);
  });
  for (; cut <= body.size(); ++cut) {
    whole = false;
    Watching watching(server, Streams());
    ASSERT_TRUE(watching.UntilPods({"b", "c"})) << cut;
    const auto& log = watching.sink.log;
    const auto begin = std::find(log.rbegin(), log.rend(), "begin").base();
    ASSERT_THAT(std::vector<std::string>(begin, log.end()), ElementsAre("list a", "end", "add b", "delete a", "add c"))
        << cut;
  }
}

TEST_P(Reflector, DeletionsAreFoundByAbsenceAfter410) {
  for (const bool at_start : {true, false}) {
    const Reply expired = at_start ? StatusAnswer(410, "Expired", "too old resource version")
                                   : events().Open(events().Error(410, "Expired"));
    ScriptedServer server(InTurn({events().List({"a", "b"}, "7"), expired, events().List({"b", "c"}, "20"),
                                  events().Open(Pod("ADDED", "d", "21"))}));
    Watching watching(server, Pages());
    ASSERT_TRUE(watching.UntilPods({"b", "c", "d"}));
    EXPECT_EQ(watching.status().relists, 1U);
    EXPECT_EQ(watching.status().errors, 1U);
    EXPECT_EQ(watching.status().last_error->kind, ErrorKind::kExpired);
    EXPECT_EQ(server.seen()[2].target, "/api/v1/pods?limit=500");  // the newest
    EXPECT_THAT(server.seen()[3].target, HasSubstr("resourceVersion=20&"));
  }
}

TEST_P(Reflector, TroubleInAStreamIsWaitedOutAndTheWatchResumed) {
  const std::vector<std::string> troubles{events().Error(429, "TooManyRequests"), events().Error(500, "InternalError"),
                                          events().Error(504, "Timeout"),
                                          std::string(json() ? "]" : "\xff\xff\xff\xff"),
                                          std::string(json() ? "{\"type\":\"ADDED\"}" : std::string(4, '\0'))};
  for (const std::string& trouble : troubles) {
    ScriptedServer server(InTurn({events().List({}, "7"), events().Open(Pod("ADDED", "a", "8") + trouble),
                                  events().Open(Pod("ADDED", "b", "9"))}));
    Watching watching(server, Pages());
    ASSERT_TRUE(watching.UntilPods({"a", "b"}));
    EXPECT_THAT(watching.sink.log, ElementsAre("begin", "end", "add a", "add b"));
    EXPECT_THAT(server.seen().at(2).target, HasSubstr("resourceVersion=8&"));
    EXPECT_EQ(watching.status().errors, 1U);
    EXPECT_EQ(watching.status().lists, 1U);
  }
}

TEST_P(Reflector, TroubleAtTheStartOfAWatchIsWaitedOut) {
  const std::vector<Reply> troubles{StatusAnswer(429, "TooManyRequests", "slower", "Retry-After: 1\r\n"),
                                    StatusAnswer(500, "InternalError", "no"),
                                    Answer(503, "", "text/plain", "Retry-After: 1\r\n"),
                                    Answer(200, "<html>", "text/html"),
                                    Reply{.close = true},
                                    Reply{.reset = true},
                                    events().Ended("")};
  for (const Reply& trouble : troubles) {
    ScriptedServer server(InTurn({events().List({}, "7"), trouble, trouble, events().Open(Pod("ADDED", "a", "8"))}));
    Watching watching(server, Pages());
    ASSERT_TRUE(watching.UntilPods({"a"})) << trouble.bytes;
    EXPECT_GE(watching.status().errors, 1U);  // curl itself asks again where an idle connection was closed
    EXPECT_EQ(watching.status().lists, 1U);
    EXPECT_EQ(server.seen().size(), 4U);
  }
}

TEST_P(Reflector, AServerThatEndsAWatchIsAskedAgainAtOnce) {
  ScriptedServer server(InTurn({events().List({}, "7"), events().Ended(Pod("ADDED", "a", "8")),
                                events().Ended(events().Bookmark("15")), events().Open(Pod("ADDED", "b", "16"))}));
  Watching watching(server, Pages());
  ASSERT_TRUE(watching.UntilPods({"a", "b"}));
  EXPECT_EQ(watching.status().errors, 0U);
  EXPECT_EQ(watching.status().watches, 3U);
  EXPECT_THAT(server.seen()[3].target, HasSubstr("resourceVersion=15&"));
}

TEST_P(Reflector, StreamsThatCannotBeReadAgainAndAgainAreListedAnew) {
  const Reply broken = events().Open(json() ? "]" : "\xff\xff\xff\xff");
  ScriptedServer server(InTurn({events().List({"a"}, "7"), broken, broken, broken, events().List({"b"}, "8")}));
  Watching watching(server, Pages());
  ASSERT_TRUE(watching.UntilPods({"b"}));
}

TEST_P(Reflector, StreamsThatTheServerBreaksOffAgainAndAgainAreListedAnew) {
  // What it says before the error is no news.
  for (const std::string& before : {std::string(), Pod("MODIFIED", "a", "7"), events().Bookmark("7")}) {
    const Reply broken = events().Open(before + events().Error(500, "InternalError"));
    ScriptedServer server(InTurn({events().List({"a"}, "7"), broken, broken, broken, events().List({"b"}, "8")}));
    Watching watching(server, Pages());
    ASSERT_TRUE(watching.UntilPods({"b"}));
    EXPECT_THAT(server.seen().at(3).target, HasSubstr("resourceVersion=7&"));
  }
}

TEST_P(Reflector, StreamsThatGetOnAreNotListedAnew) {
  std::deque<Reply> replies{events().List({}, "1")};
  for (int version = 2; version < 8; ++version) {
    replies.push_back(
        events().Open(Pod("MODIFIED", "a", std::to_string(version)) + events().Error(500, "InternalError")));
  }
  replies.push_back(events().Open(Pod("ADDED", "b", "9")));
  ScriptedServer server(InTurn(std::move(replies)));
  Watching watching(server, Pages());
  ASSERT_TRUE(watching.UntilPods({"a", "b"}));
  EXPECT_EQ(watching.status().lists, 1U);
}

TEST_P(Reflector, AWatchThatEndsWithoutNewsIsNotBegunAnewAtOnce) {
  ReflectorOptions options = Pages();
  options.backoff.first = milliseconds(30);
  for (const std::string& old : {Pod("MODIFIED", "a", "7"), Pod("MODIFIED", "a", ""), events().Bookmark("7")}) {
    ScriptedServer server([&](const SeenRequest& request, size_t) {
      return IsWatch(request) ? events().Ended(old) : events().List({"a"}, "7");
    });
    Watching watching(server, options);
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(watching.Until([&] { return watching.status().watches == 5; }));
    EXPECT_GE(std::chrono::steady_clock::now() - start, 4 * milliseconds(30));
    EXPECT_EQ(watching.status().lists, 1U);
    EXPECT_EQ(watching.status().errors, 0U);
  }
}

TEST_P(Reflector, VersionsThatTheServerHasNotGotAreListedAnew) {
  ScriptedServer server(
      InTurn({events().List({"a"}, "700"), events().Open(events().Error(504, "Timeout", "ResourceVersionTooLarge")),
              events().List({"b"}, "8"), events().Open("")}));
  Watching watching(server, Pages());
  ASSERT_TRUE(watching.UntilPods({"b"}));
  EXPECT_EQ(server.seen()[2].target, "/api/v1/pods?limit=500");
  EXPECT_EQ(watching.status().relists, 1U);
}

TEST_P(Reflector, ServersWithoutStreamedListsAreNotAskedForThemAgain) {
  for (const int code : {400, 422}) {
    ScriptedServer server([&](const SeenRequest& request, size_t) {
      if (IsStreamedList(request)) return StatusAnswer(code, "Invalid", "sendInitialEvents: Forbidden");
      if (!IsWatch(request)) return events().List({"a"}, "7");
      return request.target.find("resourceVersion=7&") != std::string::npos
                 ? events().Ended(events().Error(410, "Expired"))
                 : events().Open("");
    });
    Watching watching(server, Streams());
    ASSERT_TRUE(watching.Until([&] { return watching.status().relists == 3; }));
    int streamed = 0;
    for (const SeenRequest& request : server.seen()) streamed += IsStreamedList(request) ? 1 : 0;
    EXPECT_EQ(streamed, 1);
  }
}

TEST_P(Reflector, StreamedListsThatBreakOffStartAnewAndThenComeInPages) {
  ScriptedServer server([&](const SeenRequest& request, size_t) {
    if (IsStreamedList(request)) return events().Broken(Pod("ADDED", "a", "3"));
    return IsWatch(request) ? events().Open("") : events().List({"b"}, "7");
  });
  Watching watching(server, Streams());
  ASSERT_TRUE(watching.UntilPods({"b"}));
  EXPECT_THAT(watching.sink.log,
              ElementsAre("begin", "list a", "begin", "list a", "begin", "list a", "begin", "list b", "end"));
}

TEST_P(Reflector, AStreamedListWithoutEndGivesWayToPages) {
  ReflectorOptions options = Streams();
  options.initial_deadline = milliseconds(20);
  ScriptedServer server([&](const SeenRequest& request, size_t) {
    if (IsStreamedList(request)) return events().Open(Pod("ADDED", "a", "3"));
    return IsWatch(request) ? events().Open("") : events().List({"b"}, "7");
  });
  Watching watching(server, options);
  ASSERT_TRUE(watching.UntilPods({"b"}));
  EXPECT_EQ(watching.status().stalls, 1U);
}

// Bookmarks come, and changes, but none says that the list is whole.
TEST_P(Reflector, AStreamedListThatIsNeverSaidToEndGivesWayToPages) {
  ReflectorOptions options = Streams();
  options.initial_deadline = milliseconds(100);
  const std::string again = events().Bookmark("6") + Pod("MODIFIED", "a", "7");
  ScriptedServer server([&](const SeenRequest& request, size_t) {
    if (!IsStreamedList(request)) return IsWatch(request) ? events().Open("") : events().List({"b"}, "7");
    Reply reply = events().Broken(Pod("ADDED", "a", "3"));
    for (int i = 0; i < 500; ++i) reply.bytes += TestEvents::Chunk(again);
    reply.piece = 64;
    return reply;
  });
  Watching watching(server, options);
  ASSERT_TRUE(watching.UntilPods({"b"}));
  EXPECT_EQ(watching.status().stalls, 1U);
}

TEST_P(Reflector, WhatTheSinkCannotTakeIsPassedOver) {
  ScriptedServer server(
      InTurn({events().List({"a", "bad", "b"}, "7"),
              events().Open(Pod("ADDED", "bad", "8") + Pod("OTHER", "o", "9") + Pod("ADDED", "c", "10"))}));
  ReflectorOptions options = Pages();
  Watching watching(server, options);
  watching.sink.refuse = "bad";
  ASSERT_TRUE(watching.UntilPods({"a", "b", "c"}));
  EXPECT_EQ(watching.status().refused, 3U);
  EXPECT_THAT(watching.status().last_refusal, HasSubstr("OTHER"));
  EXPECT_EQ(watching.status().resource_version, "10");
}

TEST_P(Reflector, AStreamInWhichNothingComesIsBegunAnew) {
  ReflectorOptions options = Pages();
  options.read_deadline = milliseconds(250);  // on a busy machine an answer takes its time
  ScriptedServer server(
      InTurn({events().List({}, "7"), events().Open(events().Bookmark("9")), events().Open(Pod("ADDED", "a", "10")),
              events().Open(""), events().Open(""), events().List({"b"}, "3"), events().Open("")}));
  Watching watching(server, options);
  // Where there are bookmarks and then nothing at all, the server may never have had this version.
  ASSERT_TRUE(watching.UntilPods({"b"}));
  EXPECT_THAT(watching.sink.log, ElementsAre("begin", "end", "add a", "begin", "list b", "end"));
  EXPECT_THAT(server.seen()[2].target, HasSubstr("resourceVersion=9&"));
  EXPECT_EQ(watching.status().relists, 1U);
}

}  // namespace
}  // namespace ksched::kube
