#include "plugins/pod_topology_spread/default_selector.h"

#include <gtest/gtest.h>

#include "api/label_selector.h"
#include "plugins/pod_topology_spread/testing.h"

namespace ksched {
namespace {

using namespace testing_support;

api::Workload WorkloadOf(const std::string& name, const Pairs& selector) {
  api::Workload workload;
  workload.metadata.ns = "default";
  workload.metadata.name = name;
  workload.selector = MatchLabels(selector);
  return workload;
}

MakePod OwnedBy(std::string api_version, std::string kind, bool controls = true) {
  MakePod made = MakePod().Label("app", "web").Label("tier", "front");
  made.pod.metadata.owner_references = {{std::move(api_version), std::move(kind), "owner", "uid", controls}};
  return made;
}

// The selector as text: labels, then expressions.
std::string Text(const api::LabelSelector& selector) {
  std::string text;
  for (const auto& [key, value] : selector.match_labels) text += key + "=" + value + " ";
  for (const auto& one : selector.match_expressions) {
    text += one.key + " " + one.op;
    for (const std::string& value : one.values) text += " " + value;
    text += "; ";
  }
  return text;
}

TEST(DefaultSelectorTest, ServicesAndControllers) {
  struct Row {
    std::string name;
    MakePod pod;
    std::vector<api::Service> services;
    std::string want;
  };
  const auto in = [](api::Service service, std::string ns) { return service.metadata.ns = std::move(ns), service; };
  const api::Service web = ServiceOf("web", {{"app", "web"}}), front = ServiceOf("front", {{"tier", "front"}});
  const api::Service db = ServiceOf("db", {{"app", "db"}}), all = ServiceOf("all", {});
  const MakePod plain = MakePod().Label("app", "web").Label("tier", "front");
  const std::vector<Row> rows = {
      {"nothing", plain, {}, ""},
      {"services that mean it", plain, {web, front}, "app=web tier=front "},
      {"another service", plain, {db, web}, "app=web "},
      {"a service without a selector", plain, {all}, ""},
      {"services of other namespaces", plain, {in(web, "a"), in(web, "z"), front}, "tier=front "},
      {"a ReplicaSet", OwnedBy("apps/v1", "ReplicaSet"), {}, "app In web; hash Exists; "},
      {"a ReplicaSet and a service", OwnedBy("apps/v1", "ReplicaSet"), {front}, "tier=front app In web; hash Exists; "},
      {"a StatefulSet", OwnedBy("apps/v1", "StatefulSet"), {}, "app In web; "},
      {"a ReplicationController", OwnedBy("v1", "ReplicationController"), {front}, "app=rc tier=front "},
      {"a ReplicationController has the last word", OwnedBy("v1", "ReplicationController"), {web}, "app=rc "},
      {"a ReplicaSet of another group", OwnedBy("example.com/v1", "ReplicaSet"), {}, ""},
      {"a ReplicationController of another version", OwnedBy("v2", "ReplicationController"), {}, ""},
      {"a StatefulSet of another version", OwnedBy("apps/v1beta1", "StatefulSet"), {}, ""},
      {"an owner that does not control it", OwnedBy("apps/v1", "ReplicaSet", false), {}, ""},
      {"another kind", OwnedBy("batch/v1", "Job"), {web}, "app=web "},
      {"a controller that is not there", OwnedBy("apps/v1", "ReplicaSet").Namespace("z"), {in(web, "z")}, "app=web "},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    ClusterObjects& objects = cluster.state.objects();
    for (const api::Service& service : row.services) objects.services.Put(service);
    api::Workload replica_set = WorkloadOf("owner", {{"app", "web"}});
    replica_set.selector->match_expressions = {{"hash", "Exists", {}}};
    objects.replica_sets.Put(replica_set);
    objects.stateful_sets.Put(WorkloadOf("owner", {{"app", "web"}}));
    objects.replication_controllers.Put(WorkloadOf("owner", {{"app", "rc"}}));
    EXPECT_EQ(Text(DefaultSelector(*cluster.AddPod(row.pod).pod_class, objects)), row.want);
  }
}

TEST(DefaultSelectorTest, AControllerWithoutASelectorSaysNothing) {
  TestCluster cluster;
  ClusterObjects& objects = cluster.state.objects();
  api::Workload owner = WorkloadOf("owner", {});
  owner.selector.reset();
  objects.replica_sets.Put(owner);
  objects.replication_controllers.Put(owner);
  for (const auto& pod : {OwnedBy("apps/v1", "ReplicaSet"), OwnedBy("v1", "ReplicationController")}) {
    MakePod named = pod;
    named.pod.metadata.name = pod.pod.metadata.owner_references[0].kind;
    EXPECT_EQ(Text(DefaultSelector(*cluster.AddPod(named).pod_class, objects)), "");
  }
}

TEST(DefaultSelectorTest, TheVersionFollowsWhatIsRead) {
  TestCluster cluster;
  ClusterObjects& objects = cluster.state.objects();
  uint64_t seen = DefaultSelectorVersion(objects);
  const auto changed = [&] { return std::exchange(seen, DefaultSelectorVersion(objects)) != seen; };
  EXPECT_FALSE(changed());
  objects.services.Put(ServiceOf("a", {}));
  EXPECT_TRUE(changed());
  objects.replica_sets.Put(WorkloadOf("a", {}));
  EXPECT_TRUE(changed());
  objects.stateful_sets.Put(WorkloadOf("a", {}));
  EXPECT_TRUE(changed());
  objects.replication_controllers.Put(WorkloadOf("a", {}));
  EXPECT_TRUE(changed());
  objects.services.Remove("default", "a");
  EXPECT_TRUE(changed());
  EXPECT_FALSE(changed());
}

}  // namespace
}  // namespace ksched
