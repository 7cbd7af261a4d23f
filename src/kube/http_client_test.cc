#include "kube/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/http_test_util.h"

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

HttpResponse Get(const std::string& server, const std::string& target = "/api") {
  return MakeClient(ConfigFor(server))->Perform({.target = target});
}

struct AnswerCase {
  std::string name;
  Reply reply;
  ErrorKind kind;
  std::string message;  // a part of it
};

class ErrorAnswers : public testing::TestWithParam<AnswerCase> {};

TEST_P(ErrorAnswers, AreToldByKindAndText) {
  ScriptedServer server([](const SeenRequest&, size_t) { return GetParam().reply; });
  const HttpResponse response = Get(server.url(), "/api/v1/pods?limit=500");
  ASSERT_TRUE(response.error);
  EXPECT_EQ(response.error->kind, GetParam().kind) << ToString(response.error->kind);
  EXPECT_THAT(response.error->message, HasSubstr(GetParam().message));
  EXPECT_THAT(response.error->message, HasSubstr("(GET " + server.url() + "/api/v1/pods?limit=500)"));
  EXPECT_THAT(response.error->message, Not(HasSubstr("\n")));
}

const std::string kProtobufStatus("k8s\0\x0a\x0c\x0a\x02v1\x12\x06Status\x12\x13\x1a\x06no pot\x22\x06Teapot0\xa2\x03",
                                  4 + 14 + 21);

