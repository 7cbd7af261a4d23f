#include "state/pod_class.h"

#include <gmock/gmock.h>

#include <functional>
#include <set>

namespace ksched {
namespace {

using api::Quantity;
using ::testing::ElementsAre;

api::Pod SimplePod() {
  api::Pod pod;
  pod.metadata.ns = "default";
  pod.metadata.name = "web-0";
  pod.metadata.labels = {{"app", "web"}};
  pod.metadata.owner_references = {{"apps/v1", "ReplicaSet", "web", "uid-1", true}};
  pod.spec.scheduler_name = "default-scheduler";
  pod.spec.priority = 7;
  api::Container& container = pod.spec.containers.emplace_back();
  container.name = "main";
  container.image = "nginx";
  container.resources.requests = {{"cpu", Quantity::FromMilli(500)}, {"example.com/gpu", Quantity::FromUnits(1)}};
  container.ports.push_back({8080, 80, "TCP", "", ""});
  return pod;
}

std::string KeyOf(const api::Pod& pod, ResourceFeatures features = {}) {
  std::string key;
  AppendPodClassKey(pod, features, key);
  return key;
}

using Change = std::function<void(api::Pod&)>;
struct Row {
  const char* name;
  Change change;
};

TEST(PodClassKeyTest, WhatTellsClassesApart) {
  const auto affinity = [](api::Pod& pod) -> api::Affinity& { return pod.spec.affinity.emplace(); };
  const Row kRows[] = {
      {"namespace", [](auto& p) { p.metadata.ns = "other"; }},
      {"label", [](auto& p) { p.metadata.labels["app"] = "db"; }},
      {"another label", [](auto& p) { p.metadata.labels["x"] = ""; }},
      {"controller", [](auto& p) { p.metadata.owner_references[0].uid = "uid-2"; }},
      {"no controller", [](auto& p) { p.metadata.owner_references[0].controller = false; }},
      {"scheduler", [](auto& p) { p.spec.scheduler_name = "other"; }},
      {"priority", [](auto& p) { p.spec.priority = 8; }},
      {"preemption policy", [](auto& p) { p.spec.preemption_policy = "Never"; }},
      {"node selector", [](auto& p) { p.spec.node_selector["a"] = "b"; }},
      {"required node affinity", [&](auto& p) { affinity(p).node_affinity.emplace().required.emplace(); }},
      {"preferred node affinity",
       [&](auto& p) {
         affinity(p).node_affinity.emplace().preferred.push_back({3, {}});
       }},
      {"pod affinity", [&](auto& p) { affinity(p).pod_affinity.emplace().required.emplace_back(); }},
      {"pod anti-affinity", [&](auto& p) { affinity(p).pod_anti_affinity.emplace().required.emplace_back(); }},
      {"affinity, empty", [&](auto& p) { affinity(p); }},
      {"toleration",
       [](auto& p) {
         p.spec.tolerations.push_back({"k", "Exists", "", "", 5});
       }},
      {"toleration for ever",
       [](auto& p) {
         p.spec.tolerations.push_back({"k", "Exists", "", "", {}});
       }},
      {"spread", [](auto& p) { p.spec.topology_spread_constraints.emplace_back().max_skew = 1; }},
      {"gate", [](auto& p) { p.spec.scheduling_gates = {"wait"}; }},
      {"overhead", [](auto& p) { p.spec.overhead.emplace(); }},
      {"host network", [](auto& p) { p.spec.host_network = true; }},
      {"image", [](auto& p) { p.spec.containers[0].image = "nginx:1"; }},
      {"request", [](auto& p) { p.spec.containers[0].resources.requests["cpu"] = Quantity::FromMilli(501); }},
      {"limit", [](auto& p) { p.spec.containers[0].resources.limits["cpu"] = Quantity::FromMilli(501); }},
      {"host port", [](auto& p) { p.spec.containers[0].ports[0].host_port = 8081; }},
      {"container", [](auto& p) { p.spec.containers.emplace_back(); }},
      {"init container", [](auto& p) { p.spec.init_containers.emplace_back(); }},
      {"sidecar", [](auto& p) { p.spec.init_containers.emplace_back().restart_policy = "Always"; }},
      {"pod-level resources", [](auto& p) { p.spec.resources.emplace(); }},
      {"resource claim",
       [](auto& p) {
         p.spec.resource_claims.push_back({"c", "claim", ""});
       }},
      {"scheduling group", [](auto& p) { p.spec.has_scheduling_group = true; }},
      {"image volume",
       [](auto& p) {
         api::Volume& volume = p.spec.volumes.emplace_back();
         volume.image = api::ImageVolume{"data:1"};
       }},
      {"more allocated",
       [](auto& p) {
         p.status.container_statuses.emplace_back().name = "main";
         p.status.container_statuses[0].allocated_resources.emplace()["cpu"] = Quantity::FromMilli(600);
       }},
      {"more applied",
       [](auto& p) {
         p.status.container_statuses.emplace_back().name = "main";
         p.status.container_statuses[0].resources_requests.emplace()["cpu"] = Quantity::FromMilli(600);
       }},
      {"resize infeasible",
       [](auto& p) {
         p.status.conditions = {{"PodResizePending", "True", "Infeasible", ""}};
       }},
      {"resize infeasible, something allocated",
       [](auto& p) {
         p.status.conditions = {{"PodResizePending", "True", "Infeasible", ""}};
         p.status.container_statuses.emplace_back().name = "main";
         p.status.container_statuses[0].allocated_resources = p.spec.containers[0].resources.requests;
       }},
      {"pod-level status", [](auto& p) { p.status.allocated_resources.emplace(); }},
      {"pod-level applied", [](auto& p) { p.status.has_resources = true; }},
  };
  std::set<std::string> keys = {KeyOf(SimplePod())};
  for (const Row& row : kRows) {
    api::Pod pod = SimplePod();
    row.change(pod);
    EXPECT_TRUE(keys.insert(KeyOf(pod)).second) << row.name;
  }
}

TEST(PodClassKeyTest, WhatDoesNot) {
  const Row kRows[] = {
      {"name", [](auto& p) { p.metadata.name = "web-1"; }},
      {"annotations", [](auto& p) { p.metadata.annotations["a"] = "b"; }},
      {"another owner",
       [](auto& p) {
         p.metadata.owner_references.push_back({"v1", "Node", "n", "u", false});
       }},
      {"node", [](auto& p) { p.spec.node_name = "n1"; }},
      {"nominated node", [](auto& p) { p.status.nominated_node_name = "n1"; }},
      {"phase", [](auto& p) { p.status.phase = "Running"; }},
      {"claims", [](auto& p) { p.spec.volumes = {{.name = "data", .claim_name = "data-web-0"}}; }},
      {"statuses that agree with the spec",
       [](auto& p) {
         api::ContainerStatus& status = p.status.container_statuses.emplace_back();
         status.name = "main";
         status.has_resources = true;
         status.allocated_resources = status.resources_requests = p.spec.containers[0].resources.requests;
       }},
      {"a resize that waits",
       [](auto& p) {
         p.status.conditions = {{"PodResizePending", "True", "Deferred", ""}};
       }},
  };
  for (const Row& row : kRows) {
    api::Pod pod = SimplePod();
    row.change(pod);
    EXPECT_EQ(KeyOf(pod), KeyOf(SimplePod())) << row.name;
  }
}

TEST(PodClassKeyTest, StatusDoesNotCountWithoutTheGate) {
  api::Pod pod = SimplePod();
  pod.status.conditions = {{"PodResizePending", "True", "Infeasible", ""}};
  const ResourceFeatures off{.in_place_pod_vertical_scaling = false};
  EXPECT_EQ(KeyOf(pod, off), KeyOf(SimplePod(), off));
}

class PodClassTableTest : public ::testing::Test {
 protected:
  ResourceNames names_;
  PodClassTable table_{names_, {}};
};

TEST_F(PodClassTableTest, CountsReferences) {
  const PodClass* first = table_.Acquire(SimplePod()).get();
  api::Pod replica = SimplePod();
  replica.metadata.name = "web-1";
  EXPECT_EQ(table_.Acquire(std::move(replica)).get(), first);
  EXPECT_EQ(table_.size(), 1U);
  api::Pod other = SimplePod();
  other.metadata.ns = "other";
  const PodClass* second = table_.Acquire(std::move(other)).get();
  EXPECT_NE(second, first);
  EXPECT_NE(second->serial, first->serial);

  table_.Retain(first);
  table_.Release(first);
  table_.Release(first);
  EXPECT_EQ(table_.size(), 2U);
  const uint64_t serial = first->serial;
  const uint32_t id = first->id;
  table_.Release(first);
  EXPECT_EQ(table_.size(), 1U);
  const PodClass* again = table_.Acquire(SimplePod()).get();
  EXPECT_EQ(again->id, id);  // used again
  EXPECT_GT(again->serial, serial);
  EXPECT_EQ(table_.capacity(), 4U);
}

TEST_F(PodClassTableTest, WhatAClassHolds) {
  api::Pod pod = SimplePod();
  pod.spec.node_name = "n1";
  pod.spec.volumes = {{.name = "v", .claim_name = "claim"}, {.name = "data", .image = api::ImageVolume{"data/x"}}};
  pod.spec.init_containers.emplace_back().image = "registry:5000/init";
  const PodClass* c = table_.Acquire(std::move(pod)).get();
  EXPECT_EQ(c->ns, "default");
  EXPECT_EQ(c->controller.uid, "uid-1");
  EXPECT_EQ(c->priority, 7);
  EXPECT_EQ(c->scheduler_name(), "default-scheduler");
  EXPECT_EQ(c->spec.node_name, "");
  ASSERT_EQ(c->spec.volumes.size(), 1U);
  EXPECT_EQ(c->spec.volumes[0].image->reference, "data/x");
  EXPECT_THAT(c->host_ports, ElementsAre(HostPort{"0.0.0.0", "TCP", 8080}));
  EXPECT_THAT(c->images, ElementsAre("registry:5000/init:latest", "nginx:latest", "data/x:latest"));
  EXPECT_EQ(c->requests.milli_cpu, 500);
  EXPECT_EQ(c->requests.Get(names_.Intern("example.com/gpu")), 1);
  EXPECT_EQ(c->requests, c->assigned_requests);
  EXPECT_FALSE(c->has_node_name_selector);
}

TEST_F(PodClassTableTest, SelectsByNodeName) {
  const api::NodeSelectorTerm by_name{{}, {{"metadata.name", "In", {"n1"}}}};
  api::Pod required = SimplePod();
  required.spec.affinity.emplace().node_affinity.emplace().required = api::NodeSelector{{{}, by_name}};
  EXPECT_TRUE(table_.Acquire(std::move(required))->has_node_name_selector);
  api::Pod preferred = SimplePod();
  preferred.spec.affinity.emplace().node_affinity.emplace().preferred = {{1, by_name}};
  EXPECT_TRUE(table_.Acquire(std::move(preferred))->has_node_name_selector);
}

struct NonzeroRow {
  const char* name;
  api::ResourceList container, pod_level;
  int64_t milli_cpu, memory;  // nonzero
  int64_t fit_milli_cpu, fit_memory;
};

TEST(PodClassRequestsTest, DefaultsForTheScorers) {
  constexpr int64_t kMi = 1024 * 1024;
  const auto cpu = [](int64_t milli) { return api::ResourceList{{"cpu", Quantity::FromMilli(milli)}}; };
  const NonzeroRow kRows[] = {
      {"nothing", {}, {}, 100, 200 * kMi, 100, 200 * kMi},
      {"cpu", cpu(5), {}, 5, 200 * kMi, 5, 200 * kMi},
      {"zero is a request", cpu(0), {}, 0, 200 * kMi, 0, 200 * kMi},
      {"pod-level cpu: memory by default", {}, cpu(7), 7, 200 * kMi, 100, 200 * kMi},
      {"pod-level cpu over a container's", cpu(5), cpu(7), 7, 200 * kMi, 5, 200 * kMi},
      {"pod-level huge pages", {}, {{"hugepages-2Mi", Quantity::FromUnits(1)}}, 100, 200 * kMi, 100, 200 * kMi},
      {"pod-level memory, a container's cpu", cpu(5), {{"memory", Quantity::FromUnits(9)}}, 5, 9, 5, 200 * kMi},
  };
  ResourceNames names;
  for (const NonzeroRow& row : kRows) {
    PodClassTable table(names, {});
    api::Pod pod;
    pod.spec.containers.emplace_back().resources.requests = row.container;
    if (!row.pod_level.empty()) pod.spec.resources.emplace().requests = row.pod_level;
    const PodClass* c = table.Acquire(std::move(pod)).get();
    EXPECT_EQ(c->nonzero_milli_cpu, row.milli_cpu) << row.name;
    EXPECT_EQ(c->nonzero_memory_bytes, row.memory) << row.name;
    EXPECT_EQ(c->fit_score_request_list.at("cpu").MilliValue(), row.fit_milli_cpu) << row.name;
    EXPECT_EQ(c->fit_score_request_list.at("memory").Value(), row.fit_memory) << row.name;
  }
}

TEST(PodClassRequestsTest, StatusCountsOnTheNodeOnly) {
  ResourceNames names;
  api::Pod pod = SimplePod();
  pod.status.container_statuses.emplace_back().name = "main";
  pod.status.container_statuses[0].allocated_resources = {{"cpu", Quantity::FromMilli(900)}};
  for (const bool on : {true, false}) {
    PodClassTable table(names, {.in_place_pod_vertical_scaling = on});
    const PodClass* c = table.Acquire(api::Pod(pod)).get();
    EXPECT_EQ(c->requests.milli_cpu, 500);
    EXPECT_EQ(c->assigned_requests.milli_cpu, on ? 900 : 500);
    EXPECT_EQ(c->balanced_request_list.at("cpu").MilliValue(), on ? 900 : 500);
    EXPECT_EQ(c->fit_score_request_list.at("cpu").MilliValue(), 500);
  }
}

TEST(PodClassRequestsTest, PodLevelGateOff) {
  ResourceNames names;
  PodClassTable table(names, {.pod_level_resources = false});
  api::Pod pod = SimplePod();
  pod.spec.resources.emplace().requests = {{"cpu", Quantity::FromMilli(900)}};
  const PodClass* c = table.Acquire(std::move(pod)).get();
  EXPECT_EQ(c->requests.milli_cpu, 500);
  EXPECT_EQ(c->assigned_requests.milli_cpu, 500);
  EXPECT_EQ(c->balanced_request_list.at("cpu").MilliValue(), 500);
  EXPECT_EQ(c->assigned_request_list.at("cpu").MilliValue(), 900);
}

TEST(ImageNameTest, Normalized) {
  const struct {
    const char *name, *want;
  } kRows[] = {
      {"nginx", "nginx:latest"},
      {"nginx:1.2", "nginx:1.2"},
      {"a.io/b", "a.io/b:latest"},
      {"a.io:5000/b", "a.io:5000/b:latest"},
      {"a.io:5000/b:1", "a.io:5000/b:1"},
      {"a@sha256:12", "a@sha256:12"},
      {"", ":latest"},
      {":", ":"},
  };
  for (const auto& row : kRows) EXPECT_EQ(NormalizedImageName(row.name), row.want);
}

}  // namespace
}  // namespace ksched
