// Metadata, nodes, classes and workloads.
#include "api/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/decode_test_util.h"

namespace ksched::api {
namespace {

using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::StartsWith;

struct Case {
  std::string text;
  std::vector<std::string> problems;     // their beginnings
  std::vector<std::string> stored = {};  // of the same in a cluster
};

void Check(const std::vector<Case>& cases) {
  for (const Case& test : cases) {
    for (const ValidationMode mode : {ValidationMode::kUser, ValidationMode::kStored}) {
      std::vector<testing::Matcher<std::string>> expected;
      for (const std::string& problem : mode == ValidationMode::kUser ? test.problems : test.stored) {
        expected.push_back(StartsWith(problem));
      }
      EXPECT_THAT(DecodeText(test.text, mode).problems, ElementsAreArray(expected))
          << test.text << (mode == ValidationMode::kUser ? "" : " (stored)");
    }
  }
}

TEST(Validate, Metadata) {
  const auto with = [](const std::string& metadata) {
    return "apiVersion: v1\nkind: Pod\nmetadata: {" + metadata + "}\nspec: {containers: [{name: c, image: i}]}\n";
  };
  const std::string no_name = "test:3: Pod: metadata.name: Required value: name or generateName is required";
  Check({
      {with("labels: {}"), {no_name}, {no_name}},
      {with("generateName: web-"), {}, {"test:3: Pod web-: metadata.name: Required value"}},
      {with("generateName: web_"),
       {"test:3: Pod web_: metadata.generateName: Invalid value: \"web_\": a lowercase"},
       {"test:3: Pod web_: metadata.name: Required value"}},
      {with("name: Web"), {"test:3: Pod Web: metadata.name: Invalid value: \"Web\": a lowercase RFC 1123 subdomain"}},
      {with("name: w, namespace: a.b"), {"test:3: Pod a.b/w: metadata.namespace: Invalid value: \"a.b\": must not"}},
      {with("name: w, labels: {a b: c}"), {"test:3: Pod w: metadata.labels: Invalid value: \"a b\": name part must"}},
      {with("name: w, labels: {a: b c}"), {"test:3: Pod w: metadata.labels: Invalid value: \"b c\": a valid label"}},
      {with("name: w, annotations: {A/b: any thing}"), {}},
      {with("name: w, annotations: {a b: c}"), {"test:3: Pod w: metadata.annotations: Invalid value: \"a b\""}},
      {with("name: w, annotations: {a: " + std::string(262144, 'x') + "}"),
       {"test:3: Pod w: metadata.annotations: Too long: may not be more than 262144 bytes"}},
      {"{apiVersion: v1, kind: Namespace, metadata: {name: a.b}}",
       {"test:1: Namespace a.b: metadata.name: Invalid value: \"a.b\": must not contain dots"}},
      {"{apiVersion: v1, kind: Service, metadata: {name: \"whatever_\"}}", {}},
  });
}

TEST(Validate, Nodes) {
  const auto with = [](const std::string& lines) {
    return "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n" + lines + "\n";
  };
  const std::string effect =
      "test:4: Node n1: spec.taints[0].effect: Unsupported value: \"No\": supported values: \"NoSchedule\", "
      "\"PreferNoSchedule\", \"NoExecute\"";
  const std::string no_effect = "test:4: Node n1: spec.taints[0].effect: Required value";
  const std::string key = "test:4: Node n1: spec.taints[0].key: Invalid value: \"\": name part must be non-empty";
  const std::string key_rule = "test:4: Node n1: spec.taints[0].key: Invalid value: \"\": name part must consist";
  Check({
      {with("spec: {taints: [{key: a, effect: NoSchedule}, {key: a, effect: NoExecute}]}"), {}},
      {with("spec: {taints: [{key: a, effect: \"No\"}]}"), {effect}, {effect}},
      {with("spec: {taints: [{key: a}]}"), {no_effect}, {no_effect}},
      {with("spec: {taints: [{effect: NoSchedule}]}"), {key, key_rule}, {key, key_rule}},
      {with("spec: {taints: [{key: a, value: b c, effect: NoSchedule}]}"),
       {"test:4: Node n1: spec.taints[0].value: Invalid value: \"b c\": a valid label"}},
      {with("spec: {taints: [{key: a, effect: NoSchedule}, {key: a, value: b, effect: NoSchedule}]}"),
       {"test:4: Node n1: spec.taints[1]: Duplicate value: {\"key\":\"a\",\"value\":\"b\",\"effect\":\"NoSchedule\"}: "
        "taints must be unique by key and effect pair"}},
      {with("status: {capacity: {cpu: -1}}"),
       {"test:4: Node n1: status.capacity[cpu]: Invalid value: \"-1\": must be greater than or equal to 0"}},
      {with("status: {allocatable: {pods: 1500m}}"),
       {"test:4: Node n1: status.allocatable[pods]: Invalid value: \"1500m\": must be an integer"}},
  });
}

TEST(Validate, Classes) {
  const auto priority = [](const std::string& name, const std::string& rest) {
    return "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: " + name + "}, " + rest + "}";
  };
  const std::string policy =
      "test:1: PriorityClass p: preemptionPolicy: Unsupported value: \"Maybe\": supported values: "
      "\"PreemptLowerPriority\", \"Never\"";
  Check({
      {priority("p", "value: 1000000000, preemptionPolicy: Never"), {}},
      {priority("p", "value: 1, preemptionPolicy: Maybe"), {policy}, {policy}},
      {priority("p", "value: 1000000001"),
       {"test:1: PriorityClass p: value: Forbidden: maximum allowed value of a user defined priority is 1000000000"}},
      {priority("system-node-critical", "value: 2000001000"), {}},
      {priority("system-node-critical", "value: 5"),
       {"test:1: PriorityClass system-node-critical: metadata.name: Forbidden: priority class names with 'system-' "
        "prefix are reserved for system use only. error: value of system-node-critical PriorityClass must be "
        "2000001000"}},
      {priority("system-mine", "value: 5"),
       {"test:1: PriorityClass system-mine: metadata.name: Forbidden: priority class names with 'system-' prefix are "
        "reserved for system use only. error: system-mine is not a known system priority class"}},
      {"{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: r}}",
       {"test:1: RuntimeClass r: handler: Required value"}},
      {"{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: r}, handler: h, overhead: {podFixed: "
       "{cpu: -1}}}",
       {"test:1: RuntimeClass r: overhead.podFixed[cpu]: Invalid value: \"-1\": must be greater"}},
      {"{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: d}, spec: {extendedResourceName: gpu}}",
       {"test:1: DeviceClass d: spec.extendedResourceName: Invalid value: \"gpu\": must be a valid extended resource "
        "name"},
       {"test:1: DeviceClass d: spec.extendedResourceName: Invalid value: \"gpu\""}},
  });
}

TEST(Validate, Workloads) {
  const auto with = [](const std::string& head, const std::string& spec, const std::string& pod = "") {
    return head + "\nmetadata: {name: w}\nspec:\n  " + spec +
           "\n  template:\n    metadata: {labels: {app: w}}\n    spec: {" + pod +
           "containers: [{name: c, image: i}]}\n";
  };
  const std::string deployment = "apiVersion: apps/v1\nkind: Deployment", job = "apiVersion: batch/v1\nkind: Job";
  const std::string set = "apiVersion: apps/v1\nkind: StatefulSet";
  const std::string controller = "apiVersion: v1\nkind: ReplicationController";
  const std::string selector = "selector: {matchLabels: {app: w}}";
  Check({
      {with(deployment, selector), {}},
      {with(deployment, "paused: true"), {"test:4: Deployment w: spec.selector: Required value"}},
      {with(deployment, "selector: {}"),
       {"test:5: Deployment w: spec.selector: Invalid value: {}: empty selector is invalid for deployment"}},
      {with(set, "selector: {}"),
       {"test:5: StatefulSet w: spec.selector: Invalid value: {}: empty selector is invalid for statefulset"}},
      {with(deployment, "selector: {matchLabels: {app: x}}"),
       {"test:7: Deployment w: spec.template.metadata.labels: Invalid value: {\"app\":\"w\"}: `selector` does not "
        "match "
        "template `labels`"}},
      {with(deployment, "selector: {matchExpressions: [{key: app, operator: In}]}"),
       {"test:5: Deployment w: spec.selector.matchExpressions[0].values: Required value",
        "test:7: Deployment w: spec.template.metadata.labels: Invalid value"}},
      {with(deployment, selector + "\n  replicas: -1"),
       {"test:6: Deployment w: spec.replicas: Invalid value: -1: must be greater than or equal to 0"}},
      {with(deployment, selector, "restartPolicy: Never, "),
       {"test:8: Deployment w: spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: "
        "\"Always\""}},
      {with(deployment, selector, "nodeName: N1, "),
       {"test:8: Deployment w: spec.template.spec.nodeName: Invalid value: \"N1\""}},
      {with(deployment, selector, "schedulingGroup: {podGroupName: g}, "),
       {"test:8: Deployment w: spec.template.spec.schedulingGroup: pod groups are not supported yet"}},
      {with(controller, "selector: {app: x}"),
       {"test:7: ReplicationController w: spec.template.metadata.labels: Invalid value"}},
      {with(set, selector + "\n  ordinals: {start: -1}"),
       {"test:6: StatefulSet w: spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0"}},
      {with(job, "parallelism: 2", "restartPolicy: Never, "), {}},
      {with(job, "parallelism: 2"),
       {"test:8: Job w: spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\""}},
      {with(job, "parallelism: -1", "restartPolicy: Never, "),
       {"test:5: Job w: spec.parallelism: Invalid value: -1: must be greater than or equal to 0"}},
      {with(job, "completionMode: Some", "restartPolicy: Never, "),
       {"test:5: Job w: spec.completionMode: Unsupported value: \"Some\": supported values: \"NonIndexed\", "
        "\"Indexed\""}},
      {with(job, "completionMode: Indexed\n  parallelism: 2", "restartPolicy: Never, "),
       {"test:4: Job w: spec.completions: Required value: when completion mode is Indexed"}},
  });
}

}  // namespace
}  // namespace ksched::api
