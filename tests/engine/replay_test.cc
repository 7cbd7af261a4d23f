// Recordings of a cluster (`simulate --record`), played again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "default_setup.h"
#include "manifest/loader.h"
#include "manifest/testing.h"
#include "simulate/simulate.h"

namespace ksched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Line(int at_ms, const std::string& type, const std::string& object) {
  return R"({"atMs":)" + std::to_string(at_ms) + R"(,"type":")" + type + R"(","object":)" + object + "}\n";
}

std::string Node(const std::string& name, int cpu) {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"("},"status":{"allocatable":{"cpu":")" +
         std::to_string(cpu) + R"(","pods":"10"}}})";
}

std::string Pod(const std::string& name, int cpu, const std::string& spec = "", const std::string& status = "") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + R"(","namespace":"default","uid":"u-)" +
         name + R"("},"spec":{)" + spec + R"("containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":")" +
         std::to_string(cpu) + R"("}}}]},"status":{)" + status + "}}";
}
std::string On(const std::string& node) { return R"("nodeName":")" + node + R"(",)"; }

std::string Deleted(const std::string& kind, const std::string& name) {
  return R"({"apiVersion":"v1","kind":")" + kind + R"(","metadata":{"namespace":"default","name":")" + name + R"("}})";
}

constexpr const char* kRunning = R"("phase":"Running")";
constexpr const char* kHead = R"({"apiVersion":"ksched.dev/v1alpha1","kind":"ClusterSnapshot"})";

class ReplayTest : public testing::Test {
 protected:
  // A recording with its head.
  void Run(const std::string& recording, const std::string& manifest = "") {
    RunAsItIs(Line(0, "add", kHead) + recording, manifest);
  }
  void RunAsItIs(const std::string& recording, const std::string& manifest = "") {
    const DefaultSetup setup;
    ClusterState state;
    InputOptions options;
    options.recording = files_.Write("recording.json", recording);
    options.schedulers = {"default-scheduler"};
    options.admission = AdmissionPlugins::all();
    if (!manifest.empty()) options.manifests = {files_.Write("manifest.yaml", manifest)};
    LoadedInput loaded = LoadInput(options, state.pod_store());
    errors_ = loaded.errors;
    notices_ = loaded.notices;
    if (!errors_.empty()) return;
    auto report = Simulate(state, std::move(loaded.input), {setup.configuration, setup.features, setup.registry});
    ASSERT_TRUE(report.ok()) << report.error().message;
    report_ = std::move(*report);
  }
  // "web Scheduled n1"
  std::vector<std::string> Results() const {
    std::vector<std::string> texts;
    texts.reserve(report_.pods.size());
    for (const PodOutcome& pod : report_.pods) texts.push_back(pod.name + " " + pod.result + " " + pod.node);
    return texts;
  }

  TestFiles files_;
  SchedulingReport report_;
  std::vector<std::string> errors_, notices_;
};

TEST_F(ReplayTest, PodsThatWaitedArePlacedAnew) {
  Run(Line(0, "add", Node("n1", 1)) + Line(0, "add", Pod("old", 1, On("n1"), kRunning)) +
      Line(0, "add", Pod("waiting", 1)) + Line(1000, "add", Node("n2", 2)) +
      Line(1200, "update", Pod("waiting", 1, On("n2"))) + Line(1300, "update", Pod("waiting", 1, On("n2"), kRunning)) +
      Line(2000, "add", Pod("later", 1)) + Line(2100, "update", Pod("later", 1, On("n2"))) +
      Line(2500, "add", Pod("big", 50)));
  EXPECT_THAT(errors_, IsEmpty());
  EXPECT_THAT(Results(), ElementsAre("waiting Scheduled n2", "later Scheduled n2", "big Unschedulable "));
}

TEST_F(ReplayTest, EverythingElseHappensAsItDid) {
  // The pod that is not ours to place takes its node as it did, and what goes makes room.
  Run(Line(0, "add", Node("n1", 1)) + Line(0, "add", Pod("foreign", 1, R"("schedulerName":"other",)")) +
      Line(10, "update", Pod("foreign", 1, R"("schedulerName":"other",)" + On("n1"))) +
      Line(20, "add", Pod("ours", 1)) + Line(5000, "delete", Deleted("Pod", "foreign")) +
      Line(5001, "update", Pod("ours", 1, On("n1"))));
  EXPECT_THAT(errors_, IsEmpty());
  EXPECT_THAT(Results(), ElementsAre("ours Scheduled n1"));
}

