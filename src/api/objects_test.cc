#include "api/objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/decode_test_util.h"
#include "api/json_values.h"

namespace ksched::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DecodeObject, Pod) {
  const DecodeOutcome outcome = DecodeText(R"(
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  uid: u1
  labels: {app: web}
  creationTimestamp: "2024-05-06T07:08:09Z"
  ownerReferences:
  - {apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: u0, controller: true}
  managedFields: [{nobody: reads, this: 1}]
spec:
  nodeName: n1
  priority: 7
  priorityClassName: high
  nodeSelector: {disk: ssd}
  schedulingGates: [{name: example.com/wait}]
  tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, minDomains: 2, labelSelector: {}}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{matchExpressions: [{key: cpu, operator: Gt, values: ["4"]}]}]
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 3, podAffinityTerm: {topologyKey: host, labelSelector: {matchLabels: {app: web}}}}
  volumes:
  - {name: data, persistentVolumeClaim: {claimName: data-0}}
  - {name: scratch, ephemeral: {volumeClaimTemplate: {}}}
  containers:
  - name: main
    image: nginx
    ports: [{containerPort: 80, hostPort: 8080, hostIP: 10.0.0.1}]
    resources: {requests: {cpu: 0.5, memory: 1Gi}, claims: []}
status:
  phase: Running
  nominatedNodeName: n2
  startTime: "1970-01-01T00:00:01Z"
  conditions: [{type: PodScheduled, status: "True"}]
  containerStatuses:
  - {name: main, resources: {requests: {cpu: 1}}, allocatedResources: {cpu: 2}}
)",
                                           ValidationMode::kStored);
  ASSERT_THAT(outcome.problems, IsEmpty());
  const Pod& pod = outcome.As<Pod>();
  EXPECT_EQ(pod.metadata.ns, "shop");
  EXPECT_EQ(pod.metadata.labels.at("app"), "web");
  EXPECT_EQ(pod.metadata.creation_timestamp, 1'714'979'289'000'000'000);
  EXPECT_TRUE(pod.metadata.owner_references.at(0).controller);
  EXPECT_EQ(pod.spec.node_name, "n1");
  EXPECT_EQ(pod.spec.priority, 7);
  EXPECT_EQ(pod.spec.scheduling_gates, std::vector<std::string>{"example.com/wait"});
  EXPECT_EQ(pod.spec.tolerations.at(0), (Toleration{"a", "Exists", "", "NoExecute", 5}));
  EXPECT_EQ(pod.spec.topology_spread_constraints.at(0).min_domains, 2);
  EXPECT_TRUE(pod.spec.topology_spread_constraints.at(0).label_selector.has_value());
  EXPECT_EQ(pod.spec.affinity->node_affinity->required->terms.at(0).match_expressions.at(0).op, "Gt");
  EXPECT_FALSE(pod.spec.affinity->pod_affinity.has_value());
  EXPECT_EQ(pod.spec.affinity->pod_anti_affinity->preferred.at(0).weight, 3);
  EXPECT_EQ(pod.spec.volumes.at(0).claim_name, "data-0");
  EXPECT_TRUE(pod.spec.volumes.at(1).ephemeral.has_value());
  EXPECT_EQ(pod.spec.containers.at(0).resources.requests.at("cpu").MilliValue(), 500);
  EXPECT_EQ(pod.spec.containers.at(0).ports.at(0).host_port, 8080);
  EXPECT_EQ(pod.status.phase, "Running");
  EXPECT_EQ(pod.status.start_time, 1'000'000'000);
  const ContainerStatus& status = pod.status.container_statuses.at(0);
  EXPECT_TRUE(status.has_resources);
  EXPECT_EQ(status.resources_requests->at("cpu").Value(), 1);
  EXPECT_EQ(status.allocated_resources->at("cpu").Value(), 2);
}

