// Affinity, spread constraints and the selectors in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/decode_test_util.h"

namespace ksched::api {
namespace {

using testing::ElementsAreArray;

struct Case {
  std::string lines;                     // of the spec, with %s for what the test adds
  std::vector<std::string> problems;     // without their beginning
  std::vector<std::string> stored = {};  // of a stored pod
};

void Check(const std::string& before, const std::string& field, const std::vector<Case>& cases) {
  for (const Case& test : cases) {
    for (const ValidationMode mode : {ValidationMode::kUser, ValidationMode::kStored}) {
      std::vector<std::string> problems;
      for (const std::string& problem : DecodeText(PodYaml(before + test.lines), mode).problems) {
        const size_t at = problem.find(field);
        problems.push_back(at == std::string::npos ? problem : problem.substr(at + field.size()));
      }
      EXPECT_THAT(problems, ElementsAreArray(mode == ValidationMode::kUser ? test.problems : test.stored))
          << test.lines << (mode == ValidationMode::kUser ? "" : " (stored)");
    }
  }
}

constexpr char kLabelValue[] =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

TEST(ValidateAffinity, RequiredNodeTerms) {
  const std::string field =
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  const std::string none = ": Required value: must have at least one node selector term";
  const std::string values =
      "[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'";
  const std::string no_values =
      "[0].matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
  const std::string one_value =
      "[0].matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'";
  const std::string unknown =
      "[0].matchExpressions[0].operator: Invalid value: \"Like\": not a valid selector operator";
  const std::string one_name =
      "[0].matchFields[0].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node "
      "field selector";
  const std::string field_operator =
      "[0].matchFields[0].operator: Invalid value: \"Exists\": not a valid selector operator";
  const std::string field_key =
      "[0].matchFields[0].key: Invalid value: \"metadata.uid\": not a valid field selector key";
  Check("affinity:\n  nodeAffinity:\n    requiredDuringSchedulingIgnoredDuringExecution:\n      nodeSelectorTerms: ",
        field,
        {
            {"[{matchExpressions: [{key: a, operator: In, values: [b]}]}]", {}},
            {"[{matchExpressions: [{key: a, operator: Gt, values: [x]}]}]", {}},
            {"[{}]", {}},
            {"[]", {none}, {none}},
            {"[{matchExpressions: [{key: a, operator: In}]}]", {values}, {values}},
            {"[{matchExpressions: [{key: a, operator: Exists, values: [b]}]}]", {no_values}, {no_values}},
            {"[{matchExpressions: [{key: a, operator: Gt, values: []}]}]", {one_value}, {one_value}},
            {"[{matchExpressions: [{key: a, operator: Lt, values: [\"1\", \"2\"]}]}]", {one_value}, {one_value}},
            {"[{matchExpressions: [{key: a, operator: Like}]}]", {unknown}, {unknown}},
            {"[{matchExpressions: [{key: a, operator: In, values: [b c]}]}]",
             {std::string("[0].matchExpressions[0].values[0]: Invalid value: \"b c\": ") + kLabelValue}},
            {"[{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]", {}},
            {"[{matchFields: [{key: metadata.name, operator: In, values: [n1, n2]}]}]", {one_name}, {one_name}},
            {"[{matchFields: [{key: metadata.name, operator: Exists}]}]", {field_operator}, {field_operator}},
            {"[{matchFields: [{key: metadata.uid, operator: In, values: [n1]}]}]", {field_key}, {field_key}},
        });
}

TEST(ValidateAffinity, PreferredNodeTerms) {
  Check("affinity:\n  nodeAffinity:\n    preferredDuringSchedulingIgnoredDuringExecution: ",
        "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution",
        {
            {"[{weight: 1, preference: {matchExpressions: [{key: a, operator: In, values: [b c]}]}}]", {}},
            {"[{weight: 0, preference: {}}]", {"[0].weight: Invalid value: 0: must be in the range 1-100"}},
            {"[{weight: 101, preference: {}}]", {"[0].weight: Invalid value: 101: must be in the range 1-100"}},
        });
}

TEST(ValidateAffinity, PodTerms) {
  const std::string no_key = "[0].topologyKey: Required value: can not be empty";
  const std::string unknown =
      "[0].labelSelector.matchExpressions[0].operator: Invalid value: \"Like\": not a valid selector operator";
  const std::string values =
      "[0].namespaceSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or "
      "'NotIn'";
  Check("affinity:\n  podAffinity:\n    requiredDuringSchedulingIgnoredDuringExecution: ",
        "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution",
        {
            {"[{topologyKey: zone, labelSelector: {matchLabels: {a: b}}, namespaces: [x]}]", {}},
            {"[{labelSelector: {}}]", {no_key}, {no_key}},
            {"[{topologyKey: z, labelSelector: {matchExpressions: [{key: a, operator: Like}]}}]", {unknown}, {unknown}},
            {"[{topologyKey: z, namespaceSelector: {matchExpressions: [{key: a, operator: In}]}}]", {values}, {values}},
            {"[{topologyKey: z, labelSelector: {matchLabels: {a: b c}}}]",
             {std::string("[0].labelSelector.matchLabels: Invalid value: \"b c\": ") + kLabelValue}},
            {"[{topologyKey: z, namespaces: [a.b]}]",
             {"[0].namespaces[0]: Invalid value: \"a.b\": must not contain dots"}},
            {"[{topologyKey: z, matchLabelKeys: [a]}]",
             {"[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"}},
            {"[{topologyKey: z, matchLabelKeys: [a], mismatchLabelKeys: [a], labelSelector: {}}]",
             {"[0].matchLabelKeys[0]: Invalid value: \"a\": exists in both matchLabelKeys and mismatchLabelKeys"}},
            {"[{topologyKey: z, matchLabelKeys: [a], labelSelector: {matchLabels: {a: b}}}]", {}},  // as stored
        });
  Check("affinity:\n  podAntiAffinity:\n    preferredDuringSchedulingIgnoredDuringExecution: ",
        "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution",
        {
            {"[{weight: 100, podAffinityTerm: {topologyKey: z}}]", {}},
            {"[{weight: 0, podAffinityTerm: {topologyKey: z}}]",
             {"[0].weight: Invalid value: 0: must be in the range 1-100"}},
        });
}

TEST(ValidateSpread, Constraints) {
  const std::string skew = "[0].maxSkew: Invalid value: 0: must be greater than zero";
  const std::string key = "[0].topologyKey: Required value: can not be empty";
  const std::string when =
      "[0].whenUnsatisfiable: Unsupported value: \"Never\": supported values: \"DoNotSchedule\", \"ScheduleAnyway\"";
  const std::string policy =
      "[0].nodeAffinityPolicy: Unsupported value: \"No\": supported values: \"Honor\", \"Ignore\"";
  const std::string good = "maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule";
  Check("topologySpreadConstraints: ", "spec.topologySpreadConstraints",
        {
            {"[{" + good + ", minDomains: 2, nodeAffinityPolicy: Honor, nodeTaintsPolicy: Ignore}]", {}},
            {"[{maxSkew: 0, topologyKey: z, whenUnsatisfiable: DoNotSchedule}]", {skew}, {skew}},
            {"[{maxSkew: 1, whenUnsatisfiable: ScheduleAnyway}]", {key}, {key}},
            {"[{maxSkew: 1, topologyKey: z, whenUnsatisfiable: Never}]", {when}, {when}},
            {"[{" + good + ", nodeAffinityPolicy: \"No\"}]", {policy}, {policy}},
            {"[{" + good + ", minDomains: 0}]", {"[0].minDomains: Invalid value: 0: must be greater than zero"}},
            {"[{maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway, minDomains: 1}]",
             {"[0].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not "
              "ScheduleAnyway"}},
            {"[{" + good + "}, {" + good + "}]",
             {"[0].{topologyKey, whenUnsatisfiable}: Duplicate value: \"{z, DoNotSchedule}\""}},
            {"[{" + good + ", matchLabelKeys: [a]}]",
             {"[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"}},
        });
}

}  // namespace
}  // namespace ksched::api