TEST_F(ReplayTest, APodThatEndedTakesNothing) {
  Run(Line(0, "add", Node("n1", 1)) + Line(0, "add", Pod("job", 1)) + Line(100, "update", Pod("job", 1, On("n1"))) +
      Line(200, "update", Pod("job", 1, On("n1"), R"("phase":"Succeeded")")) + Line(300, "add", Pod("next", 1)));
  EXPECT_THAT(Results(), ElementsAre("job Scheduled n1", "next Scheduled n1"));
}

TEST_F(ReplayTest, TheBeginningIsWhatWasThereInTheEnd) {
  // While the cluster is listed things change, too.
  Run(Line(0, "add", Node("n1", 1)) + Line(0, "update", Node("n1", 4)) + Line(0, "add", Pod("gone", 4, On("n1"))) +
      Line(0, "delete", Deleted("Pod", "gone")) + Line(0, "add", Pod("p", 4)));
  EXPECT_THAT(Results(), ElementsAre("p Scheduled n1"));
}

TEST_F(ReplayTest, ManifestsAreScheduledIntoIt) {
  Run(Line(0, "add", Node("n1", 1)) + Line(0, "add", Pod("old", 1, On("n1"), kRunning)) +
          Line(60000, "delete", Deleted("Pod", "old")),
      "apiVersion: v1\nkind: Pod\nmetadata: {name: new}\nspec:\n  containers: [{name: c, image: i, resources: "
      "{requests: {cpu: 1}}}]\n");
  EXPECT_THAT(Results(), ElementsAre("new Scheduled n1"));
}

TEST_F(ReplayTest, ARecordingThatIsCutOffIsReadAsFarAsItGoes) {
  const std::string whole = Line(0, "add", Node("n1", 1)) + Line(5, "add", Pod("p", 1)) + Line(6, "add", Pod("q", 1));
  Run(whole.substr(0, whole.size() - 20));
  EXPECT_THAT(errors_, IsEmpty());
  EXPECT_THAT(notices_, ElementsAre(HasSubstr("the recording is read up to its event 3: ")));
  EXPECT_THAT(Results(), ElementsAre("p Scheduled n1"));
}

TEST_F(ReplayTest, WhatIsNoRecordingIsAnError) {
  RunAsItIs("apiVersion: v1\nkind: Pod\n");
  EXPECT_THAT(errors_, testing::Contains(HasSubstr("unknown field \"apiVersion\" of an event")));
  RunAsItIs("{");
  EXPECT_FALSE(errors_.empty());
}

TEST_F(ReplayTest, OneClusterFromItsBeginning) {
  const std::string node = Line(0, "add", Node("n1", 1));
  for (const std::string& text : {std::string(), node}) {
    RunAsItIs(text);
    EXPECT_THAT(errors_, ElementsAre(HasSubstr("the recording ends before the cluster had been read")));
  }
  Run(node + Line(0, "add", kHead));
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("there are several recordings in it")));
}

TEST_F(ReplayTest, ARecordHasAllOfAnObject) {
  // What an update has not got is gone, unlike in a file of events.
  const std::string bare = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}})";
  Run(Line(0, "add", Node("n1", 1)) + Line(5, "update", bare) + Line(10, "add", Pod("p", 1)));
  EXPECT_THAT(Results(), ElementsAre("p Unschedulable "));
}

TEST_F(ReplayTest, KindsThatAreNotRead) {
  Run(Line(0, "add", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}})"));
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("unknown kind v1 ConfigMap")));
}

TEST_F(ReplayTest, TimesThatNoClockShows) {
  Run(R"({"atMs":9223372036855,"type":"add","object":)" + Node("n1", 1) + "}");
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("atMs has to be a number of milliseconds from 0 to 922337")));
}

TEST_F(ReplayTest, ALongNightIsPlayedToItsEnd) {
  // One that fails all night with an error is tried again and again; what comes in the morning counts all the same.
  std::string night = Line(0, "add", Node("n1", 1));
  night += Line(0, "add", Pod("claims", 1, R"("resourceClaims":[{"name":"gpu","resourceClaimName":"gpu"}],)"));
  for (int hour = 1; hour <= 48; ++hour) night += Line(hour * 3'600'000, "update", Node("n1", 1 + hour % 2));
  Run(night + Line(49 * 3'600'000, "add", Pod("morning", 1)));
  EXPECT_THAT(Results(), testing::Contains("morning Scheduled n1"));
}

}  // namespace
}  // namespace ksched