TEST(DecodeObject, Node) {
  const DecodeOutcome outcome = DecodeText(R"(
apiVersion: v1
kind: Node
metadata: {name: n1}
spec:
  unschedulable: true
  taints: [{key: a, value: b, effect: NoSchedule}]
  podPreemptionPolicy: {b: 1, a: [x]}
status:
  capacity: {cpu: "4", pods: 110}
  allocatable: {cpu: 3900m}
  conditions: [{type: Ready, status: "True"}]
  images: [{names: [nginx, "nginx:1"], sizeBytes: 123}]
  declaredFeatures: [F]
)");
  ASSERT_THAT(outcome.problems, IsEmpty());
  const Node& node = outcome.As<Node>();
  EXPECT_TRUE(node.spec.unschedulable);
  EXPECT_EQ(node.spec.taints.at(0), (Taint{"a", "b", "NoSchedule"}));
  EXPECT_EQ(node.spec.pod_preemption_policy, R"({"a":["x"],"b":1})");
  EXPECT_EQ(node.status.capacity.at("pods").Value(), 110);
  EXPECT_EQ(node.status.allocatable.at("cpu").MilliValue(), 3900);
  EXPECT_EQ(node.status.images.at(0).names.size(), 2u);
  EXPECT_EQ(node.status.images.at(0).size_bytes, 123);
  EXPECT_EQ(node.status.declared_features, std::vector<std::string>{"F"});
}

TEST(DecodeObject, SmallKinds) {
  const DecodeOutcome outcome = DecodeText(R"(
{apiVersion: scheduling.k8s.io/v1beta1, kind: PriorityClass, metadata: {name: high}, value: 10, globalDefault: true}
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: kata}
handler: kata
overhead: {podFixed: {cpu: 250m}}
scheduling: {nodeSelector: {kata: "yes"}, tolerations: [{operator: Exists}]}
---
apiVersion: resource.k8s.io/v1beta2
kind: DeviceClass
metadata: {name: gpu}
spec: {extendedResourceName: example.com/gpu}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop, namespace: x}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 1}}
)");
  ASSERT_THAT(outcome.problems, IsEmpty());
  EXPECT_EQ(outcome.As<PriorityClass>(0).value, 10);
  EXPECT_TRUE(outcome.As<PriorityClass>(0).global_default);
  const RuntimeClass& kata = outcome.As<RuntimeClass>(1);
  EXPECT_EQ(kata.overhead->at("cpu").MilliValue(), 250);
  EXPECT_TRUE(kata.has_scheduling);
  EXPECT_EQ(kata.tolerations.size(), 1u);
  EXPECT_EQ(outcome.As<DeviceClass>(2).extended_resource_name, "example.com/gpu");
  EXPECT_EQ(outcome.As<Namespace>(3).metadata.ns, "");
  EXPECT_FALSE(outcome.As<PodDisruptionBudget>(4).selector.has_value());
  EXPECT_EQ(outcome.As<PodDisruptionBudget>(4).metadata.ns, "default");
}

std::string WorkloadYaml(const std::string& version, const std::string& kind, const std::string& spec) {
  return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: w}\nspec:\n  " + spec +
         "\n  template:\n    metadata: {labels: {app: w}}\n    spec: {restartPolicy: " +
         (kind == "Job" ? "Never" : "Always") + ", containers: [{name: c, image: i}]}\n";
}

TEST(DecodeObject, Workloads) {
  const std::string selector = "selector: {matchLabels: {app: w}}";
  const struct {
    const char *version, *kind;
    std::string spec;
  } kCases[] = {
      {"apps/v1", "Deployment", selector},
      {"apps/v1beta1", "Deployment", "paused: false"},
      {"apps/v1beta2", "Deployment", selector},
      {"extensions/v1beta1", "Deployment", "paused: false"},
      {"apps/v1", "ReplicaSet", selector},
      {"extensions/v1beta1", "ReplicaSet", "minReadySeconds: 1"},
      {"apps/v1", "StatefulSet", selector},
      {"v1", "ReplicationController", "minReadySeconds: 1"},
      {"batch/v1", "Job", "backoffLimit: 1"},
      {"apps/v1", "DaemonSet", selector},
      {"extensions/v1beta1", "DaemonSet", "minReadySeconds: 1"},
  };
  for (const auto& test : kCases) {
    const DecodeOutcome outcome = DecodeText(WorkloadYaml(test.version, test.kind, test.spec));
    ASSERT_THAT(outcome.problems, IsEmpty()) << test.version << " " << test.kind;
    const Workload& workload = outcome.As<Workload>();
    EXPECT_EQ(workload.kind, test.kind);
    EXPECT_EQ(workload.api_version, test.version);
    EXPECT_EQ(workload.pod_template.spec.containers.size(), 1u);
    EXPECT_EQ(workload.pod_template.spec.scheduler_name, "default-scheduler");
  }
}