INSTANTIATE_TEST_SUITE_P(
    HttpClient, ErrorAnswers,
    testing::Values(
        AnswerCase{"unauthorized", StatusAnswer(401, "Unauthorized", "Unauthorized"), ErrorKind::kUnauthorized,
                   "You must be logged in to the server (Unauthorized)"},
        AnswerCase{"forbidden", StatusAnswer(403, "Forbidden", "pods is forbidden: User x cannot list"),
                   ErrorKind::kForbidden, "Error from server (Forbidden): pods is forbidden: User x cannot list"},
        AnswerCase{
            "not_found_text", Answer(404, "404 page not found\n", "text/plain"), ErrorKind::kNotFound,
            "Error from server (NotFound): the server could not find the requested resource: 404 page not found"},
        AnswerCase{"expired", StatusAnswer(410, "Expired", "too old"), ErrorKind::kExpired, "too old"},
        AnswerCase{"conflict", StatusAnswer(409, "AlreadyExists", "it is there"), ErrorKind::kRejected,
                   "Error from server (AlreadyExists): it is there"},
        AnswerCase{"too_many_for_ever", Answer(429, "", "text/plain", "Retry-After: 1\r\n"),
                   ErrorKind::kTooManyRequests, "asked us to try again later"},
        AnswerCase{"server", Answer(500, "etcd is away", "text/plain"), ErrorKind::kServer,
                   "an error on the server (\"etcd is away\") has prevented"},
        AnswerCase{"redirect", Answer(302, "", "text/plain", "Location: https://elsewhere/\r\n"), ErrorKind::kProtocol,
                   "redirect to https://elsewhere/"},
        AnswerCase{"protobuf", Answer(418, kProtobufStatus, "application/vnd.kubernetes.protobuf"),
                   ErrorKind::kRejected, "Error from server (Teapot): no pot"},
        AnswerCase{"lines", Answer(400, "a\r\nb\x1b[31m", "text/plain"), ErrorKind::kRejected, "rejected"},
        AnswerCase{"truncated", Reply{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"}.Close(),
                   ErrorKind::kTruncated, "broke off"},
        AnswerCase{"truncated_chunk", Reply{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"}.Close(),
                   ErrorKind::kTruncated, "broke off"},
        AnswerCase{"bad_gzip", Answer(200, "this is not packed", "text/plain", "Content-Encoding: gzip\r\n"),
                   ErrorKind::kProtocol, "not one of an API server"},
        AnswerCase{"no_http", Reply{"SSH-2.0-OpenSSH\r\n"}.Close(), ErrorKind::kProtocol, "not one of an API server"},
        AnswerCase{"closed", Reply{""}.Close(), ErrorKind::kUnreachable, "Unable to connect to the server"},
        AnswerCase{"reset", Reply{.bytes = "", .reset = true}, ErrorKind::kUnreachable, "reset"}),
    [](const auto& info) { return info.param.name; });

TEST(HttpClient, GivesHeadAndBody) {
  ScriptedServer server(
      [](const SeenRequest&, size_t) { return Answer(200, "body", "text/plain; x=y", "X-A: b\r\n"); });
  const HttpResponse response = Get(server.url(), "/a?b=c%20d");
  ASSERT_TRUE(response.ok()) << response.error->message;
  EXPECT_EQ(response.head.status, 200);
  EXPECT_EQ(response.body, "body");
  EXPECT_EQ(response.head.Find("x-a"), "b");
  EXPECT_EQ(response.head.media_type(), "text/plain");
  const SeenRequest seen = server.seen().at(0);
  EXPECT_EQ(seen.method + " " + seen.target, "GET /a?b=c%20d");
  EXPECT_THAT(seen.Value("user-agent"), StartsWith("kubectl-ksched/"));
  EXPECT_EQ(seen.Value("accept"), "application/json");
  EXPECT_EQ(seen.Value("accept-encoding"), "gzip");
  EXPECT_EQ(seen.Value("authorization"), "(none)");
}

TEST(HttpClient, BodiesMayBeCutAnywhere) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += std::to_string(i) + ",";
  for (const size_t piece : {1, 2, 7, 1000}) {
    ScriptedServer server([&](const SeenRequest&, size_t) { return Chunked(text, piece).InPieces(piece * 3 + 1); });
    const HttpResponse response = Get(server.url());
    ASSERT_TRUE(response.ok()) << response.error->message;
    EXPECT_EQ(response.body, text);
  }
}

TEST(HttpClient, UnpacksGzipUnlessCompressionIsOff) {
  const std::string text(100'000, 'x');
  ScriptedServer server([&](const SeenRequest& request, size_t) {
    if (request.Value("accept-encoding") != "gzip") return Answer(200, text);
    return Answer(200, Gzip(text), "application/json", "Content-Encoding: gzip\r\n");
  });
  EXPECT_EQ(Get(server.url()).body, text);
  ClientConfig config = ConfigFor(server.url());
  config.disable_compression = true;
  EXPECT_EQ(MakeClient(config)->Perform({.target = "/"}).body, text);
  EXPECT_EQ(server.seen().at(1).Value("accept-encoding"), "(none)");
}

TEST(HttpClient, KeepsThePathPrefixOfTheServer) {
  ScriptedServer server([](const SeenRequest&, size_t) { return Answer(200, ""); });
  EXPECT_TRUE(Get(server.url() + "/k8s/clusters/c-1", "/api").ok());
  EXPECT_EQ(server.seen().at(0).target, "/k8s/clusters/c-1/api");
}

TEST(HttpClient, SaysWhoAsks) {
  ScriptedServer server([](const SeenRequest&, size_t) { return Answer(200, ""); });
  ClientConfig config = ConfigFor(server.url(), {.bearer_token = "t0ken", .username = "not", .password = "used"});
  config.impersonation = {.user = "jane", .uid = "u1", .groups = {"a", "b"}, .extra = {{"sc opes/x", {"1", "2"}}}};
  ASSERT_TRUE(MakeClient(config)->Perform({.target = "/"}).ok());
  config = ConfigFor(server.url(), {.username = "us", .password = "pass word"});
  ASSERT_TRUE(MakeClient(config)->Perform({.target = "/"}).ok());
  const auto seen = server.seen();
  EXPECT_EQ(seen[0].Value("authorization"), "Bearer t0ken");
  EXPECT_EQ(seen[0].Value("impersonate-user"), "jane");
  EXPECT_EQ(seen[0].Value("impersonate-uid"), "u1");
  EXPECT_THAT(seen[0].Values("impersonate-group"), ElementsAre("a", "b"));
  EXPECT_THAT(seen[0].Values("impersonate-extra-sc%20opes%2fx"), ElementsAre("1", "2"));
  EXPECT_EQ(seen[1].Value("authorization"), "Basic dXM6cGFzcyB3b3Jk");
}

TEST(HttpClient, TokensThatAreNoHeaderAreRefusedAndNotShown) {
  const HttpResponse response =
      MakeClient(ConfigFor("http://127.0.0.1:1", {.bearer_token = "se\ncret"}))->Perform({.target = "/"});
  ASSERT_TRUE(response.error);
  EXPECT_EQ(response.error->kind, ErrorKind::kCredentials);
  EXPECT_THAT(response.error->message, Not(HasSubstr("cret")));
}

TEST(HttpClient, SendsABody) {
  ScriptedServer server([](const SeenRequest&, size_t) { return Answer(201, "made"); });
  const HttpResponse response =
      MakeClient(ConfigFor(server.url()))
          ->Perform({.method = "POST", .target = "/x", .body = R"({"a":1})", .content_type = "application/json"});
  ASSERT_TRUE(response.ok()) << response.error->message;
  EXPECT_EQ(response.body, "made");
  const SeenRequest seen = server.seen().at(0);
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.body, R"({"a":1})");
  EXPECT_EQ(seen.Value("content-type"), "application/json");
}

TEST(HttpClient, RenewsTheCredentialOnceAfter401) {
  ScriptedServer server([](const SeenRequest& request, size_t) {
    return request.Value("authorization") == "Bearer new" ? Answer(200, "in") : StatusAnswer(401, "Unauthorized", "no");
  });
  const auto run = [&](std::vector<Credential> refreshed) {
    ClientConfig config = ConfigFor(server.url());
    config.credentials = std::make_shared<FixedCredentials>(Credential{.bearer_token = "old"}, std::move(refreshed));
    return MakeClient(config)->Perform({.target = "/"});
  };
  EXPECT_EQ(run({{.bearer_token = "new"}}).body, "in");
  EXPECT_EQ(server.seen().size(), 2U);
  EXPECT_EQ(run({{.bearer_token = "bad"}, {.bearer_token = "new"}}).error->kind, ErrorKind::kUnauthorized);
  EXPECT_EQ(server.seen().size(), 4U);
  EXPECT_EQ(run({}).error->kind, ErrorKind::kUnauthorized);
  EXPECT_EQ(server.seen().size(), 5U);
}

class Collector final : public ResponseHandler {
 public:
  void OnHead(const ResponseHead& head) override { log += "head " + std::to_string(head.status) + ";"; }
  Result<void> OnData(std::string_view chunk) override {
    log += std::string(chunk) + ";";
    if (on_data) return on_data();
    return {};
  }
  void OnDone(const ApiError* error) override {
    log += error == nullptr ? "done" : "failed " + std::string(ToString(error->kind));
    if (error != nullptr) message = error->message;
  }
  std::string log, message;
  std::function<Result<void>()> on_data;
};

TEST(HttpClient, SeveralRefusedAtOnceRenewOnce) {
  ScriptedServer server([](const SeenRequest& request, size_t) {
    return request.Value("authorization") == "Bearer new" ? Answer(200, "in") : StatusAnswer(401, "Unauthorized", "no");
  });
  ClientConfig config = ConfigFor(server.url());
  const auto credentials = std::make_shared<FixedCredentials>(
      Credential{.bearer_token = "old"}, std::vector<Credential>{{.bearer_token = "new"}, {.bearer_token = "third"}});
  config.credentials = credentials;
  const auto client = MakeClient(config);
  std::vector<Collector> handlers(5);
  for (Collector& handler : handlers) client->Start({.target = "/"}, handler);
  UntilIdle(*client);
  for (const Collector& handler : handlers) EXPECT_EQ(handler.log, "head 200;in;done");
  EXPECT_EQ(credentials->refreshes, 1);
}

struct RetryCase {
  std::string name;
  std::string method;
  Reply failure;
  size_t failures;  // before it goes well
  size_t requests;  // that the server sees
  bool ok;
};

class Retries : public testing::TestWithParam<RetryCase> {};

TEST_P(Retries, AreBounded) {
  ScriptedServer server([](const SeenRequest&, size_t nth) {
    return nth < GetParam().failures ? GetParam().failure : Answer(200, "at last");
  });
  const HttpResponse response =
      MakeClient(ConfigFor(server.url()))->Perform({.method = GetParam().method, .target = "/"});
  EXPECT_EQ(response.ok(), GetParam().ok);
  EXPECT_EQ(server.seen().size(), GetParam().requests);
}

INSTANTIATE_TEST_SUITE_P(
    HttpClient, Retries,
    testing::Values(
        RetryCase{"told_429", "GET", Answer(429, "", "text/plain", "Retry-After: 1\r\n"), 3, 4, true},
        RetryCase{"told_429_of_post", "POST", Answer(429, "", "text/plain", "Retry-After: 1\r\n"), 10, 11, true},
        RetryCase{"told_too_often", "GET", Answer(429, "", "text/plain", "Retry-After: 1\r\n"), 99, 11, false},
        RetryCase{"told_503", "POST", Answer(503, "", "text/plain", "Retry-After: 1\r\n"), 1, 2, true},
        RetryCase{"not_told_429", "GET", Answer(429, ""), 1, 1, false},
        RetryCase{"date_is_not_told", "GET", Answer(429, "", "text/plain", "Retry-After: Wed, 21 Oct 2015\r\n"), 1, 1,
                  false},
        RetryCase{"blind_500", "GET", Answer(500, ""), 3, 4, true},
        RetryCase{"blind_502_for_ever", "GET", Answer(502, ""), 99, 4, false},
        RetryCase{"blind_500_of_post", "POST", Answer(500, ""), 1, 1, false},
        RetryCase{"501", "GET", Answer(501, ""), 1, 1, false}, RetryCase{"reset", "GET", {.reset = true}, 2, 3, true},
        RetryCase{"reset_of_post", "POST", {.reset = true}, 1, 1, false},
        RetryCase{"400", "GET", Answer(400, "", "text/plain", "Retry-After: 1\r\n"), 1, 1, false}),
    [](const auto& info) { return info.param.name; });

TEST(HttpClient, TheRequestsTimeEndsEverything) {
  const std::string started = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab";
  for (const std::string& said : {std::string(), started}) {
    ScriptedServer server([&](const SeenRequest&, size_t) { return Reply{.bytes = said, .hang = true}; });
    const HttpResponse response =
        MakeClient(ConfigFor(server.url()))->Perform({.target = "/", .timeout = milliseconds(100)});
    EXPECT_EQ(response.error->kind, ErrorKind::kTimeout) << response.error->message;
  }
  ScriptedServer busy([&](const SeenRequest&, size_t) { return Answer(429, "", "text/plain", "Retry-After: 30\r\n"); });
  const auto before = std::chrono::steady_clock::now();
  const HttpResponse response =
      MakeClient(ConfigFor(busy.url()), {})->Perform({.target = "/", .timeout = milliseconds(500)});
  EXPECT_EQ(response.error->kind, ErrorKind::kTooManyRequests);  // the wait would be past the end: not begun
  EXPECT_LT(std::chrono::steady_clock::now() - before, milliseconds(400));
}

TEST(HttpClient, SilenceEndsARequestWithoutTimeout) {
  ScriptedServer server([&](const SeenRequest&, size_t) { return Reply{.hang = true}; });
  const HttpResponse response =
      MakeClient(ConfigFor(server.url()))
          ->Perform({.target = "/", .timeout = milliseconds(0), .idle_timeout = std::chrono::seconds(1)});
  EXPECT_EQ(response.error->kind, ErrorKind::kTimeout) << response.error->message;
}

TEST(HttpClient, NobodyThere) {
  int port = 0;
  {
    port = ScriptedServer([](const SeenRequest&, size_t) { return Reply{}; }).port();
  }
  const std::string server = "127.0.0.1:" + std::to_string(port);
  HttpResponse response = Get("http://" + server);
  EXPECT_EQ(response.error->kind, ErrorKind::kUnreachable);
  EXPECT_THAT(response.error->message, StartsWith("The connection to the server " + server +
                                                  " was refused - did you specify the right host or port?"));
  response = Get("http://no-such-host.invalid:1");
  EXPECT_EQ(response.error->kind, ErrorKind::kUnreachable);
  EXPECT_THAT(response.error->message, HasSubstr("no such host"));
  response = Get("http://[::1]:" + std::to_string(port));
  EXPECT_EQ(response.error->kind, ErrorKind::kUnreachable) << response.error->message;
}

TEST(HttpClient, HandlersMayStopStartAndCancel) {
  ScriptedServer server([](const SeenRequest&, size_t) { return Answer(200, "x"); });
  const auto client = MakeClient(ConfigFor(server.url()));
  Collector refuses, starts, second, cancels_itself, cancelled, late;
  refuses.on_data = [] { return Error{"enough"}; };
  starts.on_data = [&]() -> Result<void> {
    client->Start({.target = "/second"}, second);
    return {};
  };
  client->Start({.target = "/"}, refuses);
  client->Start({.target = "/"}, starts);
  const auto id = client->Start({.target = "/"}, cancels_itself);
  cancels_itself.on_data = [&]() -> Result<void> {
    client->Cancel(id);
    return {};
  };
  client->Cancel(client->Start({.target = "/"}, cancelled));
  client->StartAfter(milliseconds(30), {.target = "/late"}, late);
  UntilIdle(*client);
  EXPECT_EQ(refuses.log, "head 200;x;failed Protocol");
  EXPECT_THAT(refuses.message, StartsWith("enough (GET "));
  EXPECT_EQ(starts.log, "head 200;x;done");
  EXPECT_EQ(second.log, "head 200;x;done");
  EXPECT_EQ(cancels_itself.log, "head 200;x;");
  EXPECT_EQ(cancelled.log, "");
  EXPECT_EQ(late.log, "head 200;x;done");
  EXPECT_EQ(server.seen().back().target, "/late");
}

TEST(HttpClient, DroppedConnectionsEndWhatRunsOnThem) {
  ScriptedServer server([](const SeenRequest& request, size_t) {
    if (request.connection != 0 && request.connection != 1) return Answer(200, "x");
    Reply reply{.bytes = "", .hang = true};
    if (request.target == "/open") reply.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab";
    return reply;
  });
  const auto client = MakeClient(ConfigFor(server.url()));
  Collector open, asked;
  client->Start({.target = "/open"}, open);
  client->Start({.target = "/asked"}, asked);
  while (open.log.empty() || server.seen().size() < 2) client->Poll(milliseconds(10));
  client->DropConnections();
  UntilIdle(*client);
  EXPECT_EQ(open.log, "head 200;ab;failed Truncated");
  EXPECT_EQ(asked.log, "head 200;x;done");  // asked again elsewhere
  EXPECT_EQ(server.seen().back().connection, 2);
  EXPECT_EQ(client->counters().connections, 3U);
  // The same for what is idle.
  client->DropConnections();
  EXPECT_TRUE(client->Perform({.target = "/"}).ok());
  EXPECT_EQ(server.seen().back().connection, 3);
}

TEST(HttpClient, WhoeverWaitsCanBeTold) {
  ScriptedServer server([](const SeenRequest& request, size_t) {
    return request.target == "/" ? Answer(200, "x") : Reply{.hang = true};
  });
  const auto client = MakeClient(ConfigFor(server.url()));
  bool stop = false;
  client->StopWhen([&] { return stop; });
  EXPECT_TRUE(client->Perform({.target = "/"}).ok());
  client->timers().After(milliseconds(20), [&] { stop = true; });
  const HttpResponse response = client->Perform({.target = "/never"});
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error->kind, ErrorKind::kInterrupted);
  EXPECT_TRUE(client->idle());
  stop = false;
  EXPECT_TRUE(client->Perform({.target = "/"}).ok());
}

