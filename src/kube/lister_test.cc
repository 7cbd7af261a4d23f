#include "kube/lister.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "kube/api_requests.h"
#include "kube/http_test_util.h"
#include "kube/list_test_util.h"

namespace ksched::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";
using Outcome = ListResult::Outcome;

class NameSink final : public ListSink {
 public:
  Result<void> OnItem(const ListedFrom& from, std::string_view protobuf) override {
    return Add(from, NameOfProtobuf(protobuf));
  }
  Result<void> OnDocument(const ListedFrom& from, const api::Document& document) override {
    return Add(from, std::string("json ") + document.root()["metadata"]["name"].GetString());
  }
  void OnRestart(const ListedFrom& from) override {
    ++restarts;
    names[from.resource().plural].clear();
  }

  std::map<std::string_view, std::vector<std::string>> names;
  int restarts = 0;
  std::string refuse;

 private:
  Result<void> Add(const ListedFrom& from, const std::string& name) {
    if (name == refuse) return Error{"pod " + name + " is refused"};
    names[from.resource().plural].push_back(name);
    return {};
  }
};

struct Listed {
  std::vector<ListResult> results;
  NameSink sink;
  std::vector<ListProgress> progress;
  std::vector<std::string> pods() { return sink.names["pods"]; }
};

ListOptions Quick() { return {.page_size = 2, .retry_delay = std::chrono::milliseconds(1)}; }

Listed List(const ScriptedServer& server, std::vector<std::pair<std::string_view, std::string_view>> resources,
            const ListOptions& options = Quick(), const std::string& refuse = "") {
  Listed listed;
  listed.sink.refuse = refuse;
  std::vector<ListRequest> requests;
  for (const auto& [group, plural] : resources) requests.push_back({.resource = FindResource(group, plural)});
  const auto client = MakeClient(ConfigFor(server.url()));
  listed.results = ListAll(*client, requests, options, listed.sink,
                           [&](const ListProgress& progress) { listed.progress.push_back(progress); });
  return listed;
}

Reply Page(const TestList& list) { return Answer(200, ProtobufList(list), kProtobuf); }

// Answers in turns.
ScriptedServer::Script InTurn(std::deque<Reply> replies) {
  return [replies = std::move(replies)](const SeenRequest&, size_t nth) {
    return nth < replies.size() ? replies[nth] : StatusAnswer(400, "BadRequest", "nobody should ask this");
  };
}

const std::vector<std::pair<std::string_view, std::string_view>> kPods{{"", "pods"}};

