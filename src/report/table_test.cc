// The table against golden files: src/report/testdata/NAME.txt. KSCHED_UPDATE_GOLDEN=1 writes them anew.
#include "report/table.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace ksched {
namespace {

PodOutcome Pod(const std::string& name, const std::string& result, const std::string& node_or_message,
               const std::string& source = "") {
  PodOutcome pod{.ns = "default", .name = name, .scheduler_name = "default-scheduler", .result = result, .attempts = 1};
  (result == "Scheduled" || result == "Nominated" ? pod.node : pod.message) = node_or_message;
  pod.from_manifest = true;
  pod.source = source;
  return pod;
}

constexpr const char* kNoRoom = "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.";

SchedulingReport Mixed() {
  SchedulingReport report;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "web-" + std::to_string(i);
    report.pods.push_back(i < 10 ? Pod(name, "Scheduled", i % 2 == 0 ? "node-b" : "node-a", "Deployment default/web")
                                 : Pod(name, "Unschedulable", kNoRoom, "Deployment default/web"));
  }
  report.pods.push_back(Pod("db-0", "Scheduled", "node-c", "StatefulSet default/db"));
  report.pods.push_back(Pod("held", "Gated", "waiting for scheduling gates: [example.com/quota]"));
  report.pods.push_back(Pod("alone", "Unschedulable", kNoRoom));
  report.pods.push_back(Pod("odd", "Error", "running \"X\" plugin:\nfailed"));
  for (int i = 0; i < 6; ++i) {
    report.pods.push_back(Pod("wide-" + std::to_string(i), "Scheduled", "a-node-with-a-long-name-" + std::to_string(i),
                              "ReplicaSet default/wide"));
  }
  PodOutcome vip = Pod("vip", "Nominated", "node-a");
  vip.priority = 1000, vip.attempts = 2, vip.victims = {"default/old-1", "default/old-2"}, vip.message = kNoRoom;
  report.pods.push_back(vip);
  PodOutcome waiting = Pod("waiting", "Unschedulable", kNoRoom);
  waiting.from_manifest = false;
  report.pods.push_back(waiting);
  report.other_schedulers = {{"default", "gang-0", "volcano", true}, {"batch", "gang-1", "volcano", false}};
  return report;
}

SchedulingReport OfSnapshot() {
  SchedulingReport report;
  report.truncated = true;
  report.pods = {Pod("a", "Scheduled", "node-a"), Pod("b", "Deleted", "")};
  report.pods[1].ns = "kube-system";
  for (PodOutcome& pod : report.pods) pod.from_manifest = false;
  return report;
}

SchedulingReport Explained() {
  SchedulingReport report;
  report.pods = {Pod("a", "Scheduled", "node-a"), Pod("b", "Unschedulable", kNoRoom), Pod("c", "Unschedulable", "no"),
                 Pod("d", "Gated", "held back")};
  CycleReport a{
      .pod = "default/a", .attempt = 1, .result = "Scheduled", .node = "node-a", .evaluated = 6, .feasible = 2};
  a.nodes = {
      {.name = "node-a", .code = "Success", .scores = {{"ImageLocality", 0}, {"NodeResourcesFit", 87}}, .total = 87},
      {.name = "node-b", .code = "Success", .scores = {{"ImageLocality", 0}, {"NodeResourcesFit", 90}}, .total = 90}};
  std::swap(*a.nodes[0].total, *a.nodes[1].total);
  CycleReport b{
      .pod = "default/b", .attempt = 1, .at_ms = 1, .result = "Unschedulable", .message = kNoRoom, .evaluated = 5};
  for (const char* node : {"n1", "n2", "n3", "n4"}) {
    const NodeReport full{.name = node,
                          .code = "Unschedulable",
                          .plugin = "NodeResourcesFit",
                          .reasons = {"Insufficient cpu", "Too many pods"}};
    a.nodes.push_back(full), b.nodes.push_back(full);
  }
  b.nodes.push_back({.name = "n5",
                     .code = "UnschedulableAndUnresolvable",
                     .plugin = "TaintToleration",
                     .reasons = {"node(s) had untolerated taint(s)"}});
  CycleReport c{.pod = "default/c", .attempt = 1, .at_ms = 2, .result = "Unschedulable"};
  c.pre_filter = PreFilterReport{"NodeAffinity", "UnschedulableAndUnresolvable", {"no node"}};
  report.cycles = {a, b, c};
  return report;
}

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = "src/report/testdata/" + name + ".txt";  // tests run in the project's root
  if (std::getenv("KSCHED_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ostringstream expected;
  expected << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, expected.str()) << path;
}