TEST(HttpClient, TimersRunWithinPoll) {
  ScriptedServer server([](const SeenRequest&, size_t) { return Answer(200, "x"); });
  const auto client = MakeClient(ConfigFor(server.url()));
  Timers& timers = client->timers();
  std::string log;
  Collector collector;
  Timers::Id last = 0;
  timers.After(milliseconds(20), [&] { log += "c"; });
  timers.After(milliseconds(1), [&] {
    log += "a";
    client->Start({.target = "/"}, collector);
    timers.After(milliseconds(0), [&] { log += "b"; });
    timers.Cancel(last);
  });
  last = timers.After(milliseconds(2), [&] { log += "never"; });
  EXPECT_TRUE(client->idle());
  while (timers.next()) client->Poll(milliseconds(1000));
  UntilIdle(*client);
  EXPECT_EQ(log, "abc");
  EXPECT_EQ(collector.log, "head 200;x;done");
}

TEST(HttpClient, StreamsFailAtOnceAndAreNotPacked) {
  ScriptedServer server([](const SeenRequest&, size_t) { return Answer(503, "", "text/plain", "Retry-After: 1\r\n"); });
  HttpRequest request{.target = "/"};
  request.stream = true;
  const HttpResponse response = MakeClient(ConfigFor(server.url()))->Perform(std::move(request));
  EXPECT_EQ(response.error->kind, ErrorKind::kServer);
  EXPECT_EQ(response.error->retry_after, std::chrono::seconds(1));
  ASSERT_EQ(server.seen().size(), 1U);
  EXPECT_EQ(server.seen()[0].Value("accept-encoding"), "identity");
}

