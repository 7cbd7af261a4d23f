#include <optional>

#include <gtest/gtest.h>

#include "plugins/inter_pod_affinity/affinity_testing.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"

namespace ksched {
namespace {

using namespace testing_support;

const api::PodAffinityTerm kWebByZone = Term("zone", {{"app", "web"}}), kXByZone = Term("zone", {{"tier", "x"}});
const config::InterPodAffinityArgs kDefaults;

TEST(InterPodAffinityHintsTest, AfterPodChange) {
  struct Row {
    std::string name;
    MakePod pod;
    std::optional<MakePod> before, now;
    std::string want;
  };
  const MakePod web = MakePod("web").Label("app", "web").Node("n1"), db = MakePod("db").Label("app", "db").Node("n1");
  const MakePod web_x = MakePod(web).Label("tier", "x");
  const MakePod wants_web = Affinity(MakePod(), {kWebByZone}), wants_both = Affinity(MakePod(), {kWebByZone, kXByZone});
  const MakePod shuns = AntiAffinity(MakePod(), {kWebByZone, kXByZone}), plain = MakePod().Label("app", "web");
  const MakePod shuns_web = AntiAffinity(db, {kWebByZone});
  const auto by_namespace = [](api::LabelSelector selector) {
    return Affinity(MakePod(), {InNamespacesThat(kWebByZone, std::move(selector))});
  };
  const std::vector<Row> rows = {
      {"came, is wanted", wants_web, {}, web, "Queue"},
      {"came, is not wanted", wants_web, {}, db, "Skip"},
      {"came, not all terms mean it", wants_both, {}, web, "Skip"},
      {"came, all terms mean it", wants_both, {}, web_x, "Queue"},
      {"came, nobody asked", plain, {}, web, "Skip"},
      {"came, is nominated only", wants_web, {}, MakePod(web).Node("").NominatedNode("n1"), "Queue"},
      {"came, but to no node", wants_web, {}, MakePod(web).Node(""), "Skip"},
      {"went, but from no node", shuns, MakePod(web).Node(""), {}, "Skip"},
      {"went, was shunned", shuns, web, {}, "Queue"},
      {"went, was not shunned", shuns, db, {}, "Skip"},
      {"went, shunned the pod", plain, shuns_web, {}, "Queue"},
      {"went, shunned another", wants_web, shuns_web, {}, "Skip"},
      {"went, was wanted", wants_web, web, {}, "Skip"},
      {"is wanted now", wants_web, db, web, "Queue"},
      {"was wanted before, too", wants_web, web, web_x, "Skip"},
      {"is not wanted any more", wants_web, web, db, "Skip"},
      {"is not shunned any more", shuns, web, db, "Queue"},
      {"is still shunned by another term", shuns, web_x, MakePod(db).Label("tier", "x"), "Skip"},
      {"is shunned now", shuns, db, web, "Skip"},
      // The hints see every namespace without labels, as in the reference.
      {"namespace selected by a label", by_namespace({{{"team", "blue"}}, {}}), {}, web, "Skip"},
      {"namespace selected by a label's absence", by_namespace({{}, {{"team", "DoesNotExist", {}}}}), {}, web, "Queue"},
      {"all namespaces", by_namespace({}), {}, MakePod(web).Namespace("other"), "Queue"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    api::Namespace ns;
    ns.metadata.name = "default";
    ns.metadata.labels["team"] = "blue";
    cluster.state.objects().namespaces.Put(ns);
    const auto plugin = cluster.Create<InterPodAffinity>(kDefaults);
    const auto info = [&](std::optional<MakePod> pod, const char* suffix) -> const PodInfo* {
      if (!pod) return nullptr;
      pod->pod.metadata.name += suffix;  // both versions are in the store here
      return &cluster.state.pod_store().Add(*pod);
    };
    const ActionType action = !row.before ? kAdd : !row.now ? kDelete : kUpdatePodLabel;
    EXPECT_EQ(Hint(*plugin, {EventResource::kAssignedPod, action}, cluster.AddPod(row.pod),
                   {.old_pod = info(row.before, "-before"), .new_pod = info(row.now, "-now")}),
              row.want);
  }
}

TEST(InterPodAffinityHintsTest, AfterNodeChange) {
  struct Row {
    std::string name;
    MakePod pod;
    std::optional<MakeNode> before;  // absent: the node is new
    MakeNode now;
    std::string want;
  };
  const MakePod wants = Affinity(MakePod(), {kWebByZone}), shuns = AntiAffinity(MakePod(), {kWebByZone});
  const MakeNode bare("n1"), a = MakeNode("n1").Label("zone", "a"), b = MakeNode("n1").Label("zone", "b");
  const std::vector<Row> rows = {
      {"affinity, new with the key", wants, {}, a, "Queue"},
      {"affinity, new without the key", wants, {}, bare, "Skip"},
      {"affinity, has the key now", wants, bare, a, "Queue"},
      {"affinity, has moved", wants, a, b, "Queue"},
      {"affinity, the same domain", wants, a, MakeNode(a).Label("x", "y"), "Skip"},
      {"affinity, has lost the key", wants, a, bare, "Skip"},
      {"anti-affinity, new with the key", shuns, {}, a, "Queue"},
      {"anti-affinity, new without the key", shuns, {}, bare, "Queue"},
      {"anti-affinity, has the key now", shuns, bare, a, "Skip"},
      {"anti-affinity, has moved", shuns, a, b, "Queue"},
      {"anti-affinity, has lost the key", shuns, a, bare, "Queue"},
      {"anti-affinity, the same domain", shuns, a, MakeNode(a).Label("x", "y"), "Skip"},
      {"any term", AntiAffinity(wants, {Term("rack", {})}), a, b, "Queue"},
      {"preferred terms ask for nothing", PrefersNot(Prefers(MakePod(), 1, kWebByZone), 1, kWebByZone), {}, a, "Skip"},
      {"no terms", MakePod(), {}, a, "Skip"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<InterPodAffinity>(kDefaults);
    const api::Node before = row.before.value_or(bare), now = row.now;
    const ClusterEvent event{EventResource::kNode, row.before ? kUpdateNodeLabel : kAdd};
    EXPECT_EQ(
        Hint(*plugin, event, cluster.AddPod(row.pod), {.old_node = row.before ? &before : nullptr, .new_node = &now}),
        row.want);
  }
}

TEST(InterPodAffinityHintsTest, OtherEvents) {
  TestCluster cluster;
  const auto plugin = cluster.Create<InterPodAffinity>(kDefaults);
  const PodInfo& pod = cluster.AddPod(MakePod());
  EXPECT_EQ(Hint(*plugin, {EventResource::kTargetPod, kUpdatePodLabel}, pod, {.old_pod = &pod, .new_pod = &pod}),
            "Queue");
  for (const ClusterEvent& event : std::vector<ClusterEvent>{{EventResource::kAssignedPod, kUpdatePodScaleDown},
                                                             {EventResource::kUnscheduledPod, kDelete},
                                                             {EventResource::kTargetPod, kUpdatePodToleration},
                                                             {EventResource::kNode, kDelete},
                                                             {EventResource::kNode, kUpdateNodeTaint}}) {
    EXPECT_EQ(Hint(*plugin, event, pod, {}), "not registered");
  }
}

}  // namespace
}  // namespace ksched
