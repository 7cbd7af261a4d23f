// The ports of a live scheduler: what they write in which order, and what late answers do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <mutex>

#include "kube/http_test_util.h"
#include "kube/pod_ports.h"
#include "kube/victims_port.h"
#include "scheduler/scheduler_testing.h"

namespace ksched::kube {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

class LivePortsTest : public testing_support::SchedulerTest {
 protected:
  // By method and path: those that start with a key get its answer, all others 200.
  Reply ReplyTo(const SeenRequest& request) {
    const std::lock_guard lock(mutex_);
    for (const auto& [start, reply] : replies_) {
      if ((request.method + " " + request.target).starts_with(start)) return reply;
    }
    return Answer(200, "{}");
  }
  void Replies(const std::string& start, Reply reply) {
    const std::lock_guard lock(mutex_);
    replies_.insert_or_assign(start, std::move(reply));
  }
  PodInfo& Pod(const std::string& name, const std::string& node = "") {
    api::Pod pod;
    pod.metadata.ns = "shop";
    pod.metadata.name = name;
    pod.metadata.uid = "uid-" + name;
    pod.spec.node_name = node;
    return cluster_.AddPod(std::move(pod));
  }
  void Poll(const std::function<bool()>& until) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!until() && std::chrono::steady_clock::now() < end) client_->Poll(milliseconds(5));
    EXPECT_TRUE(until());
  }
  std::vector<std::string> Requests() const {
    std::vector<std::string> requests;
    for (const SeenRequest& seen : server_.seen()) requests.push_back(seen.method + " " + seen.target.substr(23));
    return requests;
  }

  std::mutex mutex_;
  std::map<std::string, Reply> replies_;
  ScriptedServer server_{[this](const SeenRequest& request, size_t) { return ReplyTo(request); }};
  std::unique_ptr<HttpClient> client_ = MakeClient(ConfigFor(server_.url()));
  PodWriter writer_{*client_, clock_, {.first_backoff = milliseconds(1)}};
  BindingWriter bindings_{*client_, writer_, {}};
  EventWriter events_{*client_, clock_, {}};
  std::vector<std::string> failures_;
  PodPorts pods_{bindings_, writer_, events_, [this](const std::string& text) { failures_.push_back(text); }};
  VictimsPort victims_{writer_, events_, cluster_.state,
                       [this](const std::string& text) { failures_.push_back(text); }};
};

TEST_F(LivePortsTest, OfStatusesThatWaitOnlyTheNewestIsWritten) {
  const PodInfo& pod = Pod("web");
  for (const char* message : {"first", "second", "third"}) pods_.Write(pod, {"Unschedulable", message, true, "n1"});
  EXPECT_EQ(pods_.statuses(), 2U);
  Poll([&] { return pods_.idle(); });
  EXPECT_EQ(pods_.statuses(), 0U);
  ASSERT_THAT(Requests(), ElementsAre("PATCH /pods/web/status", "PATCH /pods/web/status"));
  EXPECT_THAT(server_.seen()[0].body, HasSubstr("first"));
  EXPECT_THAT(server_.seen()[1].body, HasSubstr("third"));
  // The first has said where it is nominated to.
  EXPECT_THAT(server_.seen()[1].body, testing::Not(HasSubstr("nominatedNodeName")));
}

TEST_F(LivePortsTest, AStatusThatGoesBackIsWrittenThoughThePodIsNotKnownToHaveChanged) {
  const PodInfo& pod = Pod("web");
  pods_.Expect(pod, "n1");
  pods_.ClearNomination(pod);
  Poll([&] { return pods_.idle(); });
  ASSERT_EQ(server_.seen().size(), 2U);
  EXPECT_THAT(server_.seen()[1].body, HasSubstr("\"nominatedNodeName\":null"));
}

TEST_F(LivePortsTest, ABindingComesBeforeStatusesThatWait) {
  const PodInfo& pod = Pod("web");
  std::vector<std::string> ended;
  pods_.Write(pod, {"Unschedulable", "first"});
  pods_.Write(pod, {"Unschedulable", "second"});
  pods_.Bind(pod, "n1", [&](const Result<void>& result) { ended.emplace_back(result ? "bound" : "not"); });
  Poll([&] { return pods_.idle(); });
  EXPECT_THAT(Requests(), ElementsAre("PATCH /pods/web/status", "POST /pods/web/binding"));
  EXPECT_THAT(ended, ElementsAre("bound"));
}