TEST(Lister, ReadsPagesAndSaysWhereAWatchGoesOn) {
  ScriptedServer server(InTurn({Page({{"a", "b"}, "7", "next=1/"}), Page({{"c"}, "7", ""})}));
  Listed listed = List(server, kPods);
  ASSERT_EQ(listed.results.at(0).outcome, Outcome::kOk) << listed.results[0].error->message;
  EXPECT_THAT(listed.pods(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(listed.results[0].resource_version, "7");
  EXPECT_EQ(listed.results[0].version, "v1");
  EXPECT_EQ(listed.results[0].count, 3U);
  EXPECT_EQ(listed.progress.back().pages, 2U);
  EXPECT_EQ(listed.progress.back().items, 3U);
  EXPECT_EQ(listed.progress.back().lists_done, 1U);
  EXPECT_EQ(server.seen()[0].target, "/api/v1/pods?limit=2");
  EXPECT_EQ(server.seen()[1].target, "/api/v1/pods?limit=2&continue=next%3D1%2F");
  EXPECT_EQ(server.seen()[0].Value("accept"), "application/vnd.kubernetes.protobuf,application/json");
}

TEST(Lister, FromTheCacheOnTheFirstPageOnly) {
  ScriptedServer server(InTurn({Page({{"a"}, "7", "x"}), Page({{"c"}, "7", ""})}));
  const auto client = MakeClient(ConfigFor(server.url()));
  const std::vector<ListRequest> requests{{.resource = FindResource("", "pods"), .from_cache = true}};
  NameSink sink;
  EXPECT_EQ(ListAll(*client, requests, Quick(), sink, {}).at(0).outcome, Outcome::kOk);
  EXPECT_EQ(server.seen()[1].target, "/api/v1/pods?limit=2&continue=x");
  EXPECT_EQ(server.seen()[0].target, "/api/v1/pods?limit=2&resourceVersion=0");
}

TEST(Lister, JsonWhereItIsWanted) {
  ScriptedServer server(InTurn({Answer(200, JsonList({{"a", "b"}, "9"}), "application/json")}));
  const auto client = MakeClient(ConfigFor(server.url()));
  const std::vector<ListRequest> requests{{.resource = FindResource("", "pods"), .json = true}};
  NameSink sink;
  EXPECT_EQ(ListAll(*client, requests, Quick(), sink, {}).at(0).outcome, Outcome::kOk);
  EXPECT_EQ(server.seen()[0].Value("accept"), "application/json");
}

TEST(Lister, SelectorsAndNamespaces) {
  ScriptedServer server(InTurn({Page({{}, "7", ""})}));
  const auto client = MakeClient(ConfigFor(server.url()));
  const std::vector<ListRequest> requests{{.resource = FindResource("", "pods"),
                                           .ns = "a/b",
                                           .label_selector = "app in (a,b)",
                                           .field_selector = "spec.nodeName="}};
  NameSink sink;
  EXPECT_EQ(ListAll(*client, requests, {}, sink, {}).at(0).outcome, Outcome::kOk);
  EXPECT_EQ(server.seen()[0].target,
            "/api/v1/namespaces/a%2Fb/pods?limit=500&labelSelector=app%20in%20%28a%2Cb%29&fieldSelector="
            "spec.nodeName%3D");
}

TEST(Lister, ReadsJsonAsTheServerAnswers) {
  ScriptedServer server(InTurn({Answer(200, JsonList({{"a", "b"}, "9"}), "application/json; charset=utf-8")}));
  Listed listed = List(server, kPods);
  EXPECT_THAT(listed.pods(), ElementsAre("json a", "json b"));
  EXPECT_EQ(listed.results[0].resource_version, "9");
}

TEST(Lister, BodiesMayBeCutAnywhere) {
  const std::string body = ProtobufList({{"alpha", "beta", "gamma"}});
  for (size_t piece : {1, 2, 3, 5, 11}) {
    ScriptedServer server(InTurn({Chunked(body, piece, kProtobuf).InPieces(piece + 2)}));
    EXPECT_THAT(List(server, kPods).pods(), ElementsAre("alpha", "beta", "gamma"));
  }
}

Reply CutOff(const TestList& list, size_t missing) {
  Reply reply = Page(list);
  reply.bytes.resize(reply.bytes.size() - missing);
  return std::move(reply).Close();
}

TEST(Lister, APageThatBreaksOffIsReadAgain) {
  // The first page once more from its beginning; the second goes on behind what was given.
  ScriptedServer server(InTurn({CutOff({{"a", "bbbbbb"}, "7", "x"}, 8), Page({{"a2", "b2"}, "8", "y"}),
                                CutOff({{"c", "d", "eeeeee"}, "8", ""}, 8), CutOff({{"c", "d", "eeeeee"}, "8", ""}, 30),
                                Page({{"c", "d", "eeeeee"}, "8", ""})}));
  Listed listed = List(server, kPods);
  ASSERT_EQ(listed.results.at(0).outcome, Outcome::kOk) << listed.results[0].error->message;
  EXPECT_THAT(listed.pods(), ElementsAre("a2", "b2", "c", "d", "eeeeee"));
  EXPECT_EQ(listed.sink.restarts, 1);
  EXPECT_EQ(listed.results[0].count, 5U);
  EXPECT_EQ(listed.results[0].resource_version, "8");
  EXPECT_EQ(listed.progress.back().items, 5U);
}

TEST(Lister, ABodyThatEndsTooEarlyCountsAsBrokenOff) {
  std::string body = ProtobufList({{"a", "bbbbbbbbbb"}});
  body.resize(body.size() - 6);
  ScriptedServer server([&](const SeenRequest&, size_t) { return Answer(200, body, kProtobuf); });
  Listed listed = List(server, kPods);
  EXPECT_EQ(listed.results[0].outcome, Outcome::kError);
  EXPECT_EQ(listed.results[0].error->kind, ErrorKind::kTruncated);
  EXPECT_THAT(listed.results[0].error->message, HasSubstr("cannot read the list of pods"));
  EXPECT_EQ(server.seen().size(), 4U);
}

TEST(Lister, ExpiredListsStartAgain) {
  ScriptedServer server(InTurn({Page({{"a"}, "7", "x"}), StatusAnswer(410, "Expired", "too old"),
                                Page({{"a", "b"}, "8", "y"}), Page({{"c"}, "8", ""})}));
  Listed listed = List(server, kPods);
  ASSERT_EQ(listed.results.at(0).outcome, Outcome::kOk);
  EXPECT_THAT(listed.pods(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(listed.sink.restarts, 1);
  EXPECT_EQ(server.seen()[2].target, "/api/v1/pods?limit=2");
}

TEST(Lister, ListsThatExpireAgainAndAgainAreReadAtOnce) {
  ScriptedServer server([](const SeenRequest& request, size_t) {
    if (request.target == "/api/v1/pods") return Page({{"a", "b", "c"}, "9", ""});
    return request.target.find("continue") == std::string::npos ? Page({{"a"}, "7", "x"})
                                                                : StatusAnswer(410, "Expired", "too old");
  });
  Listed listed = List(server, kPods);
  ASSERT_EQ(listed.results.at(0).outcome, Outcome::kOk);
  EXPECT_THAT(listed.pods(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(listed.sink.restarts, 4);
  EXPECT_EQ(server.seen().size(), 9U);
}

TEST(Lister, PagesThatDoNotGoOnEnd) {
  ScriptedServer server([](const SeenRequest&, size_t) { return Page({{"a"}, "7", "x"}); });
  Listed listed = List(server, kPods);
  EXPECT_EQ(listed.results.at(0).outcome, Outcome::kError);
  EXPECT_LT(server.seen().size(), 20U);
}

TEST(Lister, PagesThatLeadRoundInACircleEnd) {
  ScriptedServer server([](const SeenRequest& request, size_t) {
    const bool at_b = request.target.ends_with("continue=b");
    return Page({{"a"}, "7", at_b ? "c" : request.target.ends_with("continue=c") ? "d" : "b"});
  });
  Listed listed = List(server, kPods);
  EXPECT_EQ(listed.results.at(0).outcome, Outcome::kError);
  EXPECT_THAT(listed.results[0].error->message, HasSubstr("pages do not go on"));
  EXPECT_LT(server.seen().size(), 30U);
}

TEST(Lister, MayBeInterrupted) {
  ScriptedServer server([](const SeenRequest& request, size_t) {
    return request.target.starts_with("/api/v1/pods") ? Page({{"a"}, "7", ""}) : Reply{.hang = true};
  });
  const auto client = MakeClient(ConfigFor(server.url()));
  const std::vector<ListRequest> requests{{.resource = FindResource("", "pods")},
                                          {.resource = FindResource("", "nodes")}};
  NameSink sink;
  client->StopWhen([&] { return !sink.names["pods"].empty(); });
  const auto results = ListAll(*client, requests, Quick(), sink, {});
  EXPECT_EQ(results.at(0).outcome, Outcome::kOk);
  ASSERT_EQ(results.at(1).outcome, Outcome::kError);
  EXPECT_EQ(results[1].error->kind, ErrorKind::kInterrupted);
  EXPECT_TRUE(client->idle());
}

TEST(Lister, OlderVersionsWhereTheNewestIsNotThere) {
  ScriptedServer server([](const SeenRequest& request, size_t) {
    if (request.target.find("/v1beta1/") == std::string::npos) return Answer(404, "404 page not found", "text/plain");
    return Page({{"claim"}, "3", ""});
  });
  Listed listed = List(server, {{"resource.k8s.io", "resourceclaims"}, {"policy", "poddisruptionbudgets"}});
  EXPECT_EQ(listed.results[0].outcome, Outcome::kOk);
  EXPECT_EQ(listed.results[0].version, "v1beta1");
  EXPECT_THAT(listed.sink.names["resourceclaims"], ElementsAre("claim"));
  EXPECT_EQ(listed.results[1].outcome, Outcome::kNotFound);
}

TEST(Lister, OneListMayFailAndOthersGoOn) {
  ScriptedServer server([](const SeenRequest& request, size_t) {
    if (request.target.starts_with("/api/v1/nodes")) return StatusAnswer(403, "Forbidden", "nodes is forbidden");
    if (request.target.starts_with("/api/v1/services")) return Answer(200, "<html>", "text/html");
    return Page({{"a"}, "1", ""});
  });
  Listed listed = List(server, {{"", "nodes"}, {"", "services"}, {"", "pods"}});
  EXPECT_EQ(listed.results[0].outcome, Outcome::kForbidden);
  EXPECT_THAT(listed.results[0].error->message, HasSubstr("Error from server (Forbidden): nodes is forbidden"));
  EXPECT_EQ(listed.results[1].outcome, Outcome::kError);
  EXPECT_THAT(listed.results[1].error->message, HasSubstr("text/html"));
  EXPECT_EQ(listed.results[2].outcome, Outcome::kOk);
}

TEST(Lister, WhatTheSinkRefusesEndsThatList) {
  ScriptedServer server([](const SeenRequest&, size_t) { return Page({{"a", "bad"}, "1", ""}); });
  Listed listed = List(server, {{"", "pods"}, {"", "nodes"}}, Quick(), "bad");
  EXPECT_THAT(listed.results[0].error->message, HasSubstr("pod bad is refused"));
  EXPECT_EQ(server.seen().size(), 2U);
}

TEST(Lister, AllEndWhenNobodyMayComeIn) {
  ScriptedServer server([](const SeenRequest&, size_t) { return StatusAnswer(401, "Unauthorized", "Unauthorized"); });
  std::vector<std::pair<std::string_view, std::string_view>> all;
  for (const Resource& resource : AllResources()) all.emplace_back(resource.group, resource.plural);
  Listed listed = List(server, all);
  for (const ListResult& result : listed.results) {
    EXPECT_EQ(result.outcome, Outcome::kError);
    EXPECT_EQ(result.error->kind, ErrorKind::kUnauthorized);
  }
  EXPECT_EQ(listed.progress.back().lists_done, AllResources().size());
}

TEST(ApiRequests, GetFindsTheVersionThatIsThere) {
  ScriptedServer server([](const SeenRequest& request, size_t) {
    if (request.target == "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims/a")
      return Answer(404, "404 page not found", "text/plain");
    if (request.target.ends_with("/b")) return StatusAnswer(404, "NotFound", "resourceclaims b not found");
    return Answer(200, "{}");
  });
  const auto client = MakeClient(ConfigFor(server.url()));
  const Resource& claims = *FindResource("resource.k8s.io", "resourceclaims");
  EXPECT_EQ(GetObject(*client, claims, "ns", "a").json, "{}");
  EXPECT_EQ(server.seen().back().target, "/apis/resource.k8s.io/v1beta2/namespaces/ns/resourceclaims/a");
  EXPECT_EQ(GetObject(*client, claims, "ns", "b").error->kind, ErrorKind::kNotFound);
  EXPECT_EQ(server.seen().size(), 3U);
}

// Something that goes on for ever, as a watch does.
class Endless final : public ResponseHandler {
 public:
  void OnHead(const ResponseHead&) override {}
  Result<void> OnData(std::string_view) override { return {}; }
  void OnDone(const ApiError*) override { ended = true; }
  bool ended = false;
};

TEST(ApiRequests, ManyAreHadBesideWhatNeverEnds) {
  ScriptedServer server([](const SeenRequest& request, size_t) {
    if (request.target == "/watch" || request.target.ends_with("/never")) return Reply{.hang = true};
    return request.target.ends_with("/gone") ? StatusAnswer(404, "NotFound", "no") : Answer(200, request.target);
  });
  const auto client = MakeClient(ConfigFor(server.url()));
  Endless watch;
  client->Start({.target = "/watch"}, watch);
  const Resource* pods = FindResource("", "pods");
  const std::vector<ObjectRef> refs{{pods, "d", "a"}, {pods, "d", "gone"}, {}, {pods, "d", "b"}};
  auto replies = GetObjects(*client, refs);
  ASSERT_EQ(replies.size(), 4U);
  EXPECT_EQ(replies[0].json, "/api/v1/namespaces/d/pods/a");
  EXPECT_EQ(replies[1].error->kind, ErrorKind::kNotFound);
  EXPECT_EQ(replies[2].error->kind, ErrorKind::kNotFound);
  EXPECT_EQ(replies[3].json, "/api/v1/namespaces/d/pods/b");
  EXPECT_FALSE(watch.ended);

  bool stop = false;
  client->StopWhen([&] { return stop; });
  client->timers().After(std::chrono::milliseconds(50), [&] { stop = true; });
  replies = GetObjects(*client, std::vector<ObjectRef>{{pods, "d", "a"}, {pods, "d", "never"}});
  EXPECT_EQ(replies[0].json, "/api/v1/namespaces/d/pods/a");
  ASSERT_FALSE(replies[1].ok());
  EXPECT_EQ(replies[1].error->kind, ErrorKind::kInterrupted);
  EXPECT_FALSE(watch.ended);
}

TEST(ApiRequests, CreateIsADryRun) {
  ScriptedServer server([](const SeenRequest&, size_t nth) {
    return nth == 0 ? Answer(201, R"({"kind":"Pod"})") : StatusAnswer(422, "Invalid", "Pod is invalid");
  });
  const auto client = MakeClient(ConfigFor(server.url()));
  const Resource& pods = *FindResource("", "pods");
  EXPECT_EQ(CreateDryRun(*client, pods, "ns", "{}").json, R"({"kind":"Pod"})");
  EXPECT_EQ(server.seen()[0].target, "/api/v1/namespaces/ns/pods?dryRun=All");
  const ObjectReply refused = CreateDryRun(*client, pods, "ns", "{}");
  EXPECT_EQ(refused.error->reason, "Invalid");
  EXPECT_EQ(refused.error->kind, ErrorKind::kRejected);
}

TEST(ApiRequests, Version) {
  ScriptedServer server([](const SeenRequest&, size_t nth) {
    return nth == 0 ? Answer(200, R"({"major":"1","minor":"37","gitVersion":"v1.37.2"})") : Answer(200, "[]");
  });
  const auto client = MakeClient(ConfigFor(server.url()));
  EXPECT_EQ(GetServerVersion(*client).git_version, "v1.37.2");
  EXPECT_EQ(GetServerVersion(*client).error->kind, ErrorKind::kProtocol);
}

}  // namespace
}  // namespace ksched::kube
