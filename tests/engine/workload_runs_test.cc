// Workloads in a run: their controllers make pods, and take them away, as the run goes on.
#include <optional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "manifest/loader.h"
#include "manifest/testing.h"
#include "plugins/registry.h"
#include "simulate/simulate.h"

namespace ksched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Node(const std::string& name, int cpu, const std::string& spec = "") {
  return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name + ", labels: {kubernetes.io/hostname: " + name +
         "}}\nspec: {" + spec + "}\nstatus: {capacity: {cpu: '" + std::to_string(cpu) + "', pods: '10'}}\n";
}

// A workload whose pods ask for one CPU; `spec` are further fields of its spec.
std::string Workload(const std::string& kind, const std::string& name, const std::string& spec,
                     const std::string& image = "i") {
  return "---\napiVersion: apps/v1\nkind: " + kind + "\nmetadata: {name: " + name + ", uid: u-" + name +
         ", annotations: {deployment.kubernetes.io/revision: '1'}}\nspec:\n  selector: {matchLabels: {a: " + name +
         "}}\n  " + spec + "\n  template:\n    metadata: {labels: {a: " + name +
         "}}\n    spec:\n      containers: [{name: c, image: " + image + ", resources: {requests: {cpu: 1}}}]\n";
}

// A running pod of the ReplicaSet "web-h" of the Deployment "web".
std::string OldPod(const std::string& name, const std::string& node) {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         ", labels: {a: web, pod-template-hash: h}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: "
         "web-h, uid: u-web-h, controller: true}]}\nspec:\n  nodeName: " +
         node +
         "\n  containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]\nstatus: {phase: Running, conditions: "
         "[{type: Ready, status: 'True'}]}\n";
}

const char* const kOldReplicaSet =
    "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web-h, uid: u-web-h, labels: {a: web, "
    "pod-template-hash: h}, annotations: {deployment.kubernetes.io/revision: '1'}, ownerReferences: [{apiVersion: "
    "apps/v1, kind: Deployment, name: web, uid: u-web, controller: true}]}\nspec:\n  replicas: 3\n  selector: "
    "{matchLabels: {a: web, pod-template-hash: h}}\n  template:\n    metadata: {labels: {a: web, pod-template-hash: "
    "h}}\n    spec:\n      containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]\nstatus: {replicas: 3}\n";

class WorkloadRunTest : public testing::Test {
 protected:
  SchedulingReport Run(const std::string& cluster, const std::string& manifest, const std::string& admission = "all") {
    config::FeatureGates features;
    auto configuration = config::LoadConfiguration("", features);
    EXPECT_TRUE(configuration.ok());
    const PluginRegistry registry = MakeRegistry();
    std::set<std::string> absent;
    for (const PluginEntry& entry : registry) {
      if (!entry.create) absent.insert(entry.name);
    }
    EXPECT_TRUE(config::DropAbsentPlugins(*configuration, absent).ok());
    state_.emplace(ResourceFeatures());
    ClusterState& state = *state_;
    InputOptions options;
    options.snapshots = {files_.Write("cluster.yaml", cluster)};
    options.manifests = {files_.Write("manifest.yaml", manifest)};
    options.admission = *AdmissionPlugins::Parse(admission);
    options.events = events_;
    LoadedInput loaded = LoadInput(options, state.pod_store());
    EXPECT_THAT(loaded.errors, IsEmpty());
    EXPECT_THAT(loaded.cluster_errors, IsEmpty());
    auto report = Simulate(state, std::move(loaded.input), {*configuration, features, registry});
    EXPECT_TRUE(report.ok());
    return report.ok() ? *report : SchedulingReport();
  }

  // "+1 -2 | +1": how many pods each step created and removed.
  static std::string Steps(const WorkloadReport& workload) {
    std::string text;
    for (const WorkloadStep& step : workload.steps) {
      if (!text.empty()) text += " | ";
      text += "+" + std::to_string(step.created.size()) + " -" + std::to_string(step.removed.size());
    }
    return text;
  }
  static std::vector<std::string> Results(const SchedulingReport& report) {
    std::vector<std::string> texts;
    for (const PodOutcome& pod : report.pods) texts.push_back(pod.name + " " + pod.result);
    return texts;
  }

  TestFiles files_;
  std::string events_;                 // a file
  std::optional<ClusterState> state_;  // of the last run
};

TEST_F(WorkloadRunTest, NewDeploymentComesAtOnce) {
  const SchedulingReport report = Run(Node("n1", 2), Workload("Deployment", "web", "replicas: 3"));
  ASSERT_EQ(report.workloads.size(), 1U);
  const WorkloadReport& web = report.workloads[0];
  EXPECT_EQ(web.workload, "Deployment default/web");
  EXPECT_EQ(web.change, "New");
  EXPECT_EQ(Steps(web), "+3 -0");
  EXPECT_EQ(web.ready, 2);
  EXPECT_FALSE(web.complete);
  EXPECT_EQ(report.summary.unschedulable, 1);
}

