// PodTopologySpread's queueing hints.

#include <gtest/gtest.h>

#include "plugins/pod_topology_spread/pod_topology_spread.h"
#include "plugins/pod_topology_spread/testing.h"

namespace ksched {
namespace {

using namespace testing_support;

MakePod Pending(std::vector<Constraint> constraints) {
  MakePod made = MakePod("pending").Label("app", "web");
  made.pod.spec.topology_spread_constraints = std::move(constraints);
  return made;
}
MakePod Placed() { return MakePod("placed").Node("n1"); }

TEST(PodTopologySpreadEventsTest, AssignedPods) {
  struct Row {
    std::string name;
    std::optional<MakePod> before, after;
    std::string want;
    MakePod pod = Pending({Hard("zone"), Soft("rack")});
  };
  const MakePod web = Placed().Label("app", "web"), other = Placed().Label("app", "db");
  const MakePod away = MakePod(web).Namespace("other"), pending = MakePod("placed").Label("app", "web");
  const MakePod soft_only = Pending({Soft("zone")});
  const std::vector<Row> rows = {
      {"came, is meant", std::nullopt, web, "Queue"},
      {"came, is not meant", std::nullopt, other, "Skip"},
      {"came, in another namespace", std::nullopt, away, "Skip"},
      {"came, has no node", std::nullopt, pending, "Skip"},
      {"came, is nominated", std::nullopt, MakePod(pending).NominatedNode("n1"), "Queue"},
      {"went, is meant", web, std::nullopt, "Queue"},
      {"went, is not meant", other, std::nullopt, "Skip"},
      {"went, in another namespace", away, std::nullopt, "Skip"},
      {"is meant now", other, web, "Queue"},
      {"is not meant any more", web, other, "Queue"},
      {"other labels, meant all the same", web, MakePod(web).Label("x", "y"), "Skip"},
      {"labels stay", web, web, "Skip"},
      {"had no node before", pending, web, "Skip"},
      {"no hard constraints", std::nullopt, web, "Skip", soft_only},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<PodTopologySpread>(kNoDefaults);
    const PodInfo& pod = cluster.AddPod(row.pod);
    TestCluster others;
    EventObjects objects;
    if (row.before) {
      MakePod before = *row.before;
      before.pod.metadata.name = "before";
      objects.old_pod = &others.AddPod(before);
    }
    if (row.after) objects.new_pod = &others.AddPod(*row.after);
    const ActionType action = !row.before ? kAdd : !row.after ? kDelete : kUpdatePodLabel;
    EXPECT_EQ(Hint(*plugin, {EventResource::kAssignedPod, action}, pod, objects), row.want);
  }
}

TEST(PodTopologySpreadEventsTest, ThePodItself) {
  struct Row {
    std::string name;
    Constraint constraint;
    MakePod before, after;
    std::string want;
  };
  const Constraint plain = Hard("zone"), honors = TaintsPolicy(Hard("zone"), "Honor");
  const MakePod web = MakePod().Label("app", "web"), db = MakePod().Label("app", "db");
  const MakePod tolerant = MakePod(web).Toleration("a", "Exists", "", "");
  const std::vector<Row> rows = {
      {"a toleration, taints are honoured", honors, web, tolerant, "Queue"},
      {"a toleration, taints are ignored", plain, web, tolerant, "Skip"},
      {"means itself now", plain, db, web, "Queue"},
      {"does not any more", honors, web, db, "Queue"},
      {"another label", plain, web, MakePod(web).Label("x", "y"), "Skip"},
      {"nothing", honors, web, web, "Skip"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<PodTopologySpread>(kNoDefaults);
    MakePod before = row.before, after = row.after;
    before.pod.metadata.name = "before";
    before.pod.spec.topology_spread_constraints = after.pod.spec.topology_spread_constraints = {row.constraint};
    const PodInfo &old_pod = cluster.AddPod(before), &new_pod = cluster.AddPod(after);
    for (const ActionType action : {kUpdatePodLabel, kUpdatePodToleration}) {
      EXPECT_EQ(Hint(*plugin, {EventResource::kTargetPod, action}, new_pod, {.old_pod = &old_pod, .new_pod = &new_pod}),
                row.want);
    }
  }
}

TEST(PodTopologySpreadEventsTest, Nodes) {
  struct Row {
    std::string name;
    std::optional<MakeNode> before, after;
    std::string want;
    std::vector<Constraint> constraints = {Hard("zone"), Hard("rack"), Soft("row")};
  };
  const MakeNode in = MakeNode().Label("zone", "a").Label("rack", "1"), out = MakeNode().Label("zone", "a");
  const std::vector<Row> rows = {
      {"came with all keys", std::nullopt, in, "Queue"},
      {"came without one", std::nullopt, out, "Skip"},
      {"went with all keys", in, std::nullopt, "Queue"},
      {"went without one", out, std::nullopt, "Skip"},
      {"has all keys now", out, in, "Queue"},
      {"has lost one", in, out, "Queue"},
      {"another domain", in, MakeNode(in).Label("rack", "2"), "Queue"},
      {"another domain, one key is missing", out, MakeNode().Label("zone", "b"), "Skip"},
      {"another label", in, MakeNode(in).Label("row", "2"), "Skip"},
      {"a taint", in, MakeNode(in).Taint("a", "", "NoSchedule"), "Queue"},
      {"a taint, one key is missing", out, MakeNode(out).Taint("a", "", "NoSchedule"), "Skip"},
      // Without hard constraints every node has all keys.
      {"came, no hard constraints", std::nullopt, out, "Queue", {Soft("zone")}},
      {"changed, no hard constraints", in, out, "Skip", {Soft("zone")}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<PodTopologySpread>(kNoDefaults);
    const PodInfo& pod = cluster.AddPod(Pending(row.constraints));
    api::Node before, after;
    EventObjects objects;
    if (row.before) before = *row.before, objects.old_node = &before;
    if (row.after) after = *row.after, objects.new_node = &after;
    const ActionType action = !row.before ? kAdd : !row.after ? kDelete : kUpdateNodeLabel;
    EXPECT_EQ(Hint(*plugin, {EventResource::kNode, action}, pod, objects), row.want);
    if (action != kUpdateNodeLabel) continue;
    EXPECT_EQ(Hint(*plugin, {EventResource::kNode, kUpdateNodeTaint}, pod, objects), row.want);
  }
}

TEST(PodTopologySpreadEventsTest, DefaultConstraintsCountToo) {
  TestCluster cluster;
  cluster.state.objects().services.Put(ServiceOf("web", {{"app", "web"}}));
  const auto plugin = cluster.Create<PodTopologySpread>(DefaultList({Default("zone", "DoNotSchedule")}));
  const PodInfo &pod = cluster.AddPod(Pending({})), &placed = cluster.AddPod(Placed().Label("app", "web"));
  EXPECT_EQ(Hint(*plugin, kAssignedPodAdd, pod, {.new_pod = &placed}), "Queue");
  cluster.state.objects().services.Clear();
  EXPECT_EQ(Hint(*plugin, kAssignedPodAdd, pod, {.new_pod = &placed}), "Skip");
}

TEST(PodTopologySpreadEventsTest, OtherEvents) {
  TestCluster cluster;
  const auto plugin = cluster.Create<PodTopologySpread>(kNoDefaults);
  const PodInfo& pod = cluster.AddPod(Pending({Hard("zone")}));
  EXPECT_EQ(Hint(*plugin, {EventResource::kNode, kUpdateNodeAllocatable}, pod, {}), "not registered");
  EXPECT_EQ(Hint(*plugin, {EventResource::kAssignedPod, kUpdatePodScaleDown}, pod, {}), "not registered");
}

}  // namespace
}  // namespace ksched
