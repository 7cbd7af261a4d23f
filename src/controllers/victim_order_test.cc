#include "controllers/victim_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing.h"

namespace ksched::controllers {
namespace {

constexpr api::TimeNs kHour = 3'600'000'000'000;
constexpr api::TimeNs kNow = 1000 * kHour;

ManagedPod Pod(const std::string& name) {
  ManagedPod pod = PodOf("ReplicaSet", "web", name);
  pod.created = pod.ready_since = kNow - 10 * kHour;
  return pod;
}

std::string Order(const std::vector<ManagedPod>& pods, bool job, api::TimeNs now, bool related = true) {
  ManagedPod stays = PodOf("ReplicaSet", "web", "stays");  // one that is not asked for
  stays.deletion_cost = 1000;
  std::vector<const ManagedPod*> sorted;
  sorted.reserve(pods.size() + 1);
  PodsOnNodes on_nodes;
  for (const ManagedPod& pod : pods) {
    sorted.push_back(&pod);
    if (related && pod.active()) ++on_nodes[pod.node_name];
  }
  if (job) {
    SortJobVictims(sorted);
  } else {
    sorted.push_back(&stays);
    sorted = ReplicaVictims(sorted, pods.size(), on_nodes, now);
  }
  std::string order;
  for (const ManagedPod* pod : sorted) order += (order.empty() ? "" : " ") + pod->name;
  return order;
}

// Two pods that differ in one thing: `last` is always the second to leave.
struct Row {
  const char* name;
  void (*change)(ManagedPod& first, ManagedPod& last);
  bool for_jobs = true;
};

TEST(VictimOrder, OneRuleEach) {
  const Row rows[] = {
      {"not on a node", [](ManagedPod& first, ManagedPod&) { first.node_name.clear(); }},
      {"pending before unknown",
       [](ManagedPod& first, ManagedPod& last) { first.phase = "Pending", last.phase = "Unknown"; }},
      {"unknown before running", [](ManagedPod& first, ManagedPod&) { first.phase = "Unknown"; }},
      {"not ready", [](ManagedPod& first, ManagedPod&) { first.ready = false; }},
      {"cheap to delete", [](ManagedPod&, ManagedPod& last) { last.deletion_cost = 5; }, false},
      {"cheaper than 0", [](ManagedPod& first, ManagedPod&) { first.deletion_cost = -5; }, false},
      {"ready since a short time", [](ManagedPod& first, ManagedPod&) { first.ready_since = kNow - kHour; }},
      {"ready since nobody knows", [](ManagedPod& first, ManagedPod&) { first.ready_since.reset(); }},
      {"restarted often", [](ManagedPod& first, ManagedPod& last) { first.restarts = 3, last.restarts = 2; }},
      {"its sidecar restarted", [](ManagedPod& first, ManagedPod&) { first.sidecar_restarts = 1; }},
      {"made later", [](ManagedPod& first, ManagedPod&) { first.created = kNow - kHour; }},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    ManagedPod first = Pod("first"), last = Pod("last");
    row.change(first, last);
    EXPECT_EQ(Order({last, first}, false, kNow), "first last");
    EXPECT_EQ(Order({first, last}, false, kNow), "first last");
    if (!row.for_jobs) continue;
    EXPECT_EQ(Order({last, first}, true, 0), "first last");
    EXPECT_EQ(Order({first, last}, true, 0), "first last");
  }
}

TEST(VictimOrder, PodsTogetherOnANode) {
  std::vector<ManagedPod> pods = {Pod("alone"), Pod("x"), Pod("y")};
  pods[1].node_name = pods[2].node_name = "n";
  EXPECT_EQ(Order(pods, false, kNow), "x y alone");
  EXPECT_EQ(Order(pods, false, kNow, /*related=*/false), "alone x y");
  pods[2].deleting = true;
  EXPECT_EQ(Order(pods, false, kNow), "alone x y") << "one that goes does not count";
}

// Ages of the same logarithm are equal: the uid decides.
TEST(VictimOrder, AgesByTheirLogarithm) {
  std::vector<ManagedPod> pods = {Pod("a"), Pod("b")};
  pods[0].uid = "2";
  pods[1].uid = "1";
  pods[0].ready_since = kNow - 10 * kHour;
  pods[1].ready_since = kNow - 11 * kHour;
  EXPECT_EQ(Order(pods, false, kNow), "b a");
  EXPECT_EQ(Order(pods, false, 0), "a b") << "as they are, without a now";
  pods[1].ready_since = kNow - 40 * kHour;
  EXPECT_EQ(Order(pods, false, kNow), "a b");
}

TEST(ManagedPod, FromPod) {
  api::Pod pod;
  pod.metadata.name = "web-x";
  pod.metadata.labels = {{"pod-template-hash", "h"}, {"controller-revision-hash", "r"}};
  pod.metadata.annotations = {{"controller.kubernetes.io/pod-deletion-cost", "-7"},
                              {"batch.kubernetes.io/job-completion-index", "4"}};
  pod.metadata.owner_references = {{"v1", "Other", "o", "u0", false}, {"apps/v1", "ReplicaSet", "web", "u1", true}};
  api::Container sidecar;
  sidecar.name = "side";
  sidecar.restart_policy = "Always";
  pod.spec.init_containers = {sidecar};
  pod.status.conditions = {{"PodScheduled", "True", "", "", 5}, {"Ready", "True", "", "", 9}};
  api::ContainerStatus main_status, side_status, init_status;
  main_status.name = "main";
  main_status.restart_count = 2;
  side_status.name = "side";
  side_status.restart_count = 3;
  init_status.name = "init";
  init_status.restart_count = 8;
  pod.status.container_statuses = {main_status};
  pod.status.init_container_statuses = {side_status, init_status};
  const ManagedPod managed = FromPod(pod);
  EXPECT_EQ(managed.owner_name, "web");
  EXPECT_EQ(managed.owner_uid, "u1");
  EXPECT_EQ(managed.template_hash, "h");
  EXPECT_EQ(managed.revision, "r");
  EXPECT_EQ(managed.phase, "Pending");
  EXPECT_TRUE(managed.ready);
  EXPECT_EQ(managed.ready_since, 9);
  EXPECT_EQ(managed.restarts, 2);
  EXPECT_EQ(managed.sidecar_restarts, 3);
  EXPECT_EQ(managed.deletion_cost, -7);
  EXPECT_EQ(managed.completion_index, 4);
  for (const char* bad : {"+1", "08", "1x", "99999999999"}) {
    pod.metadata.annotations["controller.kubernetes.io/pod-deletion-cost"] = bad;
    EXPECT_EQ(FromPod(pod).deletion_cost, 0) << bad;
  }
}

}  // namespace
}  // namespace ksched::controllers
