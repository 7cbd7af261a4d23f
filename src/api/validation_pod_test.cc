// What the API server would not let anybody create: each rule with its text and line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/decode_test_util.h"

namespace ksched::api {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

struct PodCase {
  std::string spec, container;        // lines added to the pod
  std::vector<std::string> problems;  // without "test:LINE: Pod web: "
};

std::string WithoutPlace(const std::string& problem) {
  const std::string place = ": Pod web: ";
  const size_t at = problem.find(place);
  return at == std::string::npos ? problem : problem.substr(at + place.size());
}

void Check(const std::vector<PodCase>& cases, ValidationMode mode = ValidationMode::kUser) {
  for (const PodCase& test : cases) {
    std::vector<std::string> problems;
    for (const std::string& problem : DecodeText(PodYaml(test.spec, test.container), mode).problems) {
      problems.push_back(WithoutPlace(problem));
    }
    EXPECT_THAT(problems, ElementsAreArray(test.problems)) << test.spec << test.container;
  }
}

constexpr char kDnsLabel[] =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr char kDnsSubdomain[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr char kLabelName[] =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr char kLabelValue[] =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

TEST(ValidatePod, Resources) {
  Check({
      {"",
       "resources: {requests: {cpu: -1}}",
       {"spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be greater than or equal to 0"}},
      {"",
       "resources: {requests: {cpu: 2}, limits: {cpu: 1}}",
       {"spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1"}},
      {"",
       "resources: {requests: {example.com/gpu: 1}, limits: {example.com/gpu: 2}}",
       {"spec.containers[0].resources.requests: Invalid value: \"1\": must be equal to example.com/gpu limit of 2"}},
      {"",
       "resources: {requests: {example.com/gpu: 1}}",
       {"spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources"}},
      {"",
       "resources: {limits: {example.com/gpu: 1500m}}",
       {"spec.containers[0].resources.limits[example.com/gpu]: Invalid value: \"1500m\": must be an integer"}},
      {"",
       "resources: {limits: {hugepages-2Mi: 4Mi}}",
       {"spec.containers[0].resources: Forbidden: HugePages require cpu or memory"}},
      {"",
       "resources: {limits: {cpu: 1, hugepages-2Mi: 3Mi}}",
       {"spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not positive integer "
        "multiple of hugepages-2Mi"}},
      {"",
       "resources: {limits: {gpu: 1}}",
       {"spec.containers[0].resources.limits[gpu]: Invalid value: \"gpu\": must be a standard resource type or fully "
        "qualified"}},
      {"",
       "resources: {limits: {pods: 1}}",
       {"spec.containers[0].resources.limits[pods]: Invalid value: \"pods\": must be a standard resource for "
        "containers"}},
      {"",
       "resources: {limits: {a b: 1}}",
       {std::string("spec.containers[0].resources.limits[a b]: Invalid value: \"a b\": ") + kLabelName}},
      {"",
       "resources: {limits: {requests.example.com/x: 1}}",
       {"spec.containers[0].resources.limits[requests.example.com/x]: Invalid value: \"requests.example.com/x\": "
        "doesn't follow extended resource name standard"}},
      {"overhead: {cpu: -1}", "", {"spec.overhead[cpu]: Invalid value: \"-1\": must be greater than or equal to 0"}},
      {"",
       "resources: {claims: [{name: a}]}",
       {"spec.containers[0].resources.claims[0]: Not found: \"a\": must be one of the names in pod.spec.resourceClaims "
        "which is empty"}},
      {"resourceClaims: [{name: b, resourceClaimName: x}]",
       "resources: {claims: [{name: a}]}",
       {"spec.containers[0].resources.claims[0]: Not found: \"a\": must be one of the names in "
        "pod.spec.resourceClaims: b"}},
  });
}

TEST(ValidatePod, PodLevelResources) {
  Check({
      {"resources: {requests: {cpu: 2}, limits: {cpu: 3}}", "resources: {requests: {cpu: 1}}", {}},
      {"resources: {requests: {cpu: 1}}",
       "resources: {requests: {cpu: 2}}",
       {"spec.resources.requests[cpu]: Invalid value: \"1\": must be greater than or equal to aggregate container "
        "requests of 2"}},
      {"resources: {limits: {cpu: 1}}",
       "resources: {limits: {cpu: 2}}",
       {"spec.resources.containers[0][cpu].limits: Invalid value: \"2\": must be less than or equal to pod limits of "
        "1"}},
      {"resources: {limits: {ephemeral-storage: 1}}",
       "",
       {"spec.resources.limits[ephemeral-storage]: Unsupported value: \"ephemeral-storage\": supported values: "
        "\"cpu\", "
        "\"hugepages-\", \"memory\""}},
      {"resources: {claims: [{name: a}]}",
       "",
       {"spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level"}},
      {"resources: {requests: {cpu: 3}}\n"
       "initContainers: [{name: s, image: i, restartPolicy: Always, resources: {requests: {cpu: 1}}},"
       " {name: i, image: i, resources: {requests: {cpu: 3}}}]",
       "resources: {requests: {cpu: 1}}",
       {"spec.resources.requests[cpu]: Invalid value: \"3\": must be greater than or equal to aggregate container "
        "requests of 4"}},
  });
}

TEST(ValidatePod, Containers) {
  Check({
      {"initContainers: [{image: i}]", "", {"spec.initContainers[0].name: Required value"}},
      {"initContainers: [{name: main, image: i}]", "", {"spec.initContainers[0].name: Duplicate value: \"main\""}},
      {"initContainers: [{name: A, image: i}]",
       "",
       {std::string("spec.initContainers[0].name: Invalid value: \"A\": ") + kDnsLabel}},
      {"initContainers: [{name: i}]", "", {"spec.initContainers[0].image: Required value"}},
      {"initContainers: [{name: i, image: \" i\"}]",
       "",
       {"spec.initContainers[0].image: Invalid value: \" i\": must not have leading or trailing whitespace"}},
      {"initContainers: [{name: i, image: i, restartPolicy: Sometimes}]",
       "",
       {"spec.initContainers[0].restartPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", "
        "\"Never\", \"OnFailure\""}},
      {"restartPolicy: Sometimes",
       "",
       {"spec.restartPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \"OnFailure\", "
        "\"Never\""}},
      {"preemptionPolicy: Maybe",
       "",
       {"spec.preemptionPolicy: Unsupported value: \"Maybe\": supported values: \"PreemptLowerPriority\", \"Never\""}},
  });
  EXPECT_THAT(DecodeText("apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: []}\n").problems,
              ElementsAre("test:4: Pod web: spec.containers: Required value"));
}

TEST(ValidatePod, Ports) {
  Check({
      {"",
       "ports: [{containerPort: 70000}]",
       {"spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive"}},
      {"", "ports: [{hostPort: 80}]", {"spec.containers[0].ports[0].containerPort: Required value"}},
      {"",
       "ports: [{containerPort: 80, hostPort: -1}]",
       {"spec.containers[0].ports[0].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive"}},
      {"",
       "ports: [{containerPort: 80, protocol: tcp}]",
       {"spec.containers[0].ports[0].protocol: Unsupported value: \"tcp\": supported values: \"SCTP\", \"TCP\", "
        "\"UDP\""}},
      {"",
       "ports: [{containerPort: 80, name: \"80\"}]",
       {"spec.containers[0].ports[0].name: Invalid value: \"80\": must contain at least one letter (a-z)"}},
      {"",
       "ports: [{containerPort: 80, name: a}, {containerPort: 81, name: a}]",
       {"spec.containers[0].ports[1].name: Duplicate value: \"a\""}},
      {"",
       "ports: [{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 80}]",
       {"spec.containers[0].ports[1].hostPort: Duplicate value: \"TCP//80\""}},
      {"", "ports: [{containerPort: 80, hostPort: 80}, {containerPort: 80, hostPort: 80, protocol: UDP}]", {}},
      {"hostNetwork: true",
       "ports: [{containerPort: 80, hostPort: 81}]",
       {"spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is "
        "true"}},
  });
}

TEST(ValidatePod, Tolerations) {
  Check({
      {"tolerations: [{operator: Exists}, {key: a}, {key: a, value: b, effect: NoSchedule}]", "", {}},
      {"tolerations: [{key: a, operator: Like}]",
       "",
       {"spec.tolerations[0].operator: Unsupported value: \"Like\": supported values: \"Equal\", \"Exists\""}},
      {"tolerations: [{key: a, operator: Lt, value: \"5\"}]",
       "",
       {"spec.tolerations[0].operator: Unsupported value: \"Lt\": supported values: \"Equal\", \"Exists\", \"Lt\", "
        "\"Gt\""}},
      {"tolerations: [{value: x}]",
       "",
       {"spec.tolerations[0].operator: Invalid value: \"\": operator must be Exists when `key` is empty, which means "
        "\"match all values and all keys\""}},
      {"tolerations: [{key: a, operator: Exists, value: x}]",
       "",
       {"spec.tolerations[0].operator: Invalid value: \"x\": value must be empty when `operator` is 'Exists'"}},
      {"tolerations: [{key: a, effect: Never}]",
       "",
       {"spec.tolerations[0].effect: Unsupported value: \"Never\": supported values: \"NoSchedule\", "
        "\"PreferNoSchedule\", \"NoExecute\""}},
      {"tolerations: [{key: a, effect: NoSchedule, tolerationSeconds: 1}]",
       "",
       {"spec.tolerations[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when "
        "`tolerationSeconds` is set"}},
      {"tolerations: [{key: \"a b\"}]",
       "",
       {std::string("spec.tolerations[0].key: Invalid value: \"a b\": ") + kLabelName}},
      {"tolerations: [{key: a, value: \"b c\"}]",
       "",
       {std::string("spec.tolerations[0].operator: Invalid value: \"b c\": ") + kLabelValue}},
  });
}

TEST(ValidatePod, NamesAndGates) {
  Check({
      {"nodeSelector: {disk: a b}", "", {std::string("spec.nodeSelector: Invalid value: \"a b\": ") + kLabelValue}},
      {"nodeSelector: {a b: x}", "", {std::string("spec.nodeSelector: Invalid value: \"a b\": ") + kLabelName}},
      {"schedulingGates: [{name: a}, {name: a}]", "", {"spec.schedulingGates[1]: Duplicate value: \"a\""}},
      {"schedulingGates: [{name: \"a b\"}]",
       "",
       {std::string("spec.schedulingGates[0]: Invalid value: \"a b\": ") + kLabelName}},
      {"nodeName: n1\nschedulingGates: [{name: a}]",
       "",
       {"spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"}},
      {"nodeName: N1", "", {std::string("spec.nodeName: Invalid value: \"N1\": ") + kDnsSubdomain}},
      {"priorityClassName: N1", "", {std::string("spec.priorityClassName: Invalid value: \"N1\": ") + kDnsSubdomain}},
      {"runtimeClassName: N1", "", {std::string("spec.runtimeClassName: Invalid value: \"N1\": ") + kDnsSubdomain}},
      {"schedulingGroup: {podGroupName: g}", "", {"spec.schedulingGroup: pod groups are not supported yet"}},
      {"resourceClaims: [{name: a}]",
       "",
       {"spec.resourceClaims[0]: Invalid value: {\"name\":\"a\"}: must specify one of: `resourceClaimName`, "
        "`resourceClaimTemplateName`"}},
      {"resourceClaims: [{name: a, resourceClaimName: x}, {name: a, resourceClaimName: z}]",
       "",
       {"spec.resourceClaims[1].name: Duplicate value: \"a\""}},
  });
}

TEST(ValidatePod, StoredPodsMayBeOlderThanTheRules) {
  Check(
      {
          {"tolerations: [{key: a, operator: Lt, value: \"5\"}]", "", {}},
          {"nodeName: N1\nnodeSelector: {a b: c d}", "resources: {requests: {cpu: 2, gpu: 1}, limits: {cpu: 1}}", {}},
          {"restartPolicy: Sometimes", "ports: [{containerPort: 99999}]", {}},
          {"tolerations: [{key: a, operator: Like}]",
           "",
           {"spec.tolerations[0].operator: Unsupported value: \"Like\": supported values: \"Equal\", \"Exists\""}},
          {"schedulingGroup: {podGroupName: g}", "", {"spec.schedulingGroup: pod groups are not supported yet"}},
          {"nodeName: n1\nschedulingGroup: {podGroupName: g}", "", {}},
      },
      ValidationMode::kStored);
}

TEST(ValidatePod, LinesAreThoseOfTheField) {
  EXPECT_THAT(DecodeText(PodYaml("tolerations:\n- key: a\n- key: b\n  effect: Never")).problems,
              ElementsAre(testing::StartsWith("test:12: Pod web: spec.tolerations[1].effect: Unsupported value")));
  EXPECT_THAT(DecodeText(PodYaml("nodeSelector:\n  a: b\n  c: d e")).problems,
              ElementsAre(testing::StartsWith("test:11: Pod web: spec.nodeSelector: Invalid value: \"d e\"")));
}

}  // namespace
}  // namespace ksched::api