TEST(HttpClient, VersionsThatTheServerHasNotGot) {
  const std::string json =
      R"({"kind":"Status","message":"Too large","reason":"Timeout","details":{"causes":[{"reason":"x"},{"reason":)"
      R"("ResourceVersionTooLarge"}],"retryAfterSeconds":1},"code":504})";
  EXPECT_TRUE(ParseStatusBody(json)->version_too_large);
  EXPECT_EQ(ParseStatusBody(json)->retry_after, std::chrono::seconds(1));
  EXPECT_TRUE(ErrorOfAnswer(504, json, std::nullopt, "", "").version_too_large);
  EXPECT_FALSE(ParseStatusBody(R"({"kind":"Status","details":{"causes":[{"reason":"x"},7]}})")->version_too_large);
}

TEST(HttpClient, UsesTheConnectionAgain) {
  ScriptedServer server([](const SeenRequest&, size_t) { return Answer(200, "x"); });
  const auto client = MakeClient(ConfigFor(server.url()));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(client->Perform({.target = "/"}).ok());
  EXPECT_EQ(client->counters().connections, 1U);
  EXPECT_EQ(server.seen().back().connection, 0);
}

TEST(HttpClient, EndlessErrorsAndHeadersAreCut) {
  ScriptedServer server([](const SeenRequest& request, size_t) {
    if (request.target == "/body") return Answer(400, std::string(3'000'000, 'x'), "text/plain");
    std::string headers;
    for (int i = 0; i < 20'000; ++i) headers += "X-Header-Number-" + std::to_string(i) + ": some value\r\n";
    return Answer(200, "", "text/plain", headers);
  });
  EXPECT_LT(Get(server.url(), "/body").error->message.size(), 1000U);
  EXPECT_EQ(Get(server.url(), "/headers").error->kind, ErrorKind::kProtocol);
}

}  // namespace
}  // namespace ksched::kube
