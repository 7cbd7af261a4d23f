#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/daemon_placement.h"
#include "controllers/testing.h"

namespace ksched::controllers {
namespace {

using testing::ElementsAre;

api::Taint TaintOf(const std::string& key, const std::string& effect) {
  return {.key = key, .value = {}, .effect = effect};
}

struct Scene {
  api::Workload desired = WorkloadOf("DaemonSet", 0), live;
  std::vector<DaemonNode> nodes;
  Request request;
  bool has_live = false;

  explicit Scene(std::vector<DaemonNode> given) : nodes(std::move(given)) {}
  // A pod on the node, of that revision.
  Scene& Has(const std::string& node, const std::string& revision, ManagedPod pod) {
    has_live = true;
    live.metadata.uid = "uid-web";
    pod.revision = revision;
    pod.node_name = pod.node_name.empty() ? "" : node;
    pod.target_node = node;
    request.existing.pods.push_back(std::move(pod));
    return *this;
  }
  Scene& OldOnAll() {
    for (const DaemonNode& node : nodes) Has(node.name, "old", PodOf("DaemonSet", "web", "old-" + node.name));
    request.template_changed = true;
    return *this;
  }
  Scene& Changed() {
    request.template_changed = true;
    return *this;
  }
  Scene& Bounds(int32_t surge, int32_t unavailable) {
    desired.max_surge = api::IntOrString{.is_text = false, .number = surge, .text = {}};
    desired.max_unavailable = api::IntOrString{.is_text = false, .number = unavailable, .text = {}};
    return *this;
  }
  Scene& OnDelete() {
    desired.strategy = "OnDelete";
    return *this;
  }
  Play Begin() {
    request.desired = &desired;
    request.nodes = nodes;
    if (has_live) request.existing.workload = &live;
    return Play(request);
  }
};

DaemonNode Node(const std::string& name, std::vector<api::Taint> taints = {}) {
  return {.name = name, .labels = {{"zone", "a"}}, .taints = std::move(taints)};
}
ManagedPod Pod(const std::string& name) { return PodOf("DaemonSet", "web", name); }

struct Row {
  const char* name;
  Scene scene;
  const char* steps;
};

TEST(DaemonSet, Steps) {
  std::vector<Row> rows = {
      {"one on each node", Scene({Node("a"), Node("b")}), "create web-0 web-1"},
      {"where none is", Scene({Node("a"), Node("b")}).Has("a", "r", Pod("x")), "create web-0"},
      {"not on a node that is tainted", Scene({Node("a", {TaintOf("k", "NoSchedule")}), Node("b")}), "create web-0"},
      {"one that is there stays", Scene({Node("a", {TaintOf("k", "NoSchedule")})}).Has("a", "r", Pod("x")), ""},
      {"unless it is driven out", Scene({Node("a", {TaintOf("k", "NoExecute")})}).Has("a", "r", Pod("x")), "remove x"},
      {"one is enough", Scene({Node("a")}).Has("a", "r", Pod("y")).Has("a", "r", Pod("x")), "remove y"},
      {"one that waits for a node that is gone", Scene({}).Has("gone", "r", Pending(Pod("x"))), "remove x"},
      {"one on a node that is gone", Scene({}).Has("gone", "r", Pod("x")), ""},
      {"a failed one is replaced",
       [] {
         ManagedPod failed = Broken(Pod("x"));
         failed.phase = "Failed";
         return Scene({Node("a")}).Has("a", "r", failed);
       }(),
       "remove x | create web-0"},
      {"an update, one after the other", Scene({Node("a"), Node("b")}).OldOnAll(),
       "remove old-a | create web-0 | remove old-b | create web-1"},
      {"two may be missing", Scene({Node("a"), Node("b"), Node("c")}).Bounds(0, 2).OldOnAll(),
       "remove old-a old-b | create web-0 web-1 | remove old-c | create web-2"},
      {"broken ones at once",
       Scene({Node("a"), Node("b")}).Has("a", "old", Pod("x")).Has("b", "old", Broken(Pod("y"))).Changed(),
       "remove y | create web-0 | remove x | create web-1"},
      {"with a surge", Scene({Node("a"), Node("b")}).Bounds(1, 0).OldOnAll(),
       "create web-0 | create web-1; remove old-a | remove old-b"},
      {"a surge, a node that is no longer wanted",
       [] {
         Scene scene = Scene({Node("a"), Node("b", {TaintOf("k", "NoSchedule")})}).Bounds(1, 0).OldOnAll();
         return scene;
       }(),
       "create web-0; remove old-b | remove old-a"},
      {"only when somebody deletes them", Scene({Node("a")}).OnDelete().OldOnAll(), ""},
  };
  for (Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.scene.Begin().All(), row.steps);
  }
}

TEST(DaemonSet, GenerationsSayWhichPodsAreUpdated) {
  Scene scene = Scene({Node("a"), Node("b")}).Has("a", "r1", Pod("x")).Has("b", "r2", Pod("y"));
  scene.live.metadata.annotations["deprecated.daemonset.template.generation"] = "2";
  scene.request.existing.pods[0].template_generation = "1";
  scene.request.existing.pods[1].template_generation = "2";
  scene.request.existing.pods[0].created = 100;  // made again later
  Play play = scene.Begin();
  EXPECT_EQ(play.All(), "remove x | create web-0");
  EXPECT_EQ(play.created[0].pod.metadata.labels.at("controller-revision-hash"), "r2");
  EXPECT_EQ(play.created[0].pod.metadata.labels.at("pod-template-generation"), "2");
}

TEST(DaemonSet, PodsAreTiedToTheirNodes) {
  Scene scene({Node("a")});
  api::NodeSelectorTerm term;
  term.match_expressions = {{"zone", "In", {"a"}}};
  scene.desired.pod_template.spec.affinity = api::Affinity{};
  scene.desired.pod_template.spec.affinity->node_affinity =
      api::NodeAffinity{.required = api::NodeSelector{{term}}, .preferred = {{1, term}}};
  Play play = scene.Begin();
  EXPECT_EQ(play.All(), "create web-0");
  const api::NodeAffinity& affinity = *play.created[0].pod.spec.affinity->node_affinity;
  const api::NodeSelectorTerm tied{.match_expressions = {}, .match_fields = {{"metadata.name", "In", {"a"}}}};
  EXPECT_THAT(affinity.required->terms, ElementsAre(tied));
  EXPECT_EQ(affinity.preferred.size(), 1U);
  EXPECT_TRUE(play.controller().progress().complete);
}

TEST(DaemonPlacement, Tolerations) {
  api::PodSpec spec;
  spec.tolerations = {{.key = "node.kubernetes.io/not-ready",
                       .op = "Exists",
                       .value = {},
                       .effect = "NoExecute",
                       .toleration_seconds = 30}};
  AddDaemonTolerations(spec);
  EXPECT_EQ(spec.tolerations.size(), 6U);
  EXPECT_FALSE(spec.tolerations[0].toleration_seconds) << "forever";
  spec.host_network = true;
  AddDaemonTolerations(spec);
  EXPECT_EQ(spec.tolerations.size(), 7U);
  EXPECT_EQ(spec.tolerations.back().key, "node.kubernetes.io/network-unavailable");
}

TEST(DaemonPlacement, Verdicts) {
  struct Row {
    const char* name;
    std::vector<api::Taint> taints;
    std::string zone, node_name;
    DaemonVerdict expected;
  };
  const Row rows[] = {
      {"a plain node", {}, "", "", {true, true}},
      {"its own tolerations", {TaintOf("node.kubernetes.io/unschedulable", "NoSchedule")}, "", "", {true, true}},
      {"a taint", {TaintOf("k", "NoSchedule")}, "", "", {false, true}},
      {"a taint that drives out", {TaintOf("k", "NoExecute")}, "", "", {false, false}},
      {"a taint that does not matter", {TaintOf("k", "PreferNoSchedule")}, "", "", {true, true}},
      {"the selector matches", {}, "a", "", {true, true}},
      {"the selector does not", {}, "b", "", {false, false}},
      {"another node is named", {}, "", "other", {false, false}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    api::PodSpec spec;
    AddDaemonTolerations(spec);
    spec.node_name = row.node_name;
    if (!row.zone.empty()) spec.node_selector["zone"] = row.zone;
    EXPECT_EQ(JudgeNode(spec, Node("n", row.taints)), row.expected);
  }
}

TEST(DaemonSet, Rejected) {
  Scene scene({Node("a"), Node("b")});
  Play play = scene.Begin();
  play.rejected = {"web-0"};
  EXPECT_EQ(play.All(), "create web-0 web-1");
  EXPECT_EQ(play.controller().progress().waiting_for, "1 of 2 pods are ready; 1 was rejected");
  play.controller().RetryRejected();
  EXPECT_EQ(play.All(), "create web-2");
}

}  // namespace
}  // namespace ksched::controllers
