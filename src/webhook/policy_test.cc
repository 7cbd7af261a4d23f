#include "webhook/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace ksched::webhook {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kHead[] = "apiVersion: ksched.dev/v1alpha1\nkind: AdmissionPolicy\n";

// The policy whose file goes on with `body` after its head.
Policy Read(const std::string& body) {
  Result<Policy> policy = Policy::Read(kHead + body, "p.yaml");
  EXPECT_TRUE(policy.ok()) << policy.error().message;
  return policy.ok() ? *std::move(policy) : Policy();
}

std::string ErrorOfText(const std::string& text) {
  const Result<Policy> policy = Policy::Read(text, "p.yaml");
  return policy.ok() ? "" : policy.error().message;
}
std::string ErrorOf(const std::string& body) { return ErrorOfText(kHead + body); }

// Somebody's object, which lives as long as this.
struct Someone {
  std::string ns = "shop";
  std::optional<api::StringMap> ns_labels = api::StringMap{{"team", "a"}};
  api::StringMap labels = {{"app", "web"}};
  std::string user = "jane";
  std::vector<std::string> groups = {"dev"};

  Subject subject() const {
    return {.ns = ns, .ns_labels = ns_labels ? &*ns_labels : nullptr, .labels = labels, .user = user, .groups = groups};
  }
};

Action ActionFor(const Policy& policy, Question question, const Someone& someone = {},
                 const std::vector<std::string_view>& plugins = {"NodeAffinity"}) {
  return policy.ActionFor(question, someone.subject(), plugins);
}

TEST(PolicyTest, WithoutAFile) {
  const Policy policy;
  EXPECT_EQ(ActionFor(policy, Question::kImpossible), Action::kDeny);
  EXPECT_EQ(ActionFor(policy, Question::kNoRoom), Action::kWarn);
  EXPECT_EQ(policy.ExemptionOf(Someone().subject()), nullptr);
  EXPECT_FALSE(policy.fail_closed());
  EXPECT_FALSE(policy.judge_gated());
  EXPECT_EQ(policy.max_staleness(), std::chrono::minutes(5));
  EXPECT_TRUE(policy.node_shapes().empty());
}

TEST(PolicyTest, AFileThatSaysNothingChangesNothing) {
  const Policy policy = Read("");
  EXPECT_EQ(ActionFor(policy, Question::kImpossible), Action::kDeny);
  EXPECT_EQ(ActionFor(policy, Question::kNoRoom), Action::kWarn);
  EXPECT_EQ(policy.max_staleness(), std::chrono::minutes(5));
}