SchedulingReport WithWorkloads() {
  SchedulingReport report;
  report.pods.push_back(Pod("web-0", "Scheduled", "node-a", "Deployment default/web"));
  const std::string why = "exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2";
  for (const char* name : {"web-1", "web-2"}) {
    report.rejected.push_back(
        {"default", name, "Deployment default/web", "pods \"" + std::string(name) + "\" is forbidden: " + why});
  }
  report.rejected.push_back({"default", "alone", "", "pods \"alone\" is forbidden: " + why});
  WorkloadReport fresh{.workload = "Job default/all", .change = "New", .desired = 2, .updated = 2, .complete = true};
  fresh.steps.push_back({0, {"all-0", "all-1"}, {}});
  WorkloadReport short_of{.workload = "Deployment default/web", .change = "New", .desired = 3};
  short_of.waiting_for = "1 of 3 pods are ready";
  WorkloadReport rollout{.workload = "Deployment default/api",
                         .change = "Rollout",
                         .changed_field = "spec.template.x",
                         .desired = 5,
                         .updated = 2,
                         .ready = 5,
                         .old = 3};
  rollout.steps.push_back({0, {"api-0", "api-1"}, {"api-old-0"}});
  rollout.waiting_for = "3 of the old template are left";
  report.workloads = {fresh, short_of, rollout,
                      WorkloadReport{.workload = "DaemonSet default/agent",
                                     .change = "Unchanged",
                                     .desired = 4,
                                     .updated = 4,
                                     .ready = 4,
                                     .complete = true}};
  return report;
}

struct GoldenCase {
  const char* name;
  SchedulingReport report;
  TableOptions options;
};

TEST(Table, Golden) {
  const GoldenCase cases[] = {
      {"mixed", Mixed(), {}},
      {"mixed_wide", Mixed(), {.wide = true}},
      {"mixed_other_namespace", Mixed(), {.ns = "shop"}},
      {"mixed_colour", Mixed(), {.colour = true}},
      {"of_snapshot", OfSnapshot(), {}},
      {"explained", Explained(), {.explain = true}},
      {"explained_wide", Explained(), {.wide = true, .explain = true}},
      {"workloads", WithWorkloads(), {}},
      {"nothing", {}, {}},
  };
  for (const GoldenCase& test : cases) {
    SCOPED_TRACE(test.name);
    std::ostringstream out;
    WriteTable(test.report, test.options, out);
    ExpectGolden(test.name, out.str());
  }
}

TEST(AllPlaced, RejectedPodsAndWorkloadsThatDoNotEndCount) {
  SchedulingReport report = WithWorkloads();
  EXPECT_FALSE(AllPlaced(report, false));
  report.rejected.clear();
  EXPECT_FALSE(AllPlaced(report, false));
  report.workloads.resize(1);
  EXPECT_TRUE(AllPlaced(report, false));
}

TEST(AllPlaced, LooksAtThePodsThatTheTableShows) {
  SchedulingReport report;
  EXPECT_TRUE(AllPlaced(report, false));
  report.pods = {Pod("a", "Scheduled", "n"), Pod("gone", "Deleted", ""), Pod("pending", "Unschedulable", "x")};
  report.pods[2].from_manifest = false;
  EXPECT_TRUE(AllPlaced(report, false));
  report.other_schedulers = {{"default", "gang", "volcano", true}};
  EXPECT_FALSE(AllPlaced(report, false));
  EXPECT_TRUE(AllPlaced(report, true));
  for (PodOutcome& pod : report.pods) pod.from_manifest = false;
  report.other_schedulers.clear();
  EXPECT_FALSE(AllPlaced(report, false)) << "without pods of manifests those of the snapshot count";
}

TEST(Names, OfThePodsThatTheTableShows) {
  SchedulingReport report;
  report.pods = {Pod("a", "Scheduled", "n"), Pod("b", "Unschedulable", "x"), Pod("c", "Scheduled", "n")};
  report.pods[2].from_manifest = false;
  std::ostringstream out;
  WriteNames(report, out);
  EXPECT_EQ(out.str(), "pod/a\npod/b\n");
}

}  // namespace
}  // namespace ksched
