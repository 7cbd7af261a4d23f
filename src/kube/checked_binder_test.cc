#include "kube/checked_binder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "base/manual_clock.h"
#include "framework/testing.h"
#include "kube/http_test_util.h"

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace testing_support;  // NOLINT

constexpr const char* kPath = "/api/v1/namespaces/default/pods/web";

class CheckedBinderTest : public testing::Test {
 protected:
  Reply Serve(const SeenRequest& request) {
    const std::lock_guard lock(mutex_);
    if (request.method == "POST") return binding_;
    return request.target == kPath ? pod_ : node_;
  }
  static Reply Pod(const std::string& spec, const std::string& metadata = R"("uid":"default/web")") {
    return Answer(200, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default",)" + metadata +
                           R"(},"spec":{"containers":[{"name":"c","image":"i"}])" + spec + "}}");
  }
  // "ok", or why not.
  std::string Bind(bool really = true) {
    CheckedBinder::Write write;
    if (really) {
      write = [this](const PodName& name, const std::string& node, PodWriter::Done done) {
        writer_.Bind(name, node, std::move(done));
      };
    }
    CheckedBinder binder(*client_, write, [this](const PodInfo&, api::Decoded&& node) -> Result<void> {
      if (check_.empty()) return {};
      return Error{api::MetadataOf(node.object).name + check_};
    });
    const PodInfo& pod = cluster_.state.pod_store().Add(MakePod("web"));
    std::string result;
    binder.Bind(pod, "n1", [&](const Result<void>& done) { result = done ? "ok" : done.error().message; });
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (result.empty() && std::chrono::steady_clock::now() < end) client_->Poll(milliseconds(5));
    const CheckedBinder::Refusal* refusal = binder.refusal("default/web");
    EXPECT_EQ(refusal == nullptr, result == "ok");
    blames_node_ = refusal != nullptr && refusal->node_is_to_blame;
    return result;
  }
  size_t bindings() const { return std::ranges::count(server_.seen(), std::string("POST"), &SeenRequest::method); }

  std::mutex mutex_;
  Reply pod_ = Pod(""), node_ = Answer(200, R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}})"),
        binding_ = Answer(201, "{}");
  std::string check_;
  bool blames_node_ = false;
  TestCluster cluster_;
  ManualClock wall_;
  ScriptedServer server_{[this](const SeenRequest& request, size_t) { return Serve(request); }};
  std::unique_ptr<HttpClient> client_ = MakeClient(ConfigFor(server_.url()));
  PodWriter writer_{*client_, wall_, {.first_backoff = milliseconds(1)}};
};

TEST_F(CheckedBinderTest, AsThingsAreItBinds) {
  EXPECT_EQ(Bind(), "ok");
  EXPECT_EQ(bindings(), 1u);
}

TEST_F(CheckedBinderTest, ADryRunOnlyLooks) {
  EXPECT_EQ(Bind(/*really=*/false), "ok");
  EXPECT_EQ(bindings(), 0u);
  EXPECT_EQ(server_.seen().size(), 2u);
}

TEST_F(CheckedBinderTest, WhatHasHappenedToThePod) {
  const std::pair<Reply, const char*> rows[] = {
      {Pod(R"(,"nodeName":"n2")"), "it is bound to node n2 already"},
      {Pod("", R"("uid":"default/web","deletionTimestamp":"2024-01-01T00:00:00Z")"), "it is being deleted"},
      {Pod("", R"("uid":"another")"), "it is gone, and another pod has its name"},
      {Pod(R"(,"schedulingGates":[{"name":"g"}])"), "it is held back by its scheduling gates: g"},
      {StatusAnswer(404, "NotFound", "not found"), "it is gone"},
  };
  for (const auto& [reply, why] : rows) {
    {
      const std::lock_guard lock(mutex_);
      pod_ = reply;
    }
    EXPECT_EQ(Bind(), why);
    EXPECT_FALSE(blames_node_);
    cluster_.state.pod_store().Remove(cluster_.state.pod_store().Find("default", "web")->id);
  }
  EXPECT_EQ(bindings(), 0u);
}

TEST_F(CheckedBinderTest, TheNodeIsGone) {
  node_ = StatusAnswer(404, "NotFound", "not found");
  EXPECT_EQ(Bind(), "node n1 is gone");
  EXPECT_TRUE(blames_node_);
}

TEST_F(CheckedBinderTest, TheNodeIsNoGoodAnyMore) {
  check_ = " is full";
  EXPECT_EQ(Bind(), "n1 is full");
  EXPECT_TRUE(blames_node_);
  EXPECT_EQ(bindings(), 0u);
}

TEST_F(CheckedBinderTest, SomebodyWasFaster) {
  binding_ = StatusAnswer(409, "Conflict", "pod web is already assigned to node n2");
  EXPECT_THAT(Bind(), HasSubstr("already assigned to node n2"));
  EXPECT_EQ(bindings(), 1u);
  EXPECT_FALSE(blames_node_);
}

TEST_F(CheckedBinderTest, WhatCannotBeAskedIsNotBound) {
  node_ = StatusAnswer(403, "Forbidden", "no nodes for you");
  EXPECT_THAT(Bind(), HasSubstr("no nodes for you"));
  EXPECT_EQ(bindings(), 0u);
}

}  // namespace
}  // namespace ksched::kube
