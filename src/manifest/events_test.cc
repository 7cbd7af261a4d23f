#include "manifest/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifest/loader.h"
#include "manifest/testing.h"

namespace ksched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kCluster = R"(
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: v1
kind: Pod
metadata: {name: running, uid: u1}
spec: {nodeName: n1, schedulerName: s, priority: 4, containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: Pod
metadata: {name: waiting, annotations: {whole: 'yes'}}
spec: {priority: 5, preemptionPolicy: Never, containers: [{name: c, image: i}]}
status: {phase: Pending, nominatedNodeName: n1}
)";

std::string Event(const std::string& at, const std::string& type, const std::string& object) {
  return "---\natMs: " + at + "\ntype: " + type + "\nobject: " + object + "\n";
}
std::string Pod(const std::string& name, const std::string& spec = "", const std::string& metadata = "") {
  return "{apiVersion: v1, kind: Pod, metadata: {name: " + name + (metadata.empty() ? "" : ", " + metadata) +
         "}, spec: {containers: [{name: c, image: i}]" + (spec.empty() ? "" : ", " + spec) + "}}";
}
std::string Named(const std::string& kind, const std::string& name) {
  return "{kind: " + kind + ", metadata: {name: " + name + "}}";
}

class EventsTest : public testing::Test {
 protected:
  EventsTest() : store_(names_, {}) {}
  void Load(const std::string& events) {
    InputOptions options;
    options.snapshots = {files_.Write("cluster.yaml", kCluster)};
    options.events = files_.Write("events.yaml", events);
    loaded_ = LoadInput(options, store_);
    for (std::string& error : loaded_.errors) error = files_.Short(error);
  }
  const std::vector<TimedEvent>& events() const { return loaded_.input.events; }

  TestFiles files_;
  ResourceNames names_;
  PodStore store_;
  LoadedInput loaded_;
};

TEST_F(EventsTest, SortedByTimeThenAsTheyStand) {
  Load(Event("30", "delete", Named("Node", "n1")) + Event("10", "add", Pod("b")) +
       Event("30", "delete", Named("Pod", "b")) + Event("0", "add", Pod("a")));
  EXPECT_THAT(loaded_.errors, IsEmpty());
  ASSERT_THAT(events(), SizeIs(4));
  EXPECT_EQ(events()[0].name, "a");
  EXPECT_EQ(events()[1].name, "b");
  EXPECT_EQ(events()[2].kind, "Node");
  EXPECT_EQ(events()[3].type, TimedEvent::Type::kDelete);
  EXPECT_EQ(events()[3].ns, "default");
  EXPECT_EQ(std::get<api::Pod>(events()[3].object).metadata.name, "b");
}

TEST_F(EventsTest, AnUpdateKeepsWhatItDoesNotSay) {
  Load(Event("1", "update", Pod("running", "schedulerName: s")) + Event("2", "update", Pod("waiting")) +
       Event("3", "update", Pod("waiting", "nodeName: n1")));
  EXPECT_THAT(loaded_.errors, IsEmpty());
  ASSERT_THAT(events(), SizeIs(3));
  const auto& running = std::get<api::Pod>(events()[0].object);
  EXPECT_TRUE(events()[0].keeps_status);
  EXPECT_EQ(running.metadata.uid, "u1");
  EXPECT_EQ(running.spec.node_name, "n1");
  EXPECT_EQ(running.spec.priority, 4);
  const auto& waiting = std::get<api::Pod>(events()[1].object);
  EXPECT_EQ(waiting.spec.priority, 5);
  EXPECT_EQ(waiting.spec.preemption_policy, "Never");
  EXPECT_EQ(std::get<api::Pod>(events()[2].object).spec.node_name, "n1");
  const auto& whole = loaded_.input.event_pods;
  ASSERT_THAT(whole, SizeIs(2));
  EXPECT_EQ(whole.at("default/waiting").metadata.annotations.at("whole"), "yes");
  EXPECT_EQ(whole.at("default/waiting").status.nominated_node_name, "n1");
}

TEST_F(EventsTest, ClassesThatExistByThen) {
  const std::string gold = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: gold}, value: 70}";
  Load(Event("1", "add", gold) + Event("2", "add", Pod("a", "priorityClassName: gold")) +
       Event("3", "delete", Named("PriorityClass", "gold")) + Event("4", "add", Pod("b", "priorityClassName: gold")));
  EXPECT_THAT(loaded_.errors,
              ElementsAre(HasSubstr("event at 4 ms: Pod default/b: no PriorityClass with name gold was found")));
  EXPECT_EQ(std::get<api::Pod>(events()[1].object).spec.priority, 70);
}

