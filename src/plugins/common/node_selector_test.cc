#include "plugins/common/node_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/testing.h"
#include "plugins/common/node_selector_errors.h"

namespace ksched {
namespace {

using namespace testing_support;

using Requirements = std::vector<api::NodeSelectorRequirement>;
using Terms = std::vector<api::NodeSelectorTerm>;

bool Matches(const Terms& terms, const api::Node& node) {
  const api::NodeSelector selector{terms};
  NodeSelectorTerms compiled;
  compiled.Compile(selector);
  return compiled.MatchesAny(node);
}

TEST(NodeSelectorTermsTest, Requirements) {
  const api::Node node = MakeNode("n1").Label("zone", "a").Label("empty", "").Label("cpus", "16").Label("signed", "+7");
  struct Row {
    std::string name;
    Requirements expressions, fields;
    bool want;
  };
  const std::vector<Row> rows = {
      {"In", {{"zone", "In", {"b", "a"}}}, {}, true},
      {"In, other values", {{"zone", "In", {"b"}}}, {}, false},
      {"In, no label", {{"nope", "In", {"a"}}}, {}, false},
      {"In the empty value", {{"empty", "In", {""}}}, {}, true},
      {"In the empty value, no label", {{"nope", "In", {""}}}, {}, false},
      {"NotIn", {{"zone", "NotIn", {"b"}}}, {}, true},
      {"NotIn, its value", {{"zone", "NotIn", {"b", "a"}}}, {}, false},
      {"NotIn, no label", {{"nope", "NotIn", {"a"}}}, {}, true},
      {"Exists", {{"empty", "Exists", {}}}, {}, true},
      {"Exists, no label", {{"nope", "Exists", {}}}, {}, false},
      {"DoesNotExist", {{"nope", "DoesNotExist", {}}}, {}, true},
      {"DoesNotExist, a label", {{"empty", "DoesNotExist", {}}}, {}, false},
      {"Gt", {{"cpus", "Gt", {"15"}}}, {}, true},
      {"Gt, equal", {{"cpus", "Gt", {"16"}}}, {}, false},
      {"Lt", {{"cpus", "Lt", {"17"}}}, {}, true},
      {"Lt, equal", {{"cpus", "Lt", {"16"}}}, {}, false},
      {"Gt, with zeros in front", {{"cpus", "Gt", {"0015"}}}, {}, true},
      {"Gt, a negative number is no label value, so the term is invalid", {{"cpus", "Gt", {"-20"}}}, {}, false},
      {"Gt, a label with a sign", {{"signed", "Gt", {"6"}}}, {}, true},
      {"Gt, no label", {{"nope", "Gt", {"1"}}}, {}, false},
      {"Lt, no number in the label", {{"zone", "Lt", {"1"}}}, {}, false},
      {"all of several", {{"zone", "In", {"a"}}, {"cpus", "Exists", {}}}, {}, true},
      {"one of several fails", {{"zone", "In", {"a"}}, {"nope", "Exists", {}}}, {}, false},
      {"name In", {}, {{"metadata.name", "In", {"n1"}}}, true},
      {"name In, another", {}, {{"metadata.name", "In", {"n2"}}}, false},
      {"name NotIn", {}, {{"metadata.name", "NotIn", {"n2"}}}, true},
      {"name NotIn, this one", {}, {{"metadata.name", "NotIn", {"n1"}}}, false},
      {"another field is empty", {}, {{"metadata.uid", "In", {""}}}, true},
      {"another field has no value", {}, {{"metadata.uid", "In", {"n1"}}}, false},
      {"label and name", {{"zone", "In", {"a"}}}, {{"metadata.name", "In", {"n1"}}}, true},
      {"label but not name", {{"zone", "In", {"a"}}}, {{"metadata.name", "In", {"n2"}}}, false},
      {"name but not label", {{"zone", "In", {"b"}}}, {{"metadata.name", "In", {"n1"}}}, false},
      {"an empty term", {}, {}, false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Matches({{row.expressions, row.fields}}, node), row.want);
  }
}

TEST(NodeSelectorTermsTest, AnyTermWillDo) {
  const api::Node node = MakeNode("n1").Label("zone", "a");
  const auto a = MatchExpressions({{"zone", "In", {"a"}}}), b = MatchExpressions({{"zone", "In", {"b"}}}),
             invalid = MatchExpressions({{"zone", "In", {}}});
  EXPECT_FALSE(Matches({}, node));
  EXPECT_FALSE(Matches({{}}, node));
  EXPECT_TRUE(Matches({b, a}, node));
  EXPECT_TRUE(Matches({invalid, {}, a}, node));
  EXPECT_FALSE(Matches({invalid, b}, node));
}

TEST(NodeSelectorTermsTest, ANodeWithoutNameHasNoFields) {
  EXPECT_TRUE(Matches({MatchFields({{"metadata.name", "In", {"n1"}}})}, MakeNode("")));
}

TEST(NodeSelectorTermsTest, WeightsOfMatchingTermsAddUp) {
  const std::vector<api::PreferredSchedulingTerm> terms = {
      {5, MatchExpressions({{"zone", "In", {"a"}}})},
      {7, MatchExpressions({{"disk", "Exists", {}}})},
      {11, {}},                                      // empty: matches nothing
      {0, MatchExpressions({{"zone", "Bad", {}}})},  // no weight: not even looked at
      {13, MatchFields({{"metadata.name", "In", {"n1"}}})},
  };
  NodeSelectorTerms compiled;
  compiled.Compile(terms);
  EXPECT_FALSE(compiled.has_invalid());
  EXPECT_TRUE(compiled.reads_names());
  EXPECT_EQ(compiled.WeightOfMatching(MakeNode("n0")), 0);
  EXPECT_EQ(compiled.WeightOfMatching(MakeNode("n0").Label("zone", "a")), 5);
  EXPECT_EQ(compiled.WeightOfMatching(MakeNode("n1").Label("zone", "a").Label("disk", "ssd")), 25);
  EXPECT_EQ(Problems(terms), "");
}

TEST(NodeSelectorTermsTest, CompilingAgainForgets) {
  const api::NodeSelector names{
      {MatchFields({{"metadata.name", "Bad", {}}}), MatchFields({{"metadata.name", "In", {"n1"}}})}};
  const api::NodeSelector labels{{MatchExpressions({{"zone", "In", {"a"}}, {"disk", "Exists", {}}})}};
  NodeSelectorTerms compiled;
  compiled.Compile(names);
  EXPECT_TRUE(compiled.has_invalid());
  EXPECT_TRUE(compiled.reads_names());
  compiled.Compile(labels);
  EXPECT_FALSE(compiled.has_invalid());
  EXPECT_FALSE(compiled.reads_names());
  EXPECT_FALSE(compiled.MatchesAny(MakeNode("n1")));
  std::vector<std::string> keys;
  compiled.ForEachLabelKey([&](const std::string& key) { keys.push_back(key); });
  EXPECT_THAT(keys, testing::ElementsAre("zone", "disk"));
}

TEST(RequiredNodeAffinityTest, SelectorAndAffinity) {
  const Terms ssd = {MatchExpressions({{"disk", "In", {"ssd"}}})};
  struct Row {
    std::string name;
    MakePod pod;
    bool want;
  };
  const std::vector<Row> rows = {
      {"nothing required", MakePod(), true},
      {"nodeSelector", MakePod().NodeSelector({{"zone", "a"}}), true},
      {"nodeSelector, another value", MakePod().NodeSelector({{"zone", "b"}}), false},
      {"nodeSelector, one of two", MakePod().NodeSelector({{"zone", "a"}, {"nope", ""}}), false},
      {"affinity", MakePod().RequiredNodeAffinity(ssd), true},
      {"both", MakePod().NodeSelector({{"zone", "a"}}).RequiredNodeAffinity(ssd), true},
      {"affinity only", MakePod().NodeSelector({{"zone", "b"}}).RequiredNodeAffinity(ssd), false},
      {"no terms match nothing", MakePod().RequiredNodeAffinity({}), false},
      {"preferred terms require nothing", MakePod().PreferredNodeAffinity(1, MatchExpressions({{"x", "Exists", {}}})),
       true},
  };
  const api::Node node = MakeNode("n1").Label("zone", "a").Label("disk", "ssd");
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    RequiredNodeAffinity required;
    required.Compile(row.pod.pod.spec);
    EXPECT_EQ(required.Matches(node), row.want);
    EXPECT_EQ(required.ProblemsIfUnmatched(node), "");
  }
}

TEST(ProblemsTest, Texts) {
  struct Row {
    std::string name;
    api::NodeSelectorTerm term;
    std::string want;
  };
  const std::string name_rule =
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
      "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const std::string value_rule =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
      "and "
      "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
      "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const std::string expression = "nodeSelectorTerms[0].matchExpressions[0]",
                    field = "nodeSelectorTerms[0].matchFields[0]";
  const std::vector<Row> rows = {
      {"valid", MatchExpressions({{"a", "In", {"b"}}}), ""},
      {"operator", MatchExpressions({{"a", "<", {"b"}}}),
       expression + ".operator: Unsupported value: \"\\u003c\": supported values: \"In\", \"NotIn\", \"Exists\", "
                    "\"DoesNotExist\", \"Gt\", \"Lt\""},
      {"In nothing", MatchExpressions({{"a", "In", {}}}),
       expression + ".values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"},
      {"Exists with a value", MatchExpressions({{"a", "Exists", {"b"}}}),
       expression + ".values: Invalid value: [\"b\"]: values set must be empty for exists and does not exist"},
      {"Gt with two values", MatchExpressions({{"a", "Gt", {"1", "2"}}}),
       expression + ".values: Invalid value: [\"1\",\"2\"]: for 'Gt', 'Lt' operators, exactly one value is required"},
      {"Lt with no number", MatchExpressions({{"a", "Lt", {"x"}}}),
       expression + ".values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer"},
      {"a key and a value", MatchExpressions({{"a b", "In", {"c d"}}}),
       "[" + expression + ".key: Invalid value: \"a b\": " + name_rule + ", " + expression +
           ".values[0][a b]: Invalid value: \"c d\": " + value_rule + "]"},
      {"field with two names", MatchFields({{"metadata.name", "In", {"a", "b"}}}),
       field + ".values: Invalid value: [\"a\",\"b\"]: must have one element"},
      {"field operator", MatchFields({{"metadata.name", "Exists", {}}}),
       field + ".operator: Unsupported value: \"Exists\": supported values: \"In\", \"NotIn\""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Problems({{row.term}}), row.want);
  }
}

TEST(ProblemsTest, PreferredTermsHaveNoNameInFront) {
  // As kube-scheduler itself says it: this text is from a run of the oracle.
  const std::vector<api::PreferredSchedulingTerm> several = {
      {1, MatchExpressions({{"zone", "In", {"a"}}})}, {2, MatchExpressions({{"x", "Gt", {"y z"}}, {"b c", "<", {}}})}};
  EXPECT_EQ(
      Problems(several),
      "[[1].matchExpressions[0].values[0]: Invalid value: \"y z\": for 'Gt', 'Lt' operators, the value must be an "
      "integer, [1].matchExpressions[0].values[0][x]: Invalid value: \"y z\": a valid label must be an empty string "
      "or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
      "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
      "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'), [1].matchExpressions[1].operator: Unsupported value: "
      "\"\\u003c\": supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\"]");
  const std::vector<api::PreferredSchedulingTerm> terms = {{1, MatchExpressions({{"a", "Exists", {}}})},
                                                           {2, MatchExpressions({{"a", "Lt", {"x"}}})}};
  EXPECT_EQ(Problems(terms),
            "[1].matchExpressions[0].values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an "
            "integer");
}

}  // namespace
}  // namespace ksched