TEST_F(WorkloadRunTest, StatefulSetStopsAtTheFirstPodWithoutAPlace) {
  const SchedulingReport report = Run(Node("n1", 2), Workload("StatefulSet", "db", "replicas: 5"));
  EXPECT_THAT(Results(report), ElementsAre("db-0 Scheduled", "db-1 Scheduled", "db-2 Unschedulable"));
  EXPECT_EQ(Steps(report.workloads.at(0)), "+1 -0 | +1 -0 | +1 -0");
  EXPECT_THAT(report.workloads[0].waiting_for, HasSubstr("db-2"));
}

TEST_F(WorkloadRunTest, ParallelStatefulSetAsksForAll) {
  const SchedulingReport report =
      Run(Node("n1", 2), Workload("StatefulSet", "db", "replicas: 3\n  podManagementPolicy: Parallel"));
  EXPECT_THAT(Results(report), ElementsAre("db-0 Scheduled", "db-1 Scheduled", "db-2 Unschedulable"));
}

std::string LiveWeb(const std::string& spec) {
  return Workload("Deployment", "web", spec) + kOldReplicaSet + OldPod("web-h-a", "n1") + OldPod("web-h-b", "n1") +
         OldPod("web-h-c", "n1");
}

TEST_F(WorkloadRunTest, TheSameTemplateChangesNothing) {
  const SchedulingReport report =
      Run(Node("n1", 4) + LiveWeb("replicas: 3"), Workload("Deployment", "web", "replicas: 3"));
  EXPECT_EQ(report.workloads.at(0).change, "Unchanged");
  EXPECT_THAT(report.workloads[0].steps, IsEmpty());
  EXPECT_TRUE(report.workloads[0].complete);
  EXPECT_THAT(report.pods, IsEmpty());
}

TEST_F(WorkloadRunTest, OnlyMissingReplicasAreNew) {
  const SchedulingReport report =
      Run(Node("n1", 8) + LiveWeb("replicas: 3"), Workload("Deployment", "web", "replicas: 5"));
  EXPECT_EQ(report.workloads.at(0).change, "Scaled");
  EXPECT_EQ(Steps(report.workloads[0]), "+2 -0");
}

TEST_F(WorkloadRunTest, ARolloutMakesRoomAsItGoes) {
  // Room for four: one more than there are, so that surge and removal take turns.
  const SchedulingReport report =
      Run(Node("n1", 4) + LiveWeb("replicas: 3"), Workload("Deployment", "web", "replicas: 3", "j"));
  const WorkloadReport& web = report.workloads.at(0);
  EXPECT_EQ(web.change, "Rollout");
  EXPECT_EQ(web.changed_field, "spec.template.spec.containers[c].image");
  EXPECT_TRUE(web.complete) << web.waiting_for;
  EXPECT_EQ(web.updated, 3);
  EXPECT_EQ(report.summary.scheduled, 3);
}

TEST_F(WorkloadRunTest, ARolloutWithoutRoomStops) {
  const SchedulingReport report = Run(
      Node("n1", 3) + LiveWeb("replicas: 3"),
      Workload("Deployment", "web", "replicas: 3\n  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}", "j"));
  const WorkloadReport& web = report.workloads.at(0);
  EXPECT_EQ(Steps(web), "+1 -0");
  EXPECT_FALSE(web.complete);
  EXPECT_EQ(web.old, 3);
  EXPECT_EQ(report.summary.unschedulable, 1);
}

TEST_F(WorkloadRunTest, RecreateEmptiesFirst) {
  const SchedulingReport report = Run(Node("n1", 3) + LiveWeb("replicas: 3"),
                                      Workload("Deployment", "web", "replicas: 3\n  strategy: {type: Recreate}", "j"));
  EXPECT_EQ(Steps(report.workloads.at(0)), "+0 -3 | +3 -0");
  EXPECT_EQ(report.summary.scheduled, 3);
}

TEST_F(WorkloadRunTest, AQuotaRejectsWhatIsOverIt) {
  const std::string quota =
      "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {pods: '2'}}\n"
      "status: {hard: {pods: '2'}, used: {pods: '0'}}\n";
  const SchedulingReport report = Run(Node("n1", 9) + quota, Workload("Deployment", "web", "replicas: 3"));
  EXPECT_EQ(report.summary.scheduled, 2);
  ASSERT_EQ(report.rejected.size(), 1U);
  EXPECT_EQ(report.rejected[0].source, "Deployment default/web");
  EXPECT_THAT(report.rejected[0].message,
              HasSubstr("is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2"));
  EXPECT_EQ(Run(Node("n1", 9) + quota, Workload("Deployment", "web", "replicas: 3"), "none").rejected.size(), 0U);
}