TEST_F(LivePortsTest, TheLastVictimGoesLast) {
  CreateScheduler();
  victims_.set_scheduler(*scheduler_);
  const PodInfo& preemptor = Pod("important");
  const std::array victims = {Pod("a", "n1").id, Pod("b", "n1").id};
  victims_.Evict(victims, preemptor, "n1");
  EXPECT_TRUE(victims_.IsPreempting(preemptor));
  Poll([&] { return victims_.idle(); });
  EXPECT_FALSE(victims_.IsPreempting(preemptor));
  std::vector<std::string> of_pods;
  for (const std::string& one : Requests()) {
    if (one.find(" /pods/") != std::string::npos) of_pods.push_back(one);
  }
  EXPECT_THAT(of_pods, ElementsAre("PATCH /pods/a/status", "DELETE /pods/a", "PATCH /pods/b/status", "DELETE /pods/b"));
}

// The watch is faster than the answer, and the preemptor has looked again meanwhile.
TEST_F(LivePortsTest, AnswersOfAnEarlierPreemptionEndNothing) {
  CreateScheduler();
  victims_.set_scheduler(*scheduler_);
  const PodInfo& preemptor = Pod("important");
  const std::array first = {Pod("a", "n1").id}, second = {Pod("b", "n1").id};
  const std::string status_of_b = "PATCH /api/v1/namespaces/shop/pods/b/status";
  Replies(status_of_b, Reply{.hang = true});
  victims_.Evict(first, preemptor, "n1");
  victims_.Evict(second, preemptor, "n1");
  Poll([&] { return writer_.running() == 1; });  // all of "a"
  EXPECT_FALSE(victims_.idle());
  EXPECT_TRUE(failures_.empty());
}

// What would wake the preemptor has come already, when it was held back.
TEST_F(LivePortsTest, AVictimThatHasGoneBeforeItsTurnWakesThePreemptor) {
  configuration_.pod_initial_backoff_seconds = 0;
  CreateScheduler();
  victims_.set_scheduler(*scheduler_);
  PodInfo& preemptor = Pod("important");
  scheduler_->queue().Add(preemptor.id);
  QueuedPodInfo* queued = scheduler_->queue().Pop();
  ASSERT_NE(queued, nullptr);
  queued->ClearRejectors();
  queued->unschedulable_plugins.Insert(0);
  scheduler_->queue().AddUnschedulableIfNotPresent(*queued);
  EXPECT_FALSE(scheduler_->queue().Ready());
  const PodId last = Pod("b", "n1").id;
  victims_.Evict(std::array{Pod("a", "n1").id, last}, preemptor, "n1");
  cluster_.state.RemovePod(cluster_.state.pod_store().Get(last));
  cluster_.state.pod_store().Remove(last);
  Replies("PATCH /api/v1/namespaces/shop/pods/b/status", StatusAnswer(404, "NotFound", "no pod"));
  Poll([&] { return victims_.idle(); });
  EXPECT_TRUE(scheduler_->queue().Ready());
}

// Its PodId belongs to another pod by now, which is left in peace.
TEST_F(LivePortsTest, AVictimThatHasGoneIsNotTakenForAnother) {
  CreateScheduler();
  victims_.set_scheduler(*scheduler_);
  const PodInfo& preemptor = Pod("important");
  const PodInfo& victim = Pod("a");
  const PodId id = victim.id;
  const std::array others = {Pod("b", "n1").id, id};
  victims_.Evict(others, preemptor, "n1");
  cluster_.state.pod_store().Remove(id);
  EXPECT_EQ(Pod("innocent").id, id);
  Poll([&] { return victims_.idle(); });
  for (const SeenRequest& seen : server_.seen()) EXPECT_THAT(seen.target, testing::Not(HasSubstr("innocent")));
}

}  // namespace
}  // namespace ksched::kube
