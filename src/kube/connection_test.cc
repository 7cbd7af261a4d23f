// What reflectors make of connections that die, of what they may not see, and of credentials that expire.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <mutex>

#include <unistd.h>

#include "kube/credentials.h"
#include "kube/watch_harness.h"

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const TestEvents kEvents(/*json=*/false);

ReflectorOptions Pages() { return QuickReflectors(/*streaming=*/false, /*json=*/false); }

const std::vector<std::pair<std::string_view, std::string_view>> kThree{
    {"", "pods"}, {"", "nodes"}, {"storage.k8s.io", "csinodes"}};

TEST(Connection, HowTheBackoffGrows) {
  const BackoffOptions options;
  Rng rng(1), same(1);
  Backoff backoff(options), other(options);
  Backoff::TimePoint now{};
  std::vector<int64_t> bases;
  for (int i = 0; i < 8; ++i) {
    const int64_t wait = backoff.Next(now, rng).count();
    EXPECT_EQ(wait, other.Next(now, same).count());
    const int64_t base = std::min<int64_t>(800 << i, 30'000);
    EXPECT_GE(wait, base);
    EXPECT_LT(wait, 2 * base);
    now += milliseconds(wait);
  }
  now += std::chrono::minutes(2);  // it went well
  EXPECT_LT(backoff.Next(now, rng).count(), 1600);
}

// Answers lists and watches of each kind; what watches are answered with after `frozen` is for the test to say.
TEST(Connection, OneThatAnswersNothingIsGivenUp) {
  ReflectorOptions options = Pages();
  options.probe = {.silence = milliseconds(20), .timeout = milliseconds(50)};
  std::atomic<bool> frozen = true;
  ScriptedServer server([&](const SeenRequest& request, size_t) {
    if (request.target == "/version") {
      return frozen.exchange(false) ? Reply{.hang = true} : Answer(200, "{}");
    }
    if (!IsWatch(request)) return kEvents.List({"a"}, "7");
    return kEvents.Open(frozen ? "" : kEvents.Object("ADDED", "b", "8"));
  });
  Watching watching(server, options, kThree);
  ASSERT_TRUE(watching.UntilPods({"a", "b"}));
  ASSERT_TRUE(watching.Until([&] { return watching.status(1).events == 1 && watching.status(2).events == 1; }));
  EXPECT_EQ(watching.reflectors().connections_dropped(), 1U);
  for (const ReflectorStatus& status : watching.reflectors().statuses()) {
    EXPECT_EQ(status.lists, 1U);
    EXPECT_EQ(status.watches, 2U);
    EXPECT_EQ(status.last_error->kind, ErrorKind::kTruncated);
  }
}

TEST(Connection, OneThatAnswersIsKept) {
  ReflectorOptions options = Pages();
  options.probe = {.silence = milliseconds(3), .timeout = milliseconds(20'000)};
  for (const int status : {200, 401, 403, 404, 500}) {
    std::atomic<int> probes = 0;
    ScriptedServer server([&](const SeenRequest& request, size_t) {
      if (request.target == "/version") return ++probes, Answer(status, "{}");
      return IsWatch(request) ? kEvents.Open("") : kEvents.List({"a"}, "7");
    });
    Watching watching(server, options);
    ASSERT_TRUE(watching.Until([&] { return probes >= 3; }));
    EXPECT_EQ(watching.reflectors().connections_dropped(), 0U);
    EXPECT_EQ(watching.status().watches, 1U);
    EXPECT_TRUE(watching.status().watching);
  }
}

TEST(Connection, WatchesDoNotWaitForEachOtherWithoutHttp2) {
  ScriptedServer server([&](const SeenRequest& request, size_t) {
    return IsWatch(request) ? kEvents.Open("") : kEvents.List({"a"}, "7");
  });
  Watching watching(server, Pages(), kThree);
  ASSERT_TRUE(watching.Until([&] {
    const auto statuses = watching.reflectors().statuses();
    return std::all_of(statuses.begin(), statuses.end(), [](const auto& status) { return status.watching; });
  }));
}

TEST(Connection, WhatIsNotThereCountsAsSyncedAndIsAskedForAgain) {
  for (const bool streaming : {false, true}) {
    std::atomic<bool> installed = false;
    ScriptedServer server([&](const SeenRequest& request, size_t) {
      if (!installed || request.target.find("/v1beta1/") == std::string::npos) {
        return Answer(404, "404 page not found", "text/plain");
      }
      if (IsStreamedList(request)) {
        return kEvents.Open(kEvents.Object("ADDED", "a", "3") + kEvents.Bookmark("4", true));
      }
      return IsWatch(request) ? kEvents.Open("") : kEvents.List({"a"}, "4");
    });
    Watching watching(server, QuickReflectors(streaming, false), {{"resource.k8s.io", "resourceslices"}});
    ASSERT_TRUE(watching.Until([&] { return watching.reflectors().synced(); }));
    EXPECT_EQ(watching.status().absent, Absence::kNotFound);
    EXPECT_EQ(watching.status().errors, 0U);
    installed = true;
    ASSERT_TRUE(watching.Until([&] { return watching.status().watching; }));
    EXPECT_EQ(watching.status().absent, Absence::kNo);
    EXPECT_EQ(watching.status().version, "v1beta1");
    EXPECT_THAT(watching.sink.names["resourceslices"], ElementsAre("a"));
    EXPECT_THAT(server.seen().back().target, HasSubstr("/apis/resource.k8s.io/v1beta1/resourceslices?watch=true"));
  }
}

TEST(Connection, WhatIsForbiddenCountsAsSyncedAndIsAskedForAgain) {
  for (const bool streaming : {false, true}) {
    std::atomic<bool> allowed = false;
    ScriptedServer server([&](const SeenRequest& request, size_t) {
      if (!allowed) return StatusAnswer(403, "Forbidden", "pods is forbidden");
      if (IsStreamedList(request)) {
        return kEvents.Open(kEvents.Object("ADDED", "a", "3") + kEvents.Bookmark("4", true));
      }
      return IsWatch(request) ? kEvents.Open("") : kEvents.List({"a"}, "4");
    });
    Watching watching(server, QuickReflectors(streaming, false));
    ASSERT_TRUE(watching.UntilPods({}));
    EXPECT_EQ(watching.status().absent, Absence::kForbidden);
    EXPECT_THAT(watching.status().last_error->message, HasSubstr("pods is forbidden"));
    allowed = true;
    ASSERT_TRUE(watching.UntilPods({"a"}));
  }
}

TEST(Connection, WhatWasThereStaysWhileItIsForbiddenAndGoesWhenItIsNotThere) {
  std::atomic<int> answer = 200;
  ScriptedServer server([&](const SeenRequest& request, size_t) {
    if (answer != 200) return StatusAnswer(answer, answer == 403 ? "Forbidden" : "NotFound", "no");
    return IsWatch(request) ? kEvents.Ended(kEvents.Bookmark("5")) : kEvents.List({"a"}, "4");
  });
  Watching watching(server, Pages());
  ASSERT_TRUE(watching.UntilPods({"a"}));
  answer = 403;
  const auto last_kind = [&] { return watching.status().last_error->kind; };
  ASSERT_TRUE(watching.Until([&] { return watching.status().errors > 1 && last_kind() == ErrorKind::kForbidden; }));
  EXPECT_EQ(watching.status().absent, Absence::kNo);
  EXPECT_FALSE(watching.status().watching);
  const uint64_t lists = watching.status().lists;
  ASSERT_TRUE(watching.Until([&] { return watching.status().lists > lists + 2; }));
  EXPECT_THAT(watching.sink.names["pods"], ElementsAre("a"));
  answer = 404;
  ASSERT_TRUE(watching.UntilPods({}));
  EXPECT_EQ(watching.status().absent, Absence::kNotFound);
  answer = 200;
  ASSERT_TRUE(watching.UntilPods({"a"}));
}

TEST(Connection, WhatIsNotThereForAMomentOnlyStays) {
  for (const bool streaming : {false, true}) {
    ReflectorOptions options = QuickReflectors(streaming, false);
    options.gone_after = std::chrono::minutes(1);
    std::atomic<int> answer = 200;
    std::atomic<bool> ends = true;  // of streams
    ScriptedServer server([&](const SeenRequest& request, size_t) {
      if (answer != 200) return Answer(answer, "default backend - 404", "text/plain");
      if (!IsWatch(request)) return kEvents.List({"a"}, "4");
      std::string body = kEvents.Bookmark("5");
      if (IsStreamedList(request)) body = kEvents.Object("ADDED", "a", "3") + kEvents.Bookmark("4", true);
      return ends ? kEvents.Ended(body) : kEvents.Open(body);
    });
    Watching watching(server, options, {{"", "pods"}, {"apps", "deployments"}});
    ASSERT_TRUE(watching.UntilPods({"a"}));
    answer = 404;
    const uint64_t lists = watching.status(0).lists + watching.status(1).lists;
    ASSERT_TRUE(watching.Until([&] { return watching.status(0).lists + watching.status(1).lists > lists + 8; }));
    for (const char* plural : {"pods", "deployments"}) EXPECT_THAT(watching.sink.names[plural], ElementsAre("a"));
    EXPECT_EQ(watching.status(0).absent, Absence::kNo);
    ends = false;
    answer = 200;
    ASSERT_TRUE(watching.Until([&] { return watching.status(0).watching && watching.status(1).watching; }));
  }
}

TEST(Connection, WhoMayListButNotWatchListsNowAndThen) {
  std::atomic<int> lists = 0;
  ScriptedServer server([&](const SeenRequest& request, size_t) {
    if (IsWatch(request)) return StatusAnswer(403, "Forbidden", "pods is forbidden: cannot watch");
    return kEvents.List(++lists < 3 ? std::vector<std::string>{"a"} : std::vector<std::string>{"b"}, "4");
  });
  Watching watching(server, QuickReflectors(/*streaming=*/true, false));
  ASSERT_TRUE(watching.UntilPods({"b"}));
  EXPECT_FALSE(watching.status().watching);
}

// Lets in who has the token that is good at the time; what was let in before is ended.
class TokenServer {
 public:
  std::string url() const { return server_.url(); }
  void Expect(const std::string& token) {
    const std::lock_guard lock(mutex_);
    good_ = token;
  }

 private:
  Reply Serve(const SeenRequest& request) {
    const std::lock_guard lock(mutex_);
    if (request.Value("authorization") != "Bearer " + good_) return StatusAnswer(401, "Unauthorized", "Unauthorized");
    if (!IsWatch(request)) return kEvents.List({}, "7");
    if (good_ == "new") return kEvents.Open(kEvents.Object("ADDED", "a", "9"));
    return kEvents.Ended(kEvents.Bookmark("8"));  // until the token is no longer good
  }

  std::mutex mutex_;
  std::string good_ = "old";
  ScriptedServer server_{[this](const SeenRequest& request, size_t) { return Serve(request); }};
};

TEST(Connection, CredentialsThatExpireAreRenewed) {
  TokenServer server;
  ClientConfig config = ConfigFor(server.url());
  config.credentials = std::make_shared<FixedCredentials>(Credential{.bearer_token = "old"},
                                                          std::vector<Credential>{{.bearer_token = "new"}});
  Watching watching(config, Pages());
  ASSERT_TRUE(watching.Until([&] { return watching.status().bookmarks > 0; }));
  server.Expect("new");
  ASSERT_TRUE(watching.UntilPods({"a"}));
  EXPECT_EQ(watching.status().errors, 0U);
}

TEST(Connection, TokenFilesAreReadAgain) {
  const std::string path = testing::TempDir() + "/watch-token-" + std::to_string(getpid());
  const auto write = [&](const std::string& token) { std::ofstream(path) << token << "\n"; };
  write("old");
  TokenServer server;
  ClientConfig config = ConfigFor(server.url());
  config.credentials = *StoredCredentialSource::Create({.token_file = path});
  Watching watching(config, Pages());
  ASSERT_TRUE(watching.Until([&] { return watching.status().bookmarks > 0; }));
  // For a while the file has nothing new, and the server lets nobody in.
  server.Expect("new");
  ASSERT_TRUE(watching.Until([&] { return watching.status().errors > 2; }));
  EXPECT_EQ(watching.status().last_error->kind, ErrorKind::kUnauthorized);
  write("new");
  ASSERT_TRUE(watching.UntilPods({"a"}));
  EXPECT_EQ(watching.status().lists, 1U);
  unlink(path.c_str());
}

TEST(Connection, ReflectorsMayGoAtAnyTime) {
  ScriptedServer server([&](const SeenRequest& request, size_t) {
    return IsWatch(request) ? kEvents.Open("") : kEvents.List({"a"}, "7");
  });
  const auto client = MakeClient(ConfigFor(server.url()));
  for (int polls = 0; polls < 12; ++polls) {
    NameWatcher sink;
    const std::vector<WatchRequest> requests{{.resource = FindResource("", "pods")}};
    Reflectors reflectors(*client, requests, Pages(), sink);
    reflectors.Start();
    for (int i = 0; i < polls; ++i) client->Poll(milliseconds(1));
  }
  EXPECT_TRUE(client->idle());
  EXPECT_FALSE(client->timers().next());
}

}  // namespace
}  // namespace ksched::kube