TEST_F(EventsTest, NamespacesOfEventsExistFromTheBeginning) {
  Load(Event("1", "add", Pod("a", "", "namespace: late")) +
       Event("2", "add", "{apiVersion: v1, kind: Namespace, metadata: {name: late}}"));
  EXPECT_THAT(loaded_.errors, ElementsAre(HasSubstr("Namespace late: it exists already")));
  EXPECT_NE(loaded_.input.objects.namespaces.Find("late"), nullptr);
}

struct ErrorCase {
  const char* name;
  std::string events;
  const char* error;
};

TEST_F(EventsTest, Errors) {
  const ErrorCase cases[] = {
      {"an unknown field", "atMs: 1\ntype: delete\nwhen: 3\nobject: " + Named("Pod", "running"),
       "events.yaml:1: unknown field \"when\""},
      {"no time", "type: delete\nobject: " + Named("Pod", "running"),
       "atMs has to be a number of milliseconds from 0 to 1000000000"},
      {"a negative time", Event("-1", "delete", Named("Pod", "running")), "atMs has to be"},
      {"a fraction", Event("1.5", "delete", Named("Pod", "running")), "atMs has to be"},
      {"too late", Event("1000000001", "delete", Named("Pod", "running")), "atMs has to be"},
      {"a type", Event("1", "create", Pod("a")), "type \"create\" is none of add, update and delete"},
      {"no object", "atMs: 1\ntype: add\n", "an event needs an object"},
      {"no map", "[1]", "events.yaml:1: expected an object, found an array"},
      {"a kind", Event("1", "add", "{apiVersion: v1, kind: ConfigMap, metadata: {name: m}}"),
       "unknown kind v1 ConfigMap"},
      {"the kind of a delete", Event("1", "delete", Named("Gadget", "g")), "unknown kind Gadget"},
      {"a workload", Event("1", "delete", Named("DaemonSet", "d")), "events of a DaemonSet are not played"},
      {"a name", Event("1", "delete", "{kind: Pod, metadata: {}}"), "Pod without metadata.name"},
      {"an invalid object", Event("1", "add", Pod("a", "hostNetwork: 7")), "events.yaml:4: Pod a: spec.hostNetwork: "},
      {"what exists", Event("1", "add", Pod("running")),
       "events.yaml:2: event at 1 ms: Pod default/running: it exists already"},
      {"what an event made", Event("1", "add", Pod("a")) + Event("2", "add", Pod("a")),
       "event at 2 ms: Pod default/a: it exists already"},
      {"nothing to update", Event("1", "update", Pod("a")), "there is no such object to update"},
      {"nothing to delete", Event("1", "delete", Named("Node", "n2")), "there is no such object to delete"},
      {"gone", Event("1", "delete", Named("Pod", "running")) + Event("2", "delete", Named("Pod", "running")),
       "there is no such object to delete"},
      {"another uid", Event("1", "update", Pod("running", "schedulerName: s", "uid: u2")),
       "metadata.uid is u1, not u2"},
      {"another scheduler", Event("1", "update", Pod("running")), "spec.schedulerName cannot change"},
      {"another node", Event("1", "update", Pod("running", "schedulerName: s, nodeName: n2")),
       "spec.nodeName cannot change"},
      {"the node that an event gave",
       Event("1", "update", Pod("waiting", "nodeName: n1")) + Event("2", "update", Pod("waiting", "nodeName: n2")),
       "spec.nodeName cannot change"},
  };
  for (const ErrorCase& test : cases) {
    SCOPED_TRACE(test.name);
    ResourceNames names;
    PodStore store(names, {});
    InputOptions options;
    options.snapshots = {files_.Write("cluster.yaml", kCluster)};
    options.events = files_.Write("events.yaml", test.events);
    const LoadedInput loaded = LoadInput(options, store);
    ASSERT_THAT(loaded.errors, SizeIs(1));
    EXPECT_THAT(files_.Short(loaded.errors[0]), HasSubstr(test.error));
  }
}

}  // namespace
}  // namespace ksched