TEST(DecodeObject, WorkloadFields) {
  const DecodeOutcome set = DecodeText(WorkloadYaml(
      "apps/v1", "StatefulSet", "replicas: 3\n  ordinals: {start: 5}\n  selector: {matchLabels: {app: w}}"));
  ASSERT_THAT(set.problems, IsEmpty());
  EXPECT_EQ(set.As<Workload>().replicas, 3);
  EXPECT_EQ(set.As<Workload>().ordinals_start, 5);
  const DecodeOutcome job = DecodeText(
      WorkloadYaml("batch/v1", "Job", "parallelism: 2\n  completions: 4\n  completionMode: Indexed\n  suspend: true"));
  ASSERT_THAT(job.problems, IsEmpty());
  EXPECT_EQ(job.As<Workload>().parallelism, 2);
  EXPECT_EQ(job.As<Workload>().completions, 4);
  EXPECT_EQ(job.As<Workload>().completion_mode, "Indexed");
  EXPECT_TRUE(job.As<Workload>().suspend);
}

TEST(DecodeObject, KindsThatAreIgnored) {
  for (const char* head : {"apiVersion: v1\nkind: ConfigMap", "apiVersion: example.com/v1\nkind: Pod"}) {
    const DecodeOutcome outcome = DecodeText(std::string(head) + "\nspec: [1, 2]\n");
    ASSERT_TRUE(outcome.ok) << head;
    EXPECT_EQ(outcome.objects.at(0).kind_class, KindClass::kIgnored) << head;
  }
}

TEST(DecodeObject, WhatCannotBeDecoded) {
  const struct {
    const char *name, *text, *problem;
  } kCases[] = {
      {"not an object", "just text", "test:1: expected an object, found a string"},
      {"no kind", "apiVersion: v1", "test:1: kind: Required value"},
      {"kind of the wrong type", "apiVersion: v1\nkind: 5", "test:2: kind: expected a string, found a number"},
      {"unknown version", "apiVersion: v2\nkind: Pod\nmetadata: {name: a}",
       "test:1: Pod a: apiVersion: no kind \"Pod\" is registered for version \"v2\""},
      {"two slashes", "apiVersion: a/b/c\nkind: Pod", "test:1: Pod: apiVersion: unexpected GroupVersion string: a/b/c"},
      {"pod group", "apiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {name: g}",
       "test:2: PodGroup g: kind: pod groups are not supported yet"},
      {"workload of pod groups", "apiVersion: scheduling.k8s.io/v1alpha1\nkind: Workload\nmetadata: {name: g}",
       "test:2: Workload g: kind: pod groups are not supported yet"},
  };
  for (const auto& test : kCases) {
    const DecodeOutcome outcome = DecodeText(test.text);
    EXPECT_THAT(outcome.objects, IsEmpty()) << test.name;
    EXPECT_THAT(outcome.problems, ElementsAre(test.problem)) << test.name;
  }
}

