#include "serve/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "serve/serve_test_util.h"

namespace ksched::serve {
namespace {

using std::chrono::milliseconds;

// Says what it was asked; /later answers when Release is called, from another thread.
class Echo final : public Handler {
 public:
  void Handle(Request request, Respond respond) override {
    if (request.path == "/later") {
      const std::lock_guard lock(mutex_);
      later_.push_back(std::move(respond));
      return;
    }
    if (request.path == "/drop") return;
    respond(Text(request.method + " " + request.path + " [" + request.query + "] " + request.body + " " +
                 std::to_string(request.peer_certificates == nullptr ? 0 : request.peer_certificates->size())));
  }
  size_t waiting() {
    const std::lock_guard lock(mutex_);
    return later_.size();
  }
  void Release() {
    std::vector<Respond> all;
    {
      const std::lock_guard lock(mutex_);
      all.swap(later_);
    }
    for (const Respond& one : all) {
      one(Text("now"));
      one(Text("twice"));
    }
  }
  void WaitFor(size_t number) {
    while (waiting() < number) std::this_thread::sleep_for(milliseconds(1));
  }

 private:
  std::mutex mutex_;
  std::vector<Respond> later_;
};

TEST(Server, KeepsAConnectionForManyRequests) {
  Echo echo;
  TestServer server(echo);
  TestClient client(server.port());
  EXPECT_EQ(client.server_name(), "first");
  EXPECT_EQ(client.version(), "TLSv1.3");
  for (int i = 0; i < 20; ++i) {
    const Answered answer = client.Ask("POST", "/a%20b/c?x=%41&y", "", "body " + std::to_string(i));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "POST /a b/c [x=%41&y] body " + std::to_string(i) + " 0");
    EXPECT_EQ(answer.headers.at("cache-control"), "no-cache, private");
  }
  const Answered head = client.Ask("HEAD", "/h");
  EXPECT_EQ(head.headers.at("content-length"), std::to_string(std::string("HEAD /h []  0").size()));
  EXPECT_EQ(client.Ask("GET", "/last", "Connection: close\r\n").body, "GET /last []  0");
  EXPECT_TRUE(client.AtEnd());
}

TEST(Server, AnswersRequestsThatAreSentWithoutWaiting) {
  Echo echo;
  TestServer server(echo);
  TestClient client(server.port());
  ASSERT_TRUE(client.Send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_EQ(client.Read().body, "GET /1 []  0");
  EXPECT_EQ(client.Read().body, "GET /2 []  0");
}

TEST(Server, RefusesWhatIsTooLargeOrNoRequest) {
  Echo echo;
  TestServer server(echo, {.max_header_bytes = 1000, .max_body_bytes = 100});
  EXPECT_EQ(TestClient(server.port()).Ask("GET", "/", "X: " + std::string(2000, 'x') + "\r\n").status, 431);
  EXPECT_EQ(TestClient(server.port()).Ask("POST", "/", "", std::string(200, 'x')).status, 413);
  TestClient garbage(server.port());
  ASSERT_TRUE(garbage.Send("what is this\r\n\r\n"));
  EXPECT_EQ(garbage.Read().status, 400);
  EXPECT_TRUE(garbage.AtEnd());
  EXPECT_EQ(AskOnce(server.port(), "/still").status, 200);
}

TEST(Server, ClosesConnectionsThatTakeTooLong) {
  Echo echo;
  TestServer server(echo, {.header_time = milliseconds(100), .idle_time = milliseconds(100)});
  TestClient slow(server.port()), idle(server.port());
  ASSERT_TRUE(slow.Send("GET / HT"));
  EXPECT_TRUE(slow.AtEnd());
  EXPECT_TRUE(idle.AtEnd());
}

TEST(Server, AHandlerMayAnswerLaterFromAnotherThread) {
  Echo echo;
  TestServer server(echo);
  TestClient client(server.port());
  ASSERT_TRUE(client.Send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n"));
  echo.WaitFor(1);
  EXPECT_EQ(AskOnce(server.port(), "/meanwhile").status, 200);
  echo.Release();
  EXPECT_EQ(client.Read().body, "now");
  TestClient dropped(server.port());
  ASSERT_TRUE(dropped.Send("GET /drop HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_TRUE(dropped.AtEnd());
}

TEST(Server, StopAnswersWhatHasCome) {
  Echo echo;
  TestServer server(echo);
  TestClient busy(server.port()), idle(server.port());
  EXPECT_EQ(idle.Ask("GET", "/").status, 200);
  ASSERT_TRUE(busy.Send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n"));
  echo.WaitFor(1);
  std::thread stopper([&] { server.server->Stop(milliseconds(10'000)); });
  EXPECT_TRUE(idle.AtEnd());
  EXPECT_FALSE(TestClient(server.port()).connected());
  echo.Release();
  const Answered answer = busy.Read();
  EXPECT_EQ(answer.body, "now");
  EXPECT_EQ(answer.headers.at("connection"), "close");
  stopper.join();
}

TEST(Server, StopDoesNotWaitForEver) {
  Echo echo;
  TestServer server(echo);
  TestClient busy(server.port());
  ASSERT_TRUE(busy.Send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n"));
  echo.WaitFor(1);
  server.server->Stop(milliseconds(20));
  EXPECT_TRUE(busy.AtEnd());
  echo.Release();
}

TEST(Server, HoldsNoMoreConnectionsThanItMay) {
  Echo echo;
  TestServer server(echo, {.max_connections = 2});
  auto first = std::make_unique<TestClient>(server.port());
  const TestClient second(server.port());
  std::atomic<bool> third_is_served{false};
  std::thread third([&] { third_is_served = AskOnce(server.port(), "/").status == 200; });
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_FALSE(third_is_served);
  first.reset();
  third.join();
  EXPECT_TRUE(third_is_served);
}

TEST(Server, TurnsAwayWhoComesBeyondTheLimit) {
  Echo echo;
  TestServer server(echo, {.max_connections = 1, .max_turned_away = 1});
  TestClient first(server.port());
  EXPECT_EQ(first.Ask("GET", "/a").status, 200);
  TestClient second(server.port());
  const Answered answer = second.Ask("GET", "/b");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, "too many connections\n");
  EXPECT_TRUE(second.AtEnd());
  EXPECT_EQ(first.Ask("GET", "/c").status, 200);
}

TEST(Server, APortThatIsTakenIsAnError) {
  Echo echo;
  const TestServer server(echo);
  const auto second = Server::Listen({.address = "127.0.0.1", .port = server.port()}, *server.identity);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, testing::HasSubstr("failed to listen on 127.0.0.1:"));
  EXPECT_FALSE(Server::Listen({.address = "nowhere"}, *server.identity));
}

class Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("ksched-serve-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void Write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(Files, AChangedPairIsTakenAndABrokenOneIsNot) {
  const auto use = [&](const std::string& name) {
    const auto pair = MakeSelfSigned(name, {"localhost"}, {});
    Write("tls.crt", pair->certificate_pem);
    Write("tls.key", pair->key_pem);
  };
  use("one");
  auto identity = TlsIdentity::FromFiles(Path("tls.crt"), Path("tls.key"), {});
  ASSERT_TRUE(identity) << identity.error().message;
  Echo echo;
  auto server = Server::Listen({.address = "127.0.0.1"}, **identity);
  ASSERT_TRUE(server);
  (*server)->Start(echo);
  const auto name = [&] { return TestClient((*server)->port()).server_name(); };
  std::vector<std::string> warned;
  const auto warn = [&](const std::string& text) { warned.push_back(text); };
  EXPECT_EQ(name(), "one");
  EXPECT_FALSE((*identity)->Check(warn));
  use("two");
  EXPECT_TRUE((*identity)->Check(warn));
  EXPECT_EQ(name(), "two");
  Write("tls.crt", MakeSelfSigned("three", {"localhost"}, {})->certificate_pem);
  EXPECT_FALSE((*identity)->Check(warn));
  EXPECT_FALSE((*identity)->Check(warn));
  EXPECT_EQ(name(), "two");
  std::filesystem::remove(folder_ / "tls.key");
  EXPECT_FALSE((*identity)->Check(warn));
  EXPECT_FALSE((*identity)->Check(warn));
  EXPECT_EQ(name(), "two");
  ASSERT_EQ(warned.size(), 2U);
  EXPECT_THAT(warned[0], testing::HasSubstr("do not belong together"));
  use("four");
  EXPECT_TRUE((*identity)->Check(warn));
  EXPECT_EQ(name(), "four");
}

TEST_F(Files, ASelfSignedPairIsKeptInItsFolder) {
  const auto made = SelfSignedIdentity(Path("made"), "kube-scheduler", {"127.0.0.1"}, {});
  ASSERT_TRUE(made) << made.error().message;
  const auto permissions = std::filesystem::status(folder_ / "made/kube-scheduler.key").permissions();
  EXPECT_EQ(permissions & std::filesystem::perms::all,
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto text = [&] {
    std::ifstream file(folder_ / "made/kube-scheduler.crt");
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string before = text();
  EXPECT_TRUE(SelfSignedIdentity(Path("made"), "kube-scheduler", {"127.0.0.1"}, {}));
  EXPECT_EQ(text(), before);
  EXPECT_TRUE(SelfSignedIdentity("", "kube-scheduler", {"127.0.0.1"}, {}));
}

}  // namespace
}  // namespace ksched::serve