TEST_F(WorkloadRunTest, APodThatAnEventDeletesIsMadeAnew) {
  events_ = files_.Write("events.yaml",
                         "atMs: 60000\ntype: delete\nobject: {apiVersion: v1, kind: Pod, metadata: {name: db-0}}\n");
  const SchedulingReport report = Run(Node("n1", 2), Workload("StatefulSet", "db", "replicas: 2"));
  EXPECT_EQ(Steps(report.workloads.at(0)), "+1 -0 | +1 -0 | +1 -0");
  EXPECT_EQ(report.workloads[0].steps.at(2).at_ms, 60000);
  EXPECT_TRUE(report.workloads[0].complete);
}

TEST_F(WorkloadRunTest, ADaemonSetHasAPodWhereItWouldRun) {
  const std::string cluster = Node("n1", 2) + Node("n2", 2, "taints: [{key: k, effect: NoSchedule}]") + Node("n3", 0) +
                              Node("n4", 2, "unschedulable: true");
  const SchedulingReport report = Run(cluster, Workload("DaemonSet", "agent", "minReadySeconds: 0"));
  std::vector<std::string> places;
  for (const PodOutcome& pod : report.pods) places.push_back(pod.result + " " + pod.node);
  EXPECT_THAT(places, testing::UnorderedElementsAre("Scheduled n1", "Unschedulable ", "Scheduled n4"));
}

// What says which pods belong together is an object of the run, so that pods without constraints of their own spread.
TEST_F(WorkloadRunTest, PodsOfAWorkloadSpreadByItsSelector) {
  const std::string cluster = Node("big", 90) + Node("small", 4);
  const std::string controller =
      "---\napiVersion: v1\nkind: ReplicationController\nmetadata: {name: web}\nspec:\n  replicas: 2\n  selector: {a: "
      "web}\n  template:\n    metadata: {labels: {a: web}}\n    spec:\n      containers: [{name: c, image: i, "
      "resources: "
      "{requests: {cpu: 1}}}]\n";
  const auto places = [&](const std::string& manifest) {
    std::vector<std::string> nodes;
    for (const PodOutcome& pod : Run(cluster, manifest).pods) nodes.push_back(pod.node);
    return nodes;
  };
  for (const char* kind : {"Deployment", "ReplicaSet", "StatefulSet"}) {
    EXPECT_THAT(places(Workload(kind, "web", "replicas: 2")), testing::UnorderedElementsAre("big", "small")) << kind;
  }
  EXPECT_THAT(places(controller), testing::UnorderedElementsAre("big", "small"));
  // Nobody selects the pods of a Job.
  std::string job = Workload("Job", "web", "parallelism: 2\n  completions: 2\n  manualSelector: true");
  job.replace(job.find("apps/v1"), 7, "batch/v1");
  job.insert(job.find("containers"), "restartPolicy: Never\n      ");
  EXPECT_THAT(places(job), ElementsAre("big", "big"));
}

TEST_F(WorkloadRunTest, TheReplicaSetsOfADeploymentAreObjects) {
  Run(Node("n1", 4) + LiveWeb("replicas: 3"), Workload("Deployment", "web", "replicas: 3", "j"));
  const auto& replica_sets = state_->objects().replica_sets;
  ASSERT_EQ(replica_sets.size(), 2U);
  for (const auto& [key, set] : replica_sets.all()) {
    const std::string hash = key.second.substr(key.second.rfind('-') + 1);
    EXPECT_EQ(set->selector->match_labels, (api::StringMap{{"a", "web"}, {"pod-template-hash", hash}}));
    EXPECT_EQ(set->metadata.uid, hash == "h" ? "u-web-h" : "default/" + key.second);
  }
}

TEST_F(WorkloadRunTest, TheObjectOfAManifestReplacesThatOfTheCluster) {
  std::string old = Workload("ReplicaSet", "db", "replicas: 1");
  const std::string selector = "selector: {matchLabels: {a: db}}";
  old.replace(old.find(selector), selector.size(), "selector: {matchLabels: {old: db}}");
  Run(Node("n1", 4) + old, Workload("ReplicaSet", "db", "replicas: 2"));
  const auto object = state_->objects().replica_sets.Find("default", "db");
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(object->selector->match_labels, (api::StringMap{{"a", "db"}}));
}

}  // namespace
}  // namespace ksched
