#include "api/defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/decode_test_util.h"

namespace ksched::api {
namespace {

using testing::IsEmpty;

Pod DecodePod(const std::string& spec, const std::string& container = "", const std::string& metadata = "") {
  const DecodeOutcome outcome = DecodeText(PodYaml(spec, container, metadata));
  EXPECT_THAT(outcome.problems, IsEmpty());
  return outcome.As<Pod>();
}

TEST(Defaults, Pod) {
  const Pod pod = DecodePod("");
  EXPECT_EQ(pod.metadata.ns, "default");
  EXPECT_EQ(pod.metadata.uid, "default/web");
  EXPECT_EQ(pod.metadata.resource_version, "1");
  EXPECT_EQ(pod.spec.scheduler_name, "default-scheduler");
  EXPECT_EQ(pod.spec.restart_policy, "Always");
  EXPECT_EQ(pod.spec.termination_grace_period_seconds, 30);
  EXPECT_FALSE(pod.spec.priority.has_value());
  EXPECT_EQ(DecodePod("terminationGracePeriodSeconds: -5").spec.termination_grace_period_seconds, 1);
}

TEST(Defaults, RequestsFromLimits) {
  const Pod pod = DecodePod("initContainers: [{name: i, image: i, resources: {limits: {memory: 1Gi}}}]",
                            "resources: {limits: {cpu: 2, memory: 1Gi}, requests: {cpu: 1}}");
  const ResourceList& requests = pod.spec.containers.at(0).resources.requests;
  EXPECT_EQ(requests.at("cpu").Value(), 1);
  EXPECT_EQ(requests.at("memory").Value(), int64_t{1} << 30);
  EXPECT_EQ(pod.spec.init_containers.at(0).resources.requests.at("memory").Value(), int64_t{1} << 30);
}

TEST(Defaults, QuantitiesAreRoundedUpToMilli) {
  const Pod pod = DecodePod("overhead: {cpu: 100u}", "resources: {requests: {cpu: 0.0001, memory: 1.0000001}}");
  EXPECT_EQ(pod.spec.containers.at(0).resources.requests.at("cpu"), Quantity::FromMilli(1));
  EXPECT_EQ(pod.spec.containers.at(0).resources.requests.at("memory"), Quantity::FromMilli(1001));
  EXPECT_EQ(pod.spec.overhead->at("cpu"), Quantity::FromMilli(1));
}

TEST(Defaults, Ports) {
  const Pod pod = DecodePod("", "ports: [{containerPort: 80}, {containerPort: 81, protocol: UDP}]");
  EXPECT_EQ(pod.spec.containers.at(0).ports.at(0).protocol, "TCP");
  EXPECT_EQ(pod.spec.containers.at(0).ports.at(0).host_port, 0);
  EXPECT_EQ(pod.spec.containers.at(0).ports.at(1).protocol, "UDP");
  const Pod host = DecodePod("hostNetwork: true\ninitContainers: [{name: i, image: i, ports: [{containerPort: 7}]}]",
                             "ports: [{containerPort: 80}]");
  EXPECT_EQ(host.spec.containers.at(0).ports.at(0).host_port, 80);
  EXPECT_EQ(host.spec.init_containers.at(0).ports.at(0).host_port, 7);
}

TEST(Defaults, PodLevelRequestsAreLeftToCreation) {
  const Pod pod = DecodePod("resources: {limits: {cpu: 2}}");
  EXPECT_THAT(pod.spec.resources->requests, IsEmpty());
}

TEST(Defaults, NodeAllocatable) {
  const auto decode = [](const std::string& status) {
    return DecodeText("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: " + status).As<Node>();
  };
  EXPECT_EQ(decode("{capacity: {cpu: 4}}").status.allocatable.at("cpu").Value(), 4);
  EXPECT_EQ(decode("{capacity: {cpu: 4}, allocatable: {cpu: 3}}").status.allocatable.at("cpu").Value(), 3);
  EXPECT_THAT(decode("{capacity: {cpu: 4}, allocatable: {}}").status.allocatable, IsEmpty());
  EXPECT_EQ(decode("{capacity: {cpu: 4}, allocatable: null}").status.allocatable.size(), 1u);
  EXPECT_EQ(decode("{}").metadata.uid, "n1");
}

TEST(Defaults, NamespaceLabelAndPriorityClass) {
  const DecodeOutcome outcome = DecodeText(
      "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n---\n"
      "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, value: 1}\n");
  EXPECT_EQ(outcome.As<Namespace>(0).metadata.labels.at("kubernetes.io/metadata.name"), "shop");
  EXPECT_EQ(outcome.As<PriorityClass>(1).preemption_policy, "PreemptLowerPriority");
}

TEST(Defaults, Workloads) {
  const auto decode = [](const std::string& head, const std::string& spec, const std::string& restart) {
    const DecodeOutcome outcome = DecodeText(
        head + "\nmetadata: {name: w}\nspec:\n  " + spec +
        "\n  template:\n    metadata: {labels: {app: w}}\n    spec: {hostNetwork: true, restartPolicy: " + restart +
        ", containers: [{name: c, image: i, ports: [{containerPort: 80}]}]}\n");
    EXPECT_THAT(outcome.problems, IsEmpty()) << head;
    return outcome.As<Workload>();
  };
  const Workload job = decode("apiVersion: batch/v1\nkind: Job", "backoffLimit: 1", "Never");
  EXPECT_EQ(job.parallelism, 1);
  EXPECT_EQ(job.completions, 1);
  EXPECT_EQ(job.completion_mode, "NonIndexed");
  EXPECT_EQ(job.metadata.labels.at("app"), "w");
  const Workload queue = decode("apiVersion: batch/v1\nkind: Job", "parallelism: 3", "Never");
  EXPECT_EQ(queue.parallelism, 3);
  EXPECT_FALSE(queue.completions.has_value());

  const Workload deployment =
      decode("apiVersion: apps/v1\nkind: Deployment", "selector: {matchLabels: {app: w}}", "Always");
  EXPECT_EQ(deployment.replicas, 1);
  EXPECT_THAT(deployment.metadata.labels, IsEmpty());
  EXPECT_EQ(deployment.pod_template.spec.containers.at(0).ports.at(0).host_port, 80);

  const Workload controller = decode("apiVersion: v1\nkind: ReplicationController", "selector: {}", "Always");
  EXPECT_EQ(controller.replicas, 1);
  EXPECT_EQ(controller.selector->match_labels.at("app"), "w");
  EXPECT_EQ(controller.metadata.labels.at("app"), "w");
  const Workload old = decode("apiVersion: extensions/v1beta1\nkind: Deployment", "paused: false", "Always");
  EXPECT_EQ(old.selector->match_labels.at("app"), "w");
}

}  // namespace
}  // namespace ksched::api