TEST(PolicyTest, PlainValues) {
  const Policy policy =
      Read("failClosed: true\njudgeGated: true\nmaxStaleness: 1m1.5s\ndefaults: {impossible: audit, noRoom: ignore}\n");
  EXPECT_TRUE(policy.fail_closed());
  EXPECT_TRUE(policy.judge_gated());
  EXPECT_EQ(policy.max_staleness(), std::chrono::milliseconds(61'500));
  EXPECT_EQ(ActionFor(policy, Question::kImpossible), Action::kAudit);
  EXPECT_EQ(ActionFor(policy, Question::kNoRoom), Action::kIgnore);
}

TEST(PolicyTest, Json) {
  const Result<Policy> policy = Policy::Read(
      R"({"apiVersion": "ksched.dev/v1alpha1", "kind": "AdmissionPolicy", "defaults": {"impossible": "warn"}})", "p");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  EXPECT_EQ(ActionFor(*policy, Question::kImpossible), Action::kWarn);
}

TEST(PolicyTest, TheFirstRuleThatMatchesAndSaysSomethingCounts) {
  const Policy policy = Read(R"(
rules:
- {name: a, match: {users: [joe]}, impossible: ignore}
- {name: b, match: {namespaces: [shop]}, noRoom: deny}
- {name: c, plugins: [TaintToleration], impossible: audit}
- {name: d, impossible: warn, noRoom: ignore}
)");
  EXPECT_EQ(ActionFor(policy, Question::kImpossible, {.user = "joe"}), Action::kIgnore);
  EXPECT_EQ(ActionFor(policy, Question::kImpossible), Action::kWarn);
  EXPECT_EQ(ActionFor(policy, Question::kNoRoom), Action::kDeny);
  EXPECT_EQ(ActionFor(policy, Question::kNoRoom, {.ns = "other"}), Action::kIgnore);
  EXPECT_EQ(ActionFor(policy, Question::kImpossible, {}, {"NodeAffinity", "TaintToleration"}), Action::kAudit);
  EXPECT_EQ(ActionFor(policy, Question::kImpossible, {}, {}), Action::kWarn);
}

TEST(PolicyTest, WhatNoRuleSaysIsTheDefault) {
  const Policy policy = Read("rules: [{name: a, match: {namespaces: [b]}, impossible: ignore}]\n");
  EXPECT_EQ(ActionFor(policy, Question::kImpossible, {.ns = "b"}), Action::kIgnore);
  EXPECT_EQ(ActionFor(policy, Question::kNoRoom, {.ns = "b"}), Action::kWarn);
  EXPECT_EQ(ActionFor(policy, Question::kImpossible), Action::kDeny);
}

struct MatchRow {
  std::string name, match;
  Someone someone;
  bool matches;
};

TEST(PolicyTest, Matching) {
  const MatchRow rows[] = {
      {"namespace among several", "{namespaces: [a, shop]}", {}, true},
      {"another namespace", "{namespaces: [a, b]}", {}, false},
      {"labels of the namespace", "{namespaceSelector: {matchLabels: {team: a}}}", {}, true},
      {"other labels of it", "{namespaceSelector: {matchLabels: {team: b}}}", {}, false},
      {"an unknown namespace", "{namespaceSelector: {matchLabels: {team: a}}}", {.ns_labels = std::nullopt}, false},
      {"an unknown namespace, negated",
       "{namespaceSelector: {matchExpressions: [{key: x, operator: DoesNotExist}]}}",
       {.ns_labels = std::nullopt},
       false},
      {"its name is known, though", "{namespaces: [shop]}", {.ns_labels = std::nullopt}, true},
      {"labels of the object",
       "{objectSelector: {matchExpressions: [{key: app, operator: In, values: [web, db]}]}}",
       {},
       true},
      {"other labels of it", "{objectSelector: {matchLabels: {app: db}}}", {}, false},
      {"an expression that does not hold",
       "{objectSelector: {matchExpressions: [{key: app, operator: DoesNotExist}]}}",
       {},
       false},
      {"user", "{users: [joe, jane]}", {}, true},
      {"another user", "{users: [joe]}", {}, false},
      {"group", "{groups: [ops, dev]}", {}, true},
      {"another group", "{groups: [ops]}", {}, false},
      {"user or group: the group", "{users: [joe], groups: [dev]}", {}, true},
      {"user or group: the user", "{users: [jane], groups: [ops]}", {}, true},
      {"neither", "{users: [joe], groups: [ops]}", {}, false},
      {"all conditions hold",
       "{namespaces: [shop], objectSelector: {matchLabels: {app: web}}, users: [jane]}",
       {},
       true},
      {"one does not", "{namespaces: [shop], objectSelector: {matchLabels: {app: web}}, users: [joe]}", {}, false},
  };
  for (const MatchRow& row : rows) {
    const Policy policy = Read("exemptions: [{name: them, match: " + row.match + "}]\n" +
                               "rules: [{name: r, noRoom: audit, match: " + row.match + "}]\n");
    const std::string* exemption = policy.ExemptionOf(row.someone.subject());
    EXPECT_EQ(exemption != nullptr ? *exemption : "", row.matches ? "them" : "") << row.name;
    EXPECT_EQ(ActionFor(policy, Question::kNoRoom, row.someone), row.matches ? Action::kAudit : Action::kWarn)
        << row.name;
  }
}

TEST(PolicyTest, TransientTaints) {
  const Policy policy = Read("transientTaints: [example.com/starting, 'vendor.io/*', 'pool-*']\n");
  for (const char* key :
       {"node.kubernetes.io/not-ready", "node.kubernetes.io/unschedulable", "node.cloudprovider.kubernetes.io/shutdown",
        "ToBeDeletedByClusterAutoscaler", "example.com/starting", "vendor.io/a", "vendor.io/", "pool-1"}) {
    EXPECT_TRUE(policy.IsTransient(key)) << key;
  }
  for (const char* key : {"", "node.kubernetes.io", "example.com/starting2", "example.com/start", "vendor.io", "pool",
                          "node-role.kubernetes.io/control-plane", "ToBeDeletedByClusterAutoscaler2"}) {
    EXPECT_FALSE(policy.IsTransient(key)) << key;
  }
  EXPECT_FALSE(Policy().IsTransient("vendor.io/a"));
}

TEST(PolicyTest, NodeShapes) {
  const Policy policy = Read(R"(
nodeShapes:
- name: gpu
  labels: {pool: gpu, kubernetes.io/os: linux}
  taints: [{key: gpu, value: "yes", effect: NoSchedule}, {key: gpu, effect: NoExecute}]
  allocatable: {cpu: 7910m, memory: 32Gi, nvidia.com/gpu: 8}
- name: small
  labels: {kubernetes.io/hostname: other}
  allocatable: {cpu: 2, memory: 4Gi, pods: 20, ephemeral-storage: 10Gi, hugepages-2Mi: 0}
)");
  ASSERT_EQ(policy.node_shapes().size(), 2U);
  const NodeShape& gpu = policy.node_shapes()[0];
  EXPECT_EQ(gpu.name, "gpu");
  EXPECT_EQ(gpu.node.metadata.name, "gpu");
  EXPECT_EQ(gpu.node.metadata.labels,
            (api::StringMap{{"kubernetes.io/hostname", "gpu"}, {"kubernetes.io/os", "linux"}, {"pool", "gpu"}}));
  EXPECT_THAT(gpu.node.spec.taints,
              ElementsAre(api::Taint{"gpu", "yes", "NoSchedule"}, api::Taint{"gpu", "", "NoExecute"}));
  const api::ResourceList expected = {{"cpu", api::Quantity::FromMilli(7910)},
                                      {"memory", api::Quantity::FromUnits(int64_t{32} << 30)},
                                      {"nvidia.com/gpu", api::Quantity::FromUnits(8)},
                                      {"pods", api::Quantity::FromUnits(110)}};
  EXPECT_EQ(gpu.node.status.allocatable, expected);
  EXPECT_EQ(gpu.node.status.capacity, expected);
  EXPECT_TRUE(gpu.node.status.has_allocatable);
  const api::Node& small = policy.node_shapes()[1].node;
  EXPECT_EQ(small.metadata.labels.at("kubernetes.io/hostname"), "other");
  EXPECT_EQ(small.status.allocatable.at("pods"), api::Quantity::FromUnits(20));
}

// ---- errors ----

struct ErrorRow {
  std::string body, error;
};

TEST(PolicyTest, WrongValuesAreNamedWithTheirLine) {
  const ErrorRow rows[] = {
      {"failClosed: yes please\n", "p.yaml:3: failClosed: expected a boolean, found a string"},
      {"maxStaleness: 5\n", "p.yaml:3: maxStaleness: expected a string, found a number"},
      {"maxStaleness: 0s\n", R"(p.yaml:3: maxStaleness: Invalid value: "0s": must be at least 1ms)"},
      {"maxStaleness: -1m\n", R"(p.yaml:3: maxStaleness: Invalid value: "-1m": must be at least 1ms)"},
      {"defaults: {impossible: never}\n",
       R"(p.yaml:3: defaults.impossible: Unsupported value: "never": supported values: "deny", "warn", "audit", "ignore")"},
      {"defaults: {noroom: warn}\n", "p.yaml:3: defaults.noroom: unknown field"},
      {"spec: {}\n", "p.yaml:3: spec: unknown field"},
      {"rules: {}\n", "p.yaml:3: rules: expected a list, found an object"},
      {"rules:\n- noRoom: warn\n", "p.yaml:4: rules[0].name: Required value"},
      {"rules:\n- null\n",
       "p.yaml:4: rules[0].name: Required value\n"
       "p.yaml:4: rules[0]: Required value: one of impossible and noRoom, or both"},
      {"rules:\n- {name: 5, noRoom: warn}\n", "p.yaml:4: rules[0].name: expected a string, found a number"},
      {"rules:\n- {name: a, noRoom: warn}\n- {name: a, noRoom: warn}\n",
       R"(p.yaml:5: rules[1].name: Duplicate value: "a")"},
      {"rules:\n- {name: a}\n", "p.yaml:4: rules[0]: Required value: one of impossible and noRoom, or both"},
      {"rules:\n- {name: a, noRoom: warn, plugins: [NodeAffinity, Affinity]}\n",
       R"(p.yaml:4: rules[0].plugins[1]: Invalid value: "Affinity": kube-scheduler has no such plugin by default)"},
      {"rules:\n- name: a\n  noRoom: warn\n  match:\n    users: ['']\n    groups: [a, '']\n    user: joe\n",
       "p.yaml:7: rules[0].match.users[0]: Required value\n"
       "p.yaml:8: rules[0].match.groups[1]: Required value\n"
       "p.yaml:9: rules[0].match.user: unknown field"},
      {"exemptions:\n- {name: a}\n",
       "p.yaml:4: exemptions[0].match: Required value: without a condition everything would be exempt"},
      {"exemptions:\n- {name: a, match: {namespaces: [], objectSelector: {}}}\n",
       "p.yaml:4: exemptions[0].match: Required value: without a condition everything would be exempt"},
      {"exemptions:\n- {name: a, match: {users: jane}}\n",
       "p.yaml:4: exemptions[0].match.users: expected a list, found a string"},
      {"exemptions:\n- {name: a, match: {objectSelector: {matchExpressions: [{key: a, operator: Has}]}}}\n",
       "p.yaml:4: exemptions[0].match.objectSelector.matchExpressions[0].operator: "
       R"(Invalid value: "Has": not a valid selector operator)"},
      {"exemptions:\n- {name: a, match: {objectSelector: {matchLabel: {a: b}}}}\n",
       "p.yaml:4: exemptions[0].match.objectSelector.matchLabel: unknown field"},
      {"nodeShapes:\n- {name: a}\n",
       "p.yaml:4: nodeShapes[0].allocatable[cpu]: Required value\n"
       "p.yaml:4: nodeShapes[0].allocatable[memory]: Required value"},
      {"nodeShapes:\n- {name: a, allocatable: {cpu: lots, memory: 1Gi}}\n",
       R"(p.yaml:4: nodeShapes[0].allocatable[cpu]: Invalid value: "lots": )"
       "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
      {"nodeShapes:\n- {name: a, allocatable: {cpu: -1, memory: 1Gi, gpu: 1}}\n",
       "p.yaml:4: nodeShapes[0].allocatable[cpu]: Invalid value: \"-1\": must be greater than or equal to 0\n"
       "p.yaml:4: nodeShapes[0].allocatable[gpu]: "
       "Invalid value: \"gpu\": must be a standard resource type or fully qualified"},
      {"nodeShapes:\n- name: a\n  taints: [{key: a, effect: Never}]\n  allocatable: {cpu: 1, memory: 1Gi}\n",
       R"(p.yaml:5: nodeShapes[0].taints[0].effect: Unsupported value: "Never": )"
       R"(supported values: "NoSchedule", "PreferNoSchedule", "NoExecute")"},
      {"nodeShapes:\n- name: a\n  taints: [{key: a, efect: Never}]\n  allocatable: {cpu: 1, memory: 1Gi}\n",
       "p.yaml:5: nodeShapes[0].taints[0].efect: unknown field\n"
       "p.yaml:5: nodeShapes[0].taints[0].effect: Required value"},
      {"transientTaints: ['*']\n",
       R"(p.yaml:3: transientTaints[0]: Invalid value: "*": every taint would be transient)"},
  };
  for (const ErrorRow& row : rows) EXPECT_EQ(ErrorOf(row.body), row.error) << row.body;
}

TEST(PolicyTest, NamesAreChecked) {
  EXPECT_THAT(ErrorOf("rules: [{name: A b, noRoom: warn}]\n"),
              HasSubstr("p.yaml:3: rules[0].name: Invalid value: \"A b\": "));
  EXPECT_THAT(ErrorOf("rules: [{name: a, noRoom: warn, match: {namespaces: [a.b]}}]\n"),
              HasSubstr("p.yaml:3: rules[0].match.namespaces[0]: Invalid value: \"a.b\": "));
  EXPECT_THAT(ErrorOf("nodeShapes: [{name: a, labels: {a b: c}, allocatable: {cpu: 1, memory: 1}}]\n"),
              HasSubstr("p.yaml:3: nodeShapes[0].labels: Invalid value: \"a b\": "));
  EXPECT_THAT(ErrorOf("transientTaints: ['a*b']\n"),
              HasSubstr("p.yaml:3: transientTaints[0]: Invalid value: \"a*b\": "));
  EXPECT_THAT(ErrorOf("maxStaleness: 5 minutes\n"),
              HasSubstr("p.yaml:3: maxStaleness: Invalid value: \"5 minutes\": "));
}

TEST(PolicyTest, AllFindingsInTheOrderOfTheFile) {
  EXPECT_EQ(ErrorOf("judgeGated: 1\nfailclosed: true\nrules:\n- {name: a, noRoom: never}\nmaxStaleness: 0s\n"),
            "p.yaml:3: judgeGated: expected a boolean, found a number\n"
            "p.yaml:4: failclosed: unknown field\n"
            "p.yaml:6: rules[0].noRoom: Unsupported value: \"never\": "
            "supported values: \"deny\", \"warn\", \"audit\", \"ignore\"\n"
            "p.yaml:7: maxStaleness: Invalid value: \"0s\": must be at least 1ms");
}

TEST(PolicyTest, NoEndOfFindings) {
  std::string body = "rules:\n";
  for (int i = 0; i < 105; ++i) body += "- {name: a" + std::to_string(i) + ", noRoom: warn, x: 1}\n";
  const std::string error = ErrorOf(body);
  EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 100);
  EXPECT_THAT(error, testing::EndsWith("p.yaml:1: 5 more problems in this object"));
}

TEST(PolicyTest, FilesThatAreNoPolicy) {
  EXPECT_EQ(ErrorOfText(""), "p.yaml: there is no AdmissionPolicy in it");
  EXPECT_EQ(ErrorOfText("---\n# nothing\n---\n"), "p.yaml: there is no AdmissionPolicy in it");
  EXPECT_EQ(
      ErrorOfText("rules: []\n"),
      "p.yaml:1: apiVersion: Required value: ksched.dev/v1alpha1\np.yaml:1: kind: Required value: AdmissionPolicy");
  EXPECT_EQ(ErrorOfText("apiVersion: ksched.dev/v1\nkind: AdmissionPolicy\nx: 1\n"),
            R"(p.yaml:1: apiVersion: Unsupported value: "ksched.dev/v1": supported values: "ksched.dev/v1alpha1")");
  EXPECT_EQ(ErrorOfText("apiVersion: ksched.dev/v1alpha1\nkind: 7\n"),
            "p.yaml:2: kind: expected a string, found a number");
  EXPECT_EQ(ErrorOf("---\napiVersion: v1\nkind: Pod\n"), "p.yaml:4: a second document: a policy file has one");
  EXPECT_EQ(ErrorOf("failClosed: true\nfailClosed: false\n"),
            "p.yaml:4: duplicate key \"failClosed\" (first on line 3)");
  EXPECT_THAT(ErrorOf("rules: [\n"), HasSubstr("p.yaml:"));
}

TEST(PolicyTest, Files) {
  const Result<Policy> absent = Policy::Load("/nonexistent/policy.yaml");
  ASSERT_FALSE(absent.ok());
  EXPECT_THAT(absent.error().message, HasSubstr("/nonexistent/policy.yaml"));

  const std::string file = testing::TempDir() + "policy_test.yaml";
  std::ofstream(file) << kHead << "failClosed: true\n";
  const Result<Policy> policy = Policy::Load(file);
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  EXPECT_TRUE(policy->fail_closed());
}

}  // namespace
}  // namespace ksched::webhook