TEST(DecodeObject, WrongTypes) {
  const struct {
    const char *spec, *problem;
  } kCases[] = {
      {"priority: high", "spec.priority: expected an integer, found a string"},
      {"priority: 1.5", "spec.priority: expected an integer, found a number with a fraction"},
      {"priority: 3000000000", "spec.priority: number 3000000000 out of range: it has to fit 32 bits"},
      {"terminationGracePeriodSeconds: 1e30", "spec.terminationGracePeriodSeconds: number out of range"},
      {"hostNetwork: \"true\"", "spec.hostNetwork: expected a boolean, found a string"},
      {"nodeName: 5", "spec.nodeName: expected a string, found a number"},
      {"nodeSelector: [a]", "spec.nodeSelector: expected an object, found a list"},
      {"nodeSelector: {disk: 1}", "spec.nodeSelector[disk]: expected a string, found a number"},
      {"tolerations: {key: a}", "spec.tolerations: expected a list, found an object"},
      {"tolerations: [5]", "spec.tolerations[0]: expected an object, found a number"},
      {"schedulingGates: [{name: 5}]", "spec.schedulingGates[0].name: expected a string, found a number"},
      {"overhead: {cpu: [1]}", "spec.overhead[cpu]: expected a quantity like 500m or 2Gi, found a list"},
      {"overhead: {cpu: 1x}",
       "spec.overhead[cpu]: Invalid value: \"1x\": quantities must match the regular expression "
       "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
  };
  for (const auto& test : kCases) {
    for (const ValidationMode mode : {ValidationMode::kStored, ValidationMode::kUser}) {
      const DecodeOutcome outcome = DecodeText(PodYaml(test.spec), mode);
      EXPECT_THAT(outcome.problems, ElementsAre("test:9: Pod web: " + std::string(test.problem))) << test.spec;
    }
  }
}

TEST(DecodeObject, NullIsAbsent) {
  const DecodeOutcome outcome =
      DecodeText(PodYaml("priority: null\naffinity: null\ntolerations: null\nnodeSelector: {a: null}",
                         "resources: null", "creationTimestamp: null"));
  ASSERT_THAT(outcome.problems, IsEmpty());
  const Pod& pod = outcome.As<Pod>();
  EXPECT_FALSE(pod.spec.priority.has_value());
  EXPECT_FALSE(pod.spec.affinity.has_value());
  EXPECT_EQ(pod.spec.node_selector.at("a"), "");
}

TEST(DecodeObject, AllProblemsAreReported) {
  const DecodeOutcome outcome = DecodeText(PodYaml("priority: x\nnodeName: 1\nhostNetwork: 3"));
  EXPECT_EQ(outcome.problems.size(), 3u);
}

TEST(DecodeObject, HostileNumberOfProblems) {
  std::string list = "tolerations: [";
  for (int i = 0; i < 1000; ++i) list += "5, ";
  const DecodeOutcome outcome = DecodeText(PodYaml(list + "5]"));
  ASSERT_EQ(outcome.problems.size(), 101u);
  EXPECT_EQ(outcome.problems.back(), "test:1: Pod web: 901 more problems in this object");
}

TEST(ParseTime, AsGo) {
  const struct {
    const char* text;
    std::optional<TimeNs> time;
  } kCases[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-01T00:00:01.5Z", 1'500'000'000},
      {"1970-01-01T01:00:00+01:00", 0},
      {"1969-12-31T23:00:00-01:00", 0},
      {"2024-02-29T00:00:00Z", 1'709'164'800'000'000'000},
      {"2023-02-29T00:00:00Z", std::nullopt},
      {"1970-01-01 00:00:00Z", std::nullopt},
      {"1970-01-01T00:00:00", std::nullopt},
      {"1970-01-01T24:00:00Z", std::nullopt},
      {"1970-01-01T00:00:60Z", std::nullopt},
      {"1970-01-01T00:00:00.Z", std::nullopt},
      {"1970-01-01T00:00:00Zx", std::nullopt},
      {"", std::nullopt},
      {"9999-12-31T23:59:59Z", INT64_MAX},
      {"0001-01-01T00:00:00Z", INT64_MIN},
  };
  for (const auto& test : kCases) EXPECT_EQ(ParseTime(test.text), test.time) << test.text;
}

TEST(Objects, Describe) {
  ObjectMeta metadata;
  metadata.name = "web";
  EXPECT_EQ(DescribeObject("Node", metadata), "Node web");
  metadata.ns = "default";
  EXPECT_EQ(DescribeObject("Pod", metadata), "Pod default/web");
  EXPECT_TRUE(IsNamespaced("v1", "Pod"));
  EXPECT_FALSE(IsNamespaced("v1", "Node"));
  EXPECT_FALSE(IsNamespaced("v1", "Nothing"));
}

}  // namespace
}  // namespace ksched::api
